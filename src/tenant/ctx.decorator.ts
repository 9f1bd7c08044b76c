import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest, Principal } from '../auth/principal.js';
import type { CallContext } from '../domain/call-context.js';
import { DEPTH_HEADER, depthOf } from '../domain/agent-depth.js';
import { DomainError } from '../domain/errors.js';
import { tokenId } from '../store/token.store.js';
import { traceOfRequest } from '../tracing/request-span.js';

/**
 * The CallContext of a request whose token the guard has accepted. The tenant comes from the token
 * alone.
 * @throws DomainError UNAUTHENTICATED on a route that was opened with @Public().
 */
export function callContextOf(request: AuthenticatedRequest): CallContext {
  if (request.user === undefined) {
    throw new DomainError('UNAUTHENTICATED', 'This operation needs a token');
  }
  const { tenant, user, scopes, busiGroups, mutes } = request.user;
  const trace = traceOfRequest(request.raw);
  const depth = depthOf(request.raw.headers[DEPTH_HEADER]);
  return {
    tenant,
    user,
    scopes,
    ...tokenOf(request.user),
    requestId: request.id,
    ...(busiGroups === undefined ? {} : { busiGroups }),
    ...(mutes === undefined ? {} : { mutes }),
    ...(depth === 0 ? {} : { depth }),
    ...(trace === undefined ? {} : { trace }),
  };
}

/** What names the token of a call, and the line of tokens that it goes on. */
export function tokenOf({ id, sha256, line }: Principal): Pick<CallContext, 'token' | 'line'> {
  return {
    token: id ?? tokenId(sha256),
    ...(line === undefined ? {} : { line: tokenId(line) }),
  };
}

/** Parameter decorator: the CallContext of the request. */
export const Ctx = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  callContextOf(context.switchToHttp().getRequest<AuthenticatedRequest>()),
);
