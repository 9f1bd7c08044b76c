import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AdminModule } from './admin/admin.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { TokenGuard } from './auth/token.guard.js';
import { ConfigModule } from './config/config.module.js';
import type { ConfigSource } from './config/config-source.js';
import type { GatewayConfig } from './config/config.types.js';
import { withFileLinks } from './domain/webhook.js';
import { HealthModule } from './health/health.module.js';
import { A2aModule } from './protocols/a2a.module.js';
import { ProtocolExceptionFilter } from './protocols/http/protocol-exception.filter.js';
import { McpModule } from './protocols/mcp/mcp.module.js';
import { V03_PUSH_FORMAT } from './protocols/a2a-v03/push-format.js';
import { V1_PUSH_FORMAT } from './protocols/a2a-v1/push-format.js';
import { PushModule } from './push/push.module.js';
import { RedisModule } from './redis/redis.module.js';
import { TasksModule } from './tasks/tasks.module.js';
import { TenantGuard } from './tenant/tenant.guard.js';
import { RateGuard } from './tenant/rate.guard.js';
import { TenantModule, TenantRatesModule, TenantSyncModule } from './tenant/tenant.module.js';

/** The core API for every protocol. */
@Global()
@Module({ imports: [TasksModule], exports: [TasksModule] })
class CoreModule {}

/** The whole gateway, its modules in the order of a request's way. */
@Module({})
export class AppModule {
  static of(config: GatewayConfig, source: ConfigSource): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config, source),
        HealthModule.for(config),
        RedisModule,
        AuthModule,
        AuditModule,
        TenantModule,
        TenantSyncModule,
        TenantRatesModule,
        PushModule.with({
          '1.0': withFileLinks(V1_PUSH_FORMAT, config.publicUrl),
          '0.3': withFileLinks(V03_PUSH_FORMAT, config.publicUrl),
        }),
        // With a2a.enabled: false neither surface has a route (seed-behaviours N3, N4).
        A2aModule.of(config),
        ...(config.a2a.enabled && config.mcp.enabled ? [McpModule] : []),
        ...(config.admin.enabled ? [AdminModule] : []),
        CoreModule,
      ],
      providers: [
        // In this order: who calls, whether the tenant is served here, and whether not too often.
        { provide: APP_GUARD, useExisting: TokenGuard },
        { provide: APP_GUARD, useExisting: TenantGuard },
        { provide: APP_GUARD, useExisting: RateGuard },
        { provide: APP_FILTER, useClass: ProtocolExceptionFilter },
      ],
    };
  }
}
