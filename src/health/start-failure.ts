import type { GatewayConfig } from '../config/config.types.js';

/** Why a gateway did not start, as a sentence for its operator. */
export function describeStartFailure(error: unknown, config: GatewayConfig): string {
  if (!(error instanceof Error)) return 'the gateway did not start';
  const { code, port } = error as { code?: unknown; port?: unknown };
  const host = port === config.management.port ? config.management.host : config.listen.host;
  switch (code) {
    case 'EADDRINUSE':
      return `port ${String(port)} on ${host} is taken (EADDRINUSE)`;
    case 'EACCES':
      return `port ${String(port)} on ${host} needs more rights (EACCES)`;
    case 'EADDRNOTAVAIL':
      return `this machine has no address ${host} (EADDRNOTAVAIL)`;
    default:
      return `the gateway did not start: ${error.message}`;
  }
}
