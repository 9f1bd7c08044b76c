import { Global, Module } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { RedisAuditStore } from '../store/redis-audit.store.js';
import { AuditLog } from './audit.log.js';

/** Global: everything that is done on behalf of somebody is noted. */
@Global()
@Module({
  providers: [
    {
      provide: RedisAuditStore,
      inject: [RedisConnections, Keys, GATEWAY_CONFIG],
      useFactory: (redis: RedisConnections, keys: Keys, { audit }: GatewayConfig) =>
        new RedisAuditStore(redis.reads, keys, audit),
    },
    AuditLog,
  ],
  exports: [RedisAuditStore, AuditLog],
})
export class AuditModule {}
