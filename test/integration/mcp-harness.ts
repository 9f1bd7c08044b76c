import type { AllowanceService } from '../../src/execution/allowance.service.js';
import { TenantBackends } from '../../src/assistant/backend-registry.js';
import type { GatewayConfig } from '../../src/config/config.types.js';
import { McpModule } from '../../src/protocols/mcp/mcp.module.js';
import { StreamRegistry } from '../../src/protocols/sse/stream-registry.js';
import { ToolService } from '../../src/tasks/tool.service.js';
import { tenant } from '../support/core.js';
import { cutConnections, startSurfaces } from './surface-harness.js';
import { gatewayConfig } from '../support/gateway-config.js';
import type { CoreApi } from './mcp-fake-tasks.js';

/** The configuration of `startMcpApp`. */
export function mcpConfig(overrides: Partial<GatewayConfig> = {}): GatewayConfig {
  const defaults = gatewayConfig();
  return {
    ...defaults,
    listen: { host: '127.0.0.1', port: 0 },
    management: { ...defaults.management, port: 0, probesOnMain: true },
    trustedProxies: [],
    log: { level: 'silent' },
    tenants: [tenant('acme')],
    ...overrides,
  };
}

export interface McpApp {
  readonly url: string;
  /** Breaks every connection; the listener stays. */
  cut(): void;
  /** Open streams of all protocols. */
  readonly streams: StreamRegistry;
  close(): Promise<void>;
}

/** Nothing is used up. */
const FREE = {
  of: () => ({ demand: () => Promise.resolve() }),
} as unknown as AllowanceService;

/** A gateway with the A2A and MCP surfaces on a random loopback port, over the given core. */
export async function startMcpApp(
  tasks: CoreApi,
  overrides: Partial<GatewayConfig> = {},
): Promise<McpApp> {
  const config = mcpConfig(overrides);
  const tools = new ToolService(new TenantBackends(config), FREE);
  const mcp = config.a2a.enabled && config.mcp.enabled ? [McpModule] : [];
  const app = await startSurfaces(config, { tasks, tools }, mcp);
  return {
    url: await app.getUrl(),
    cut: () => {
      cutConnections(app);
    },
    streams: app.get(StreamRegistry, { strict: false }),
    close: () => {
      cutConnections(app);
      return app.close();
    },
  };
}
