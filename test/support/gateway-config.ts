import type { GatewayConfig } from '../../src/config/config.types.js';
import { loadConfig } from '../../src/config/load-config.js';

/** A valid configuration from a YAML document in memory; `environment` is laid over it. */
export function gatewayConfig(
  document: Readonly<Record<string, unknown>> = {},
  environment: Readonly<Record<string, string>> = {},
): GatewayConfig {
  return loadConfig({
    environment: { REDIS_URL: 'redis://127.0.0.1:1', ...environment },
    file: '/nightjar.yaml',
    files: { read: () => JSON.stringify(document), exists: () => true },
  });
}
