import { Module } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { BackendRegistry } from './assistant-backend.js';
import { TenantBackends } from './backend-registry.js';

/** Gives the rest BackendRegistry. Wants GATEWAY_CONFIG from a global module. */
@Module({
  providers: [
    {
      provide: TenantBackends,
      useFactory: (config: GatewayConfig) => new TenantBackends(config),
      inject: [GATEWAY_CONFIG],
    },
    { provide: BackendRegistry, useExisting: TenantBackends },
  ],
  exports: [BackendRegistry, TenantBackends],
})
export class AssistantModule {}
