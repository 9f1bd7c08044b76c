import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { GatewayConfig } from '../config/config.types.js';
import { DrainState } from './drain-state.js';
import { ManagementServer } from './management.server.js';
import { ManagementService } from './management.service.js';
import { MetricsController, ProbesController } from './probes.controller.js';
import { Readiness } from './readiness.js';

/** Global: protocols watch the drain state. */
@Global()
@Module({
  providers: [DrainState, Readiness, ManagementService, ManagementServer],
  exports: [DrainState],
})
export class HealthModule {
  /** Which management paths also answer on the main port. */
  static for({ management }: GatewayConfig): DynamicModule {
    const merged = management.port === 0;
    return {
      module: HealthModule,
      controllers: [
        ...(merged || management.probesOnMain ? [ProbesController] : []),
        ...(merged ? [MetricsController] : []),
      ],
    };
  }
}
