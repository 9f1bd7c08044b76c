import { Transform } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { GatewayConfig, TenantConfig } from '../../config/config.types.js';
import { DEFAULT_LIMITS } from '../../config/limits.js';
import { DomainError } from '../../domain/errors.js';
import { routedPathOf } from './caller-protocol.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Largest body of each surface, over all tenants; raised and lowered as they change. */
    bodyCeilings?: BodyCeilings;
  }
}

/** Bodies of everything that is neither A2A nor MCP. */
export const OTHER_BODY_BYTES = 64 * 1024;
/** A tenant's document with all its sources. */
const ADMIN_BODY_BYTES = 256 * 1024;
/** Above what any tenant may be allowed (see LimitsDto). */
const MOST_BODY_BYTES = 16 * 1024 * 1024;

/** Bytes of the largest body that a tenant may send on each surface. */
export interface BodyCeilings {
  a2aBodyBytes: number;
  mcpBodyBytes: number;
}

/** The widest of all tenants' limits; a single tenant's own is held to once it is known. */
export function bodyCeilings(tenants: readonly TenantConfig[]): BodyCeilings {
  const widest = (limit: keyof BodyCeilings): number => {
    const limits = tenants.map((tenant) => tenant.limits[limit]);
    return limits.length > 0 ? Math.max(...limits) : DEFAULT_LIMITS[limit];
  };
  return { a2aBodyBytes: widest('a2aBodyBytes'), mcpBodyBytes: widest('mcpBodyBytes') };
}

/**
 * Bounds the bodies of each surface. The tenant is known only after the body is read: until then the
 * widest limit counts. A route's own limit is fixed when it is made, but tenants change: a body that
 * says its length is refused by it, and one that does not is counted as it comes. Must be called before
 * the first route is made.
 */
export function holdToCeilings(fastify: FastifyInstance, config: GatewayConfig): void {
  fastify.addHook('onRoute', (route) => {
    if (isUnder(route.url, '/a2a') || isUnder(route.url, '/mcp')) route.bodyLimit = MOST_BODY_BYTES;
    else if (isUnder(route.url, '/admin')) route.bodyLimit = ADMIN_BODY_BYTES;
  });
  const ceilings = bodyCeilings(config.tenants);
  fastify.decorate('bodyCeilings', ceilings);
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const path = routedPathOf(request);
    const most = isUnder(path, '/mcp') ? ceilings.mcpBodyBytes : ceilings.a2aBodyBytes;
    const length = request.headers['content-length'];
    if (!isUnder(path, '/mcp') && !isUnder(path, '/a2a')) done(null, payload);
    else if (length !== undefined) done(Number(length) > most ? tooLarge() : null, payload);
    // RFC 9112 section 6.3: without either field there is no body.
    else if (request.headers['transfer-encoding'] === undefined) done(null, payload);
    else done(null, payload.pipe(countedUpTo(most)));
  });
}

function countedUpTo(most: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      bytes += chunk.length;
      if (bytes > most) next(tooLarge());
      else next(null, chunk);
    },
  });
}

function tooLarge(): DomainError {
  return new DomainError('TOO_LARGE', 'The body is too large');
}

function isUnder(url: string, root: string): boolean {
  return url === root || url.startsWith(`${root}/`);
}
