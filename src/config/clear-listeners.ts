import { authorityOf } from './authority.js';
import type { GatewayConfig } from './config.types.js';
import type { Faults } from './faults.js';
import { isLoopback } from './loopback.js';

type Listeners = Pick<GatewayConfig, 'listen' | 'management' | 'admin' | 'publicUrl'>;

/**
 * `listen.insecure: false` is a promise that no token is readable on the way: a listener that takes
 * tokens, is reached by other machines and speaks plain HTTP is then a fault.
 */
export function refuseClear(config: Listeners, faults: Faults): void {
  if (config.listen.insecure !== false) return;
  for (const text of clearListeners(config)) faults.add('listen.insecure', `is false, but ${text}`);
}

/**
 * What an operator should know who has said nothing by `listen.insecure`. An https `publicUrl` means
 * that a proxy ends TLS for the main listener.
 */
export function clearWarnings(config: Listeners): string[] {
  if (config.listen.insecure !== undefined) return [];
  const isProxied = config.publicUrl?.startsWith('https:') === true;
  const clear = isProxied ? adminInClear(config) : clearListeners(config);
  return clear.map((text) => `${text}; or set listen.insecure: true if that is as it should be`);
}

function clearListeners(config: Listeners): string[] {
  const { host, port, tls } = config.listen;
  if (tls !== undefined || isLoopback(host)) return adminInClear(config);
  return [
    `tokens come in clear to ${authorityOf({ host, port })}: set listen.tls, or listen.host: 127.0.0.1 behind a proxy that ends TLS`,
    ...adminInClear(config),
  ];
}

/** The management listener never has TLS; on port 0 it is the main one. */
function adminInClear({ admin, management: { host, port } }: Listeners): string[] {
  if (!admin.enabled || port === 0 || isLoopback(host)) return [];
  return [
    `admin tokens come in clear to ${authorityOf({ host, port })}: set management.host: 127.0.0.1, or admin.enabled: false`,
  ];
}
