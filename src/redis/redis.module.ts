import { Global, Module } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { Keys } from './keys.js';
import { RedisClock } from './redis.clock.js';
import { RedisConnections } from './redis.connections.js';

@Global()
@Module({
  providers: [
    RedisConnections,
    RedisClock,
    {
      provide: Keys,
      inject: [GATEWAY_CONFIG],
      useFactory: (config: GatewayConfig) => new Keys(config.redis.prefix),
    },
  ],
  exports: [RedisConnections, RedisClock, Keys],
})
export class RedisModule {}
