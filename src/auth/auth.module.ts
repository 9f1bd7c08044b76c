import { Module } from '@nestjs/common';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { RedisModule } from '../redis/redis.module.js';
import { RedisChangeStore } from '../store/redis-change.store.js';
import { RedisTokenStore } from '../store/redis-token.store.js';
import { TokenStore } from '../store/token.store.js';
import { ChangeWatch } from './change-watch.js';
import { N9eIdentity } from './n9e-identity.js';
import { OidcIdentity } from './oidc/oidc-identity.js';
import { OpenCalls } from './open-calls.js';
import { TokenGuard } from './token.guard.js';
import { TokenVerifier } from './token.verifier.js';

/** Who a caller is. The application puts TokenGuard before every route. */
@Module({
  imports: [RedisModule],
  providers: [
    {
      provide: TokenStore,
      inject: [RedisConnections, Keys],
      useFactory: (redis: RedisConnections, keys: Keys) => new RedisTokenStore(redis.reads, keys),
    },
    {
      provide: RedisChangeStore,
      inject: [RedisConnections, Keys],
      useFactory: (redis: RedisConnections, keys: Keys) =>
        new RedisChangeStore(redis.control, keys),
    },
    ChangeWatch,
    OpenCalls,
    N9eIdentity,
    OidcIdentity,
    TokenVerifier,
    TokenGuard,
  ],
  exports: [TokenStore, RedisChangeStore, ChangeWatch, OpenCalls, TokenVerifier, TokenGuard],
})
export class AuthModule {}
