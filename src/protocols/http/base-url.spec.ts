import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import type { GatewayConfig } from '../../config/config.types.js';
import { AddressList } from '../../domain/address-list.js';
import { baseUrlOf } from './base-url.js';

function urlOf(host: string, listen: string, local?: [string, number]): string {
  const [localAddress, localPort] = local ?? [];
  const request = {
    ...{ host, protocol: 'http', headers: {} },
    socket: { remoteAddress: '192.0.2.7', localAddress, localPort },
  };
  const config = { listen: { host: listen, port: 17_000 } };
  return baseUrlOf(
    request as unknown as FastifyRequest,
    config as GatewayConfig,
    new AddressList([]),
  );
}

// HTTP/1.0 knows no Host, and a listener on every address no address of its own.
it.each([
  ['', '::', ['::ffff:192.0.2.1', 17_001], 'http://192.0.2.1:17001'],
  ['', '::', ['2001:db8::1', 17_001], 'http://[2001:db8::1]:17001'],
  ['a"b', '0.0.0.0', ['192.0.2.1', 17_001], 'http://192.0.2.1:17001'],
  ['', '::', undefined, 'http://[::1]:17000'],
  ['', '0.0.0.0', undefined, 'http://127.0.0.1:17000'],
  ['', '192.0.2.1', undefined, 'http://192.0.2.1:17000'],
  ['[2001:db8::1]:8080', '::', ['2001:db8::1', 17_001], 'http://[2001:db8::1]:8080'],
] as const)('should be of a call to %j at %s, which came to %j, %s', (host, listen, local, url) => {
  expect(urlOf(host, listen, local === undefined ? undefined : [...local])).toBe(url);
});
