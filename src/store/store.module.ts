import { Module } from '@nestjs/common';
import { RedisInstanceStore } from './redis-instance.store.js';
import { RedisTaskReader } from './redis-task.reader.js';
import { RedisTaskStore } from './redis-task.store.js';

@Module({
  providers: [RedisTaskStore, RedisTaskReader, RedisInstanceStore],
  exports: [RedisTaskStore, RedisTaskReader, RedisInstanceStore],
})
export class StoreModule {}
