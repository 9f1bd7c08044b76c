import { Module } from '@nestjs/common';
import { McpController } from './mcp.controller.js';
import { McpEndpoint } from './mcp-endpoint.js';

/**
 * The MCP surface. TaskService is expected from a global module or an import of the application's;
 * GATEWAY_CONFIG and the tenants are global.
 */
@Module({ controllers: [McpController], providers: [McpEndpoint] })
export class McpModule {}
