import { type DynamicModule, Module } from '@nestjs/common';
import type { GatewayConfig } from '../../config/config.types.js';
import { McpController } from './mcp.controller.js';
import { McpEndpoint } from './mcp-endpoint.js';

/** MCP. Needs TaskService, TenantDirectory and GATEWAY_CONFIG from global modules or `imports`. */
@Module({})
export class McpModule {
  /** With `mcp.enabled: false` or `a2a.enabled: false` there is no route at all. */
  static of(config: GatewayConfig, imports: DynamicModule['imports'] = []): DynamicModule {
    const enabled = config.mcp.enabled && config.a2a.enabled;
    return {
      module: McpModule,
      imports: [...imports],
      controllers: enabled ? [McpController] : [],
      providers: enabled ? [McpEndpoint] : [],
    };
  }
}
