import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Logger,
  UnauthorizedException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { AuditLog } from '../audit/audit.log.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { DomainError, unavailable } from '../domain/errors.js';
import { metrics } from '../metrics/metrics.js';
import { noteRequest } from '../metrics/request-notes.js';
import { presentedSecrets } from './credentials.js';
import { type Failure, FailureLimiter } from './failure-limiter.js';
import { OpenCalls } from './open-calls.js';
import type { AuthenticatedRequest, Principal } from './principal.js';
import { PUBLIC_ROUTE } from './public.decorator.js';
import { REQUIRED_SCOPE } from './require-scope.decorator.js';
import { registerStrategies } from './strategies.js';
import { TokenVerifier } from './token.verifier.js';

type Request = AuthenticatedRequest & {
  readonly raw: IncomingMessage;
  /** The client's own address, behind trusted proxies too. */
  readonly ip: string;
};

/**
 * Closes every route that is not @Public(): a request must present exactly one valid token, with
 * the scope that the route asks for. A wrong token is refused as it is; no other way in is tried. A
 * source of many wrong ones is told to wait, while the right ones from the same address still pass.
 * @throws DomainError UNAUTHENTICATED, RATE (too many wrong tokens), PERMISSION_DENIED (scope),
 * UNAVAILABLE (Redis is away).
 */
@Injectable()
export class TokenGuard implements CanActivate {
  private readonly logger = new Logger(TokenGuard.name);
  private readonly passport: CanActivate;
  private readonly headerName: string;
  private readonly failures: FailureLimiter;

  constructor(
    private readonly reflector: Reflector,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
    private readonly verifier: TokenVerifier,
    private readonly calls: OpenCalls,
    private readonly audit: AuditLog,
  ) {
    this.headerName = config.auth.headerName;
    this.failures = new FailureLimiter(config.auth.failuresPerMinute);
    const names = registerStrategies((secret) => verifier.verify(secret), this.headerName);
    this.passport = new (AuthGuard(names))();
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.metadata(PUBLIC_ROUTE, context) === true) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const scopes = this.scopesOf(context);
    const secret = this.onlySecret(request, scopes);
    const principal = await this.identify(context, request, { secret, scopes });
    noteRequest(request.raw, { tenant: principal.tenant, user: principal.user });
    refuseOtherScope(principal, scopes);
    this.verifier.noteUse(principal);
    const { raw } = context.switchToHttp().getResponse<{ readonly raw: ServerResponse }>();
    this.calls.track(principal, raw);
    return true;
  }

  private onlySecret(request: Request, scopes: Scopes): string {
    const [secret, ...more] = presentedSecrets(request.raw.rawHeaders, this.headerName);
    if (secret === undefined) {
      throw unauthenticated(
        'missing',
        `A token is required: send it as ${this.headerName} or as Authorization: Bearer`,
        scopes,
      );
    }
    if (more.length > 0) {
      throw unauthenticated('conflict', 'The request carries tokens that differ', scopes);
    }
    return secret;
  }

  private async identify(
    context: ExecutionContext,
    request: Request,
    presented: Presented,
  ): Promise<Principal> {
    try {
      await this.passport.canActivate(context);
    } catch (error) {
      if (error instanceof UnauthorizedException) throw this.refuse(request, 'invalid', presented);
      const isDenied = error instanceof DomainError && error.code === 'PERMISSION_DENIED';
      metrics.authFailures.inc({ reason: isDenied ? 'tenant' : 'store' });
      throw error instanceof DomainError
        ? error
        : unavailable('The token cannot be checked right now', error);
    }
    const principal = request.user;
    if (principal === undefined) throw new Error('bug: passport let a request in without a user');
    if (principal.addresses?.has(request.ip) === false) {
      throw this.refuse(request, 'address', presented);
    }
    if (!isFor(presented.scopes, principal)) throw this.refuse(request, 'audience', presented);
    return principal;
  }

  /** One text for every reason: a caller without the right token learns nothing about tokens. */
  private refuse(
    { ip, id }: Request,
    reason: 'invalid' | 'address' | 'audience',
    { secret, scopes }: Presented,
  ): DomainError {
    const failure = this.failures.fail(ip);
    const why = reason === 'invalid' ? this.verifier.refusalOf(secret).reason : reason;
    const label = reason === 'address' ? reason : 'invalid';
    this.auditRefusal(failure, { ip, id, reason: why });
    this.logger.warn({
      msg: 'a token was refused',
      reason: why,
      address: ip,
      inThisMinute: failure.count,
    });
    if (failure.retryAfter === undefined) {
      return unauthenticated(label, 'The token is not valid', scopes, 'invalid_token');
    }
    metrics.authFailures.inc({ reason: label });
    return new DomainError('RATE', 'Too many wrong tokens from this address; try again later', {
      retryAfter: failure.retryAfter,
    });
  }

  /** The first of a source in a minute, and the one that is too many: a flood fills no audit. */
  private auditRefusal(
    failure: Failure,
    { ip, id, reason }: { readonly ip: string; readonly id: string; readonly reason: string },
  ): void {
    const isTooMany = this.failures.isFirstOver(failure);
    if (failure.count !== 1 && !isTooMany) return;
    this.audit.note({
      tenant: '',
      actor: '',
      action: isTooMany ? 'auth.throttled' : 'auth.refused',
      target: `address/${ip}`,
      outcome: 'UNAUTHENTICATED',
      requestId: id,
      detail: reason,
    });
  }

  private scopesOf(context: ExecutionContext): Scopes {
    return (this.metadata(REQUIRED_SCOPE, context) ?? []) as Scopes;
  }

  private metadata(key: string, context: ExecutionContext): unknown {
    return this.reflector.getAllAndOverride<unknown>(key, [
      context.getHandler(),
      context.getClass(),
    ]);
  }
}

/** One of them is what the route asks for; empty: any token will do. */
type Scopes = readonly string[];

interface Presented {
  readonly secret: string;
  readonly scopes: Scopes;
}

/** A token whose issuer made it for one surface is a wrong one on any other route. */
function isFor(scopes: Scopes, { surfaces }: Principal): boolean {
  return surfaces === undefined || surfaces.some((surface) => scopes.includes(surface));
}

function refuseOtherScope({ scopes: own }: Principal, scopes: Scopes): void {
  const [scope] = scopes;
  if (scope === undefined || scopes.some((one) => own.includes(one))) return;
  metrics.authFailures.inc({ reason: 'scope' });
  throw new DomainError('PERMISSION_DENIED', `The token does not have the scope ${scope}`, {
    challenge: { error: 'insufficient_scope', scope },
  });
}

function unauthenticated(
  reason: string,
  message: string,
  [scope]: Scopes,
  error?: 'invalid_token',
): DomainError {
  metrics.authFailures.inc({ reason });
  return new DomainError('UNAUTHENTICATED', message, {
    challenge: {
      ...(error === undefined ? {} : { error }),
      ...(scope === undefined ? {} : { scope }),
    },
  });
}
