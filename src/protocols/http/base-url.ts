import type { FastifyRequest } from 'fastify';
import { authorityOf, localAuthorityOf } from '../../config/authority.js';
import type { GatewayConfig } from '../../config/config.types.js';
import type { AddressList } from '../../domain/address-list.js';

const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const PREFIX = /^(?:\/[a-z0-9._~-]+)+\/?$/i;
const DEFAULT_PORT: Readonly<Record<string, string>> = { http: '80', https: '443' };

/**
 * The URL under which this caller reaches the gateway, without a trailing slash: `publicUrl`, else
 * the Host header with what a trusted proxy says by X-Forwarded-Proto, -Host, -Port and -Prefix.
 * Anything that is no clean host or path is left out, so that a header cannot put markup or another
 * path into the agent card.
 */
export function baseUrlOf(
  request: FastifyRequest,
  config: GatewayConfig,
  proxies: AddressList,
): string {
  if (config.publicUrl !== undefined) return config.publicUrl;
  const { headers } = request;
  const trusted = proxies.has(request.socket.remoteAddress);
  // Fastify reads Host and Proto through the same list of proxies (see createHttpAdapter).
  const proto = request.protocol.toLowerCase() === 'https' ? 'https' : 'http';
  const host = HOST.test(request.host) ? request.host : calledAt(request, config);
  const port = trusted ? portOf(lastOf(headers['x-forwarded-port']), proto, host) : '';
  const prefix = trusted ? prefixOf(lastOf(headers['x-forwarded-prefix'])) : '';
  return `${proto}://${host}${port}${prefix}`;
}

/** The address that was called: a listener on `::` or 0.0.0.0 has none of its own that a client could use. */
function calledAt({ socket }: FastifyRequest, { listen }: GatewayConfig): string {
  const { localAddress: address, localPort: port } = socket;
  if (address === undefined || port === undefined) return localAuthorityOf(listen);
  return authorityOf({ host: address.replace(/^::ffff:(?=[\d.]+$)/i, ''), port });
}

function portOf(port: string, proto: string, host: string): string {
  const unknown = /^\d{1,5}$/.test(port) && port !== DEFAULT_PORT[proto];
  return unknown && !/:\d+$/.test(host) ? `:${port}` : '';
}

function prefixOf(prefix: string): string {
  if (!PREFIX.test(prefix) || prefix.includes('..')) return '';
  return prefix.replace(/\/$/, '');
}

/** The entry nearest to us, as Fastify takes it: the ones before are the client's own claims. */
function lastOf(header: string | string[] | undefined): string {
  const entries = String(header ?? '').split(',');
  return entries.at(-1)?.trim() ?? '';
}
