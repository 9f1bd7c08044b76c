import { Module } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { RedisAllowanceStore } from './redis-allowance.store.js';
import { RedisApprovalStore } from './redis-approval.store.js';
import { RedisContextStore } from './redis-context.store.js';
import { RedisEffectStore } from './redis-effect.store.js';
import { RedisFileStore } from './redis-file.store.js';
import { RedisInstanceStore } from './redis-instance.store.js';
import { RedisListReader } from './redis-list.reader.js';
import { RedisLogStore } from './redis-log.store.js';
import { RedisOwnerStore } from './redis-owner.store.js';
import { RedisRateStore } from './redis-rate.store.js';
import { RedisRetentionStore } from './redis-retention.store.js';
import { RedisStartCheck } from './redis-start.check.js';
import { RedisStreamStore } from './redis-stream.store.js';
import { RedisTaskReader } from './redis-task.reader.js';
import { RedisTaskStore } from './redis-task.store.js';
import { RedisTenantStore } from './redis-tenant.store.js';
import { RedisUsageStore } from './redis-usage.store.js';
import { RunStores } from './run-stores.js';

const STORES = [
  RedisAllowanceStore,
  RedisContextStore,
  RedisEffectStore,
  RedisFileStore,
  RedisListReader,
  RedisLogStore,
  RedisOwnerStore,
  RedisTaskStore,
  RedisTaskReader,
  RedisInstanceStore,
  RedisRateStore,
  RedisRetentionStore,
  RedisStreamStore,
  RunStores,
];

@Module({
  providers: [
    ...STORES,
    RedisStartCheck,
    // These serve the CLI as well, which has one connection and no modules.
    {
      provide: RedisApprovalStore,
      inject: [RedisConnections, Keys],
      useFactory: (redis: RedisConnections, keys: Keys) =>
        new RedisApprovalStore(redis.control, keys),
    },
    {
      provide: RedisTenantStore,
      inject: [RedisConnections, Keys],
      useFactory: (redis: RedisConnections, keys: Keys) => new RedisTenantStore(redis.reads, keys),
    },
    {
      provide: RedisUsageStore,
      inject: [RedisConnections, Keys, GATEWAY_CONFIG],
      useFactory: (redis: RedisConnections, keys: Keys, { usage }: GatewayConfig) =>
        new RedisUsageStore(redis.reads, keys, usage.retentionDays),
    },
  ],
  exports: [...STORES, RedisApprovalStore, RedisTenantStore, RedisUsageStore],
})
export class StoreModule {}
