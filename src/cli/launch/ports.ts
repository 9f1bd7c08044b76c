import { once } from 'node:events';
import { type AddressInfo, createServer, isIP } from 'node:net';
import type { GatewayConfig } from '../../config/config.types.js';
import { EXIT_UNAVAILABLE, EXIT_USAGE } from '../../config/exit-code.js';
import { CliFailure } from '../cli-failure.js';

/** Where one gateway listens. Management port 0: merged into the main listener. */
export interface Ports {
  readonly port: number;
  readonly managementPort: number;
}

/**
 * The ports of `instances` gateways: PORT, PORT + 1, … and the same for management; free ones where
 * PORT is 0.
 * @throws CliFailure with a sentence when one of them is taken.
 */
export async function choosePorts(config: GatewayConfig, instances: number): Promise<Ports[]> {
  const { listen, management } = config;
  const chosen: Ports[] = [];
  for (let index = 0; index < instances; index += 1) {
    chosen.push({
      port: listen.port === 0 ? await freePort(listen.host) : listen.port + index,
      managementPort: management.port === 0 ? 0 : management.port + index,
    });
  }
  const all = chosen.flatMap(({ port, managementPort }) => [port, managementPort]);
  const used = all.filter((port) => port !== 0);
  if (new Set(used).size < used.length || Math.max(...used) > 65_535) {
    throw new CliFailure(
      EXIT_USAGE,
      `${instances} instances need PORT … PORT + ${instances - 1} and as many management ports, all different and below 65536`,
    );
  }
  for (const { port, managementPort } of chosen) {
    if (listen.port !== 0) await refuseTaken(listen.host, port, 'PORT');
    if (managementPort !== 0) await refuseTaken(management.host, managementPort, 'MANAGEMENT_PORT');
  }
  return chosen;
}

/** An address at which this machine reaches a listener bound to `host`. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** `http://HOST:PORT` or https, with the brackets that an IPv6 address needs. */
export function httpOrigin(host: string, port: number, isTls = false): string {
  return `${isTls ? 'https' : 'http'}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function refuseTaken(host: string, port: number, variable: string): Promise<void> {
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why: Readonly<Record<string, string>> = {
      EADDRINUSE: `port ${port} on ${host} is taken: set ${variable} to another one`,
      EACCES: `port ${port} on ${host} needs more rights: set ${variable} to one above 1023`,
      EADDRNOTAVAIL: `this machine has no address ${host}`,
    };
    throw new CliFailure(
      EXIT_UNAVAILABLE,
      why[code] ?? `cannot listen on ${host}:${port} (${code})`,
    );
  }
  server.close();
  await once(server, 'close');
}
