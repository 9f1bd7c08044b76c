import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import { DomainError, type ErrorCode } from '../../domain/errors.js';
import { rpcIdOf } from '../wire/json-rpc.js';
import { callerProtocolOf, readPathOf, routedPathOf } from './caller-protocol.js';
import { isOnManagement } from './management-requests.js';
import { notOnManagement, pathNotFound } from './path-not-found.js';
import { sendError, toWireError } from './send-error.js';

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'INVALID_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'PATH_NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'INVALID_REQUEST',
  413: 'TOO_LARGE',
  414: 'INVALID_REQUEST',
  415: 'MEDIA_TYPE',
  429: 'RATE',
  503: 'UNAVAILABLE',
};

const TEXT_OF_CODE: Partial<Record<ErrorCode, string>> = {
  INVALID_REQUEST: 'The request is malformed',
  UNAUTHENTICATED: 'This operation needs a token',
  PERMISSION_DENIED: 'This token may not do that',
  TOO_LARGE: 'The body is too large',
  MEDIA_TYPE: 'The body must be application/json or application/a2a+json',
  RATE: 'Too many requests',
  UNAVAILABLE: 'The gateway cannot take this request now',
};

/**
 * The last stop of everything that a route did not answer itself: guards, body parsing, unknown
 * paths, wrong methods, and bugs. Each answers in the protocol of the path it was sent to.
 */
@Catch()
export class ProtocolExceptionFilter implements ExceptionFilter {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (hasGone(request, reply, exception)) return;
    if (reply.sent || reply.raw.headersSent) {
      // Too late to say anything; a cut connection is the only honest answer to a half one.
      toWireError(exception, reply);
      reply.raw.destroy();
      return;
    }
    const protocol = callerProtocolOf(routedPathOf(request));
    const error = toWireError(this.refusalOf(exception, request, reply), reply);
    sendError(reply, protocol, error, protocol === 'rest' ? null : rpcIdOf(request.body));
  }

  private refusalOf(exception: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
    if (!(exception instanceof HttpException)) return exception;
    const code = CODE_OF_STATUS[exception.getStatus()];
    if (code === undefined) return exception;
    if (code === 'PATH_NOT_FOUND') return this.unrouted(request, reply);
    return new DomainError(code, TEXT_OF_CODE[code] ?? 'The request was refused');
  }

  private unrouted(request: FastifyRequest, reply: FastifyReply): DomainError {
    const allowed = request.server.routeTable?.allowedMethods(readPathOf(request.url)) ?? [];
    if (allowed.length > 0 && !allowed.includes(request.method)) {
      reply.header('allow', allowed.join(', '));
      return new DomainError(
        'METHOD_NOT_ALLOWED',
        `${request.method} is not allowed here; use ${allowed.join(' or ')}`,
      );
    }
    return isOnManagement(request.raw) ? notOnManagement() : pathNotFound(this.config);
  }
}

/**
 * The client went away while its request came in, or while it was waited for: there is nobody to
 * answer, and no fault.
 */
function hasGone({ raw }: FastifyRequest, reply: FastifyReply, exception: unknown): boolean {
  if (raw.destroyed && !raw.complete) return true;
  return reply.raw.destroyed && exception instanceof Error && exception.name === 'AbortError';
}
