import { Module } from '@nestjs/common';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { RedisApprovalStore } from './redis-approval.store.js';
import { RedisContextStore } from './redis-context.store.js';
import { RedisFileStore } from './redis-file.store.js';
import { RedisInstanceStore } from './redis-instance.store.js';
import { RedisRetentionStore } from './redis-retention.store.js';
import { RedisStartCheck } from './redis-start.check.js';
import { RedisStreamStore } from './redis-stream.store.js';
import { RedisTaskReader } from './redis-task.reader.js';
import { RedisTaskStore } from './redis-task.store.js';

@Module({
  providers: [
    RedisContextStore,
    RedisFileStore,
    RedisTaskStore,
    RedisTaskReader,
    RedisInstanceStore,
    RedisRetentionStore,
    RedisStreamStore,
    RedisStartCheck,
    {
      provide: RedisApprovalStore,
      inject: [RedisConnections, Keys],
      useFactory: (redis: RedisConnections, keys: Keys) =>
        new RedisApprovalStore(redis.control, keys),
    },
  ],
  exports: [
    RedisApprovalStore,
    RedisContextStore,
    RedisFileStore,
    RedisTaskStore,
    RedisTaskReader,
    RedisInstanceStore,
    RedisRetentionStore,
    RedisStreamStore,
  ],
})
export class StoreModule {}
