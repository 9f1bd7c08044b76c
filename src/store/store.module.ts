import { Module } from '@nestjs/common';
import { RedisInstanceStore } from './redis-instance.store.js';
import { RedisStartCheck } from './redis-start.check.js';
import { RedisTaskReader } from './redis-task.reader.js';
import { RedisTaskStore } from './redis-task.store.js';

@Module({
  providers: [RedisTaskStore, RedisTaskReader, RedisInstanceStore, RedisStartCheck],
  exports: [RedisTaskStore, RedisTaskReader, RedisInstanceStore],
})
export class StoreModule {}
