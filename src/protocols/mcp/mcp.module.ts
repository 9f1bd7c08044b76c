import { Module } from '@nestjs/common';
import { SseModule } from '../sse/sse.module.js';
import { CallRunner } from './call-runner.js';
import { McpController } from './mcp.controller.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { ToolHosts } from './tool-hosts.js';

/**
 * MCP. Needs TaskService, TenantDirectory and GATEWAY_CONFIG from global modules. An application
 * leaves it out where `mcp.enabled` or `a2a.enabled` is false.
 */
@Module({
  imports: [SseModule],
  controllers: [McpController],
  providers: [ToolHosts, McpEndpoint, CallRunner],
})
export class McpModule {}
