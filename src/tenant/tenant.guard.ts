import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AuthenticatedRequest } from '../auth/principal.js';
import { DomainError } from '../domain/errors.js';
import { metrics } from '../metrics/metrics.js';
import { TenantDirectory } from './tenant.directory.js';

/**
 * Refuses a valid token whose tenant this gateway does not serve (any more). Stands behind
 * TokenGuard; a public route has no caller and passes.
 * @throws DomainError PERMISSION_DENIED.
 */
@Injectable()
export class TenantGuard implements CanActivate {
  constructor(private readonly directory: TenantDirectory) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    try {
      if (request.user !== undefined) this.directory.get(request.user.tenant);
    } catch (error) {
      if (error instanceof DomainError) metrics.authFailures.inc({ reason: 'tenant' });
      throw error;
    }
    return true;
  }
}
