import { Module } from '@nestjs/common';
import { RedisContextStore } from './redis-context.store.js';
import { RedisFileStore } from './redis-file.store.js';
import { RedisInstanceStore } from './redis-instance.store.js';
import { RedisStartCheck } from './redis-start.check.js';
import { RedisTaskReader } from './redis-task.reader.js';
import { RedisTaskStore } from './redis-task.store.js';

@Module({
  providers: [
    RedisContextStore,
    RedisFileStore,
    RedisTaskStore,
    RedisTaskReader,
    RedisInstanceStore,
    RedisStartCheck,
  ],
  exports: [RedisContextStore, RedisFileStore, RedisTaskStore, RedisTaskReader, RedisInstanceStore],
})
export class StoreModule {}
