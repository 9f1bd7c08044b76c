import type { TenantConfig, TokenConfig } from './config.types.js';
import { DEFAULT_LIMITS } from './limits.js';
import { DEFAULT_SCOPES } from './token-scopes.js';
import type { Toolset } from './toolsets.js';

/** Tenant and user of the demo token. */
export const DEMO_TENANT = 'demo';
export const DEMO_USER = 'demo';

/** A tenant with built-in alerts, so that a fresh gateway has something to answer about. */
export function demoTenant(toolsets: readonly Toolset[]): TenantConfig {
  return {
    id: DEMO_TENANT,
    assistant: { backend: 'builtin' },
    sources: [{ type: 'demo', name: 'demo' }],
    remotes: [],
    mcpServers: [],
    limits: DEFAULT_LIMITS,
    takeover: 'rerun',
    contextConcurrency: 'reject',
    toolsets,
  };
}

export function demoToken(sha256: string): TokenConfig {
  return {
    tenant: DEMO_TENANT,
    user: DEMO_USER,
    sha256,
    label: 'demo',
    scopes: DEFAULT_SCOPES,
  };
}
