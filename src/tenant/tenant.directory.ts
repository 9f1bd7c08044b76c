import { Inject, Injectable } from '@nestjs/common';
import {
  GATEWAY_CONFIG,
  type GatewayConfig,
  type TenantConfig,
  type TenantLimits,
} from '../config/config.types.js';
import { DomainError } from '../domain/errors.js';

/** The tenants of the configuration, by id. */
@Injectable()
export class TenantDirectory {
  private readonly tenants: ReadonlyMap<string, TenantConfig>;

  constructor(@Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    this.tenants = new Map(config.tenants.map((tenant) => [tenant.id, tenant]));
  }

  has(tenant: string): boolean {
    return this.tenants.has(tenant);
  }

  /** @throws DomainError PERMISSION_DENIED when the tenant is not configured (any more). */
  get(tenant: string): TenantConfig {
    const found = this.tenants.get(tenant);
    if (found === undefined) {
      throw new DomainError('PERMISSION_DENIED', 'The tenant of this token is not active here');
    }
    return found;
  }

  /** @throws DomainError PERMISSION_DENIED when the tenant is not configured (any more). */
  limitsOf(tenant: string): TenantLimits {
    return this.get(tenant).limits;
  }
}
