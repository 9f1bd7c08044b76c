import { Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { countRefusal } from '../../metrics/count-refusal.js';
import { rateLimitFields } from '../../domain/rate-limit-fields.js';
import { traceIdField } from '../../tracing/request-span.js';
import { restErrorBody, wireError, type WireError } from '../wire/error-body.js';
import { rpcErrorText, type RpcId } from '../wire/json-rpc.js';
import type { CallerProtocol } from './caller-protocol.js';

const logger = new Logger('protocols');

/**
 * Turns anything thrown into its wire form. What is not one of our refusals is logged here, once,
 * under the request id that the caller is told.
 */
export function toWireError(error: unknown, reply: FastifyReply): WireError {
  const { id, method, url } = reply.request;
  const refusal = wireError(error, id);
  countRefusal(error);
  if (refusal.unknown !== undefined) {
    logger.error({
      msg: 'a request failed',
      requestId: id,
      ...traceIdField(reply.request.raw),
      http: method,
      path: url.split('?')[0] ?? '',
      err: refusal.unknown,
    });
  }
  return refusal;
}

/** Retry-After, and which limit it was. */
export function setRefusalHeaders(
  reply: FastifyReply,
  { retryAfter, limit }: Pick<WireError, 'retryAfter' | 'limit'>,
): void {
  if (retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(retryAfter)));
  if (limit !== undefined) reply.headers(rateLimitFields([limit]));
}

/** Answers in the caller's protocol, with Retry-After, RateLimit and WWW-Authenticate where they belong. */
export function sendError(
  reply: FastifyReply,
  protocol: CallerProtocol,
  error: WireError,
  id: RpcId = null,
): void {
  const { row, challenge } = error;
  const plain = protocol === 'a2a-rpc' && row.jsonRpcHttp === 'ok';
  setRefusalHeaders(reply, error);
  if (row.httpStatus === 401 || challenge !== undefined) {
    const text = reply.server.challengeFor?.(reply.request, challenge ?? {});
    if (text !== undefined) reply.header('www-authenticate', text);
  }
  reply
    .code(plain ? 200 : row.httpStatus)
    .header('content-type', 'application/json')
    .send(protocol === 'rest' ? JSON.stringify(restErrorBody(error)) : rpcErrorText(id, error));
}
