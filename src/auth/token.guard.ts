import type { IncomingMessage } from 'node:http';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { DomainError, unavailable } from '../domain/errors.js';
import { metrics } from '../metrics/metrics.js';
import { noteRequest } from '../metrics/request-notes.js';
import { presentedSecrets } from './credentials.js';
import type { AuthenticatedRequest } from './principal.js';
import { PUBLIC_ROUTE } from './public.decorator.js';
import { REQUIRED_SCOPE } from './require-scope.decorator.js';
import { registerStrategies } from './strategies.js';
import { TokenVerifier } from './token.verifier.js';

type Request = AuthenticatedRequest & { readonly raw: IncomingMessage };

/**
 * Closes every route that is not @Public(): a request must present exactly one valid token, with
 * the scope that the route asks for. A wrong token is refused as it is; no other way in is tried.
 * @throws DomainError UNAUTHENTICATED, PERMISSION_DENIED (scope), UNAVAILABLE (Redis is away).
 */
@Injectable()
export class TokenGuard implements CanActivate {
  private readonly passport: CanActivate;
  private readonly headerName: string;

  constructor(
    private readonly reflector: Reflector,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
    verifier: TokenVerifier,
  ) {
    this.headerName = config.auth.headerName;
    const names = registerStrategies((secret) => verifier.verify(secret), this.headerName);
    this.passport = new (AuthGuard(names))();
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.metadata(PUBLIC_ROUTE, context) === true) return true;
    const request = context.switchToHttp().getRequest<Request>();
    this.refuseUnlessOneSecret(request);
    await this.identify(context);
    this.refuseOtherScope(request, this.metadata(REQUIRED_SCOPE, context));
    return true;
  }

  private refuseUnlessOneSecret(request: Request): void {
    const secrets = presentedSecrets(request.raw.rawHeaders, this.headerName);
    if (secrets.length === 0) {
      throw unauthenticated(
        'missing',
        `A token is required: send it as ${this.headerName} or as Authorization: Bearer`,
      );
    }
    if (secrets.length > 1) {
      throw unauthenticated('conflict', 'The request carries tokens that differ');
    }
  }

  private async identify(context: ExecutionContext): Promise<void> {
    try {
      await this.passport.canActivate(context);
    } catch (error) {
      if (error instanceof UnauthorizedException) {
        throw unauthenticated('invalid', 'The token is not valid');
      }
      metrics.authFailures.inc({ reason: 'store' });
      throw error instanceof DomainError
        ? error
        : unavailable('The token cannot be checked right now', error);
    }
  }

  private refuseOtherScope(request: Request, scope: unknown): void {
    const principal = request.user;
    if (principal === undefined) throw new Error('bug: passport let a request in without a user');
    noteRequest(request.raw, { tenant: principal.tenant, user: principal.user });
    if (typeof scope !== 'string' || principal.scopes.includes(scope)) return;
    metrics.authFailures.inc({ reason: 'scope' });
    throw new DomainError('PERMISSION_DENIED', `The token does not have the scope ${scope}`);
  }

  private metadata(key: string, context: ExecutionContext): unknown {
    return this.reflector.getAllAndOverride<unknown>(key, [
      context.getHandler(),
      context.getClass(),
    ]);
  }
}

function unauthenticated(reason: string, message: string): DomainError {
  metrics.authFailures.inc({ reason });
  return new DomainError('UNAUTHENTICATED', message);
}
