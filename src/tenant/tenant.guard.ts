import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ADMIN_SCOPE, type AuthenticatedRequest, type Principal } from '../auth/principal.js';
import { REQUIRED_SCOPE } from '../auth/require-scope.decorator.js';
import { DomainError } from '../domain/errors.js';
import { metrics } from '../metrics/metrics.js';
import { TenantDirectory } from './tenant.directory.js';

/**
 * Refuses a valid token whose tenant this gateway does not serve (any more), or whose tenant or user
 * is suspended. An admin has no tenant, and so no other route than the admin API's. Stands behind
 * TokenGuard; a public route has no caller and passes.
 * @throws DomainError PERMISSION_DENIED.
 */
@Injectable()
export class TenantGuard implements CanActivate {
  constructor(
    private readonly directory: TenantDirectory,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    try {
      if (request.user !== undefined) this.check(request.user, context);
    } catch (error) {
      if (error instanceof DomainError && request.user !== undefined) {
        const known = this.directory.has(request.user.tenant);
        metrics.authFailures.inc({ reason: known ? 'suspended' : 'tenant' });
      }
      throw error;
    }
    return true;
  }

  private check({ tenant, user, scopes }: Principal, context: ExecutionContext): void {
    const asked = this.reflector.getAllAndOverride<readonly string[] | undefined>(REQUIRED_SCOPE, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (asked?.includes(ADMIN_SCOPE) === true && scopes.includes(ADMIN_SCOPE)) return;
    this.directory.check(tenant, user);
  }
}
