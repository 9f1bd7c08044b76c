import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ConfigSource } from './config-source.js';
import { GATEWAY_CONFIG, type GatewayConfig } from './config.types.js';

/** Global: gives every module the one configuration under GATEWAY_CONFIG. */
@Global()
@Module({})
export class ConfigModule {
  /** @param source where it came from; absent where it never changes (tests). */
  static of(config: GatewayConfig, source?: ConfigSource): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        ...(source === undefined ? [] : [{ provide: ConfigSource, useValue: source }]),
      ],
      exports: [GATEWAY_CONFIG, ...(source === undefined ? [] : [ConfigSource])],
    };
  }
}
