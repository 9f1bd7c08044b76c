import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../../config/config.types.js';
import { isOnManagement } from './management-requests.js';

/**
 * Who waits for a response's end: log, span, token, stream place, tool call, and Node's and Fastify's
 * own for a piped body. Node warns of a leak, at every such response, where there are more than 10.
 */
const RESPONSE_LISTENERS = 32;
/** A year, as browsers' lists of such sites want it. */
const STRICT_TRANSPORT = 'max-age=31536000';

/** The headers of every answer, and those of its listener. */
export function setHeaders(fastify: FastifyInstance, config: GatewayConfig): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.raw.setMaxListeners(RESPONSE_LISTENERS);
    setCommonHeaders(request, reply);
    done();
  });
  promiseTls(fastify, config);
}

/**
 * Answers are data of one caller, for programs: nobody may store, frame or guess at them. A route
 * with other needs (the agent card) overrides.
 */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  reply.header('cache-control', 'no-store');
}

/**
 * RFC 6797: browsers then never ask this name in clear again, on any port. So only where TLS ends
 * here, and the name is this gateway's alone: one with a port may be shared with other services.
 */
function promiseTls(fastify: FastifyInstance, { listen, publicUrl }: GatewayConfig): void {
  if (listen.tls === undefined || publicUrl === undefined) return;
  const { protocol, port } = new URL(publicUrl);
  if (protocol !== 'https:' || port !== '') return;
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!isOnManagement(request.raw)) reply.header('strict-transport-security', STRICT_TRANSPORT);
    done();
  });
}
