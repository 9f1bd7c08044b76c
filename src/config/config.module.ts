import { type DynamicModule, Global, Module } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from './config.types.js';

/** Global: gives every module the one configuration under GATEWAY_CONFIG. */
@Global()
@Module({})
export class ConfigModule {
  static of(config: GatewayConfig): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: GATEWAY_CONFIG, useValue: config }],
      exports: [GATEWAY_CONFIG],
    };
  }
}
