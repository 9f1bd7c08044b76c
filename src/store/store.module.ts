import { Module } from '@nestjs/common';
import { RedisTaskReader } from './redis-task.reader.js';
import { RedisTaskStore } from './redis-task.store.js';

@Module({
  providers: [RedisTaskStore, RedisTaskReader],
  exports: [RedisTaskStore, RedisTaskReader],
})
export class StoreModule {}
