import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig, type TenantConfig } from '../config/config.types.js';
import type { TenantLimits } from '../config/limits.js';
import { DomainError } from '../domain/errors.js';
import type { Suspension } from '../store/redis-tenant.store.js';

/** A tenant of the admin API, as this instance understands it. */
export interface ServedTenant {
  readonly config: TenantConfig;
  readonly generation: number;
  /** It is being deleted: nothing new is done for it. */
  readonly deleting: boolean;
}

/**
 * The tenants that this instance serves, as of now: those of the YAML file, which win, and those of
 * the admin API. Who keeps something a tenant listens for changes.
 */
@Injectable()
export class TenantDirectory {
  private file: ReadonlyMap<string, TenantConfig>;
  private stored: ReadonlyMap<string, ServedTenant> = new Map();
  private suspended: ReadonlyMap<string, Suspension> = new Map();
  private served: ReadonlyMap<string, TenantConfig>;
  /** No longer served, but their last runs are still to be ended by their limits. */
  private readonly retired = new Map<string, TenantConfig>();
  private readonly listeners: (() => void)[] = [];

  constructor(@Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    this.file = byId(config.tenants);
    this.served = this.file;
  }

  /** Takes the YAML file's tenants in place of the former ones. */
  useFile(tenants: readonly TenantConfig[]): void {
    this.file = byId(tenants);
    this.refresh();
  }

  /** Takes the admin API's tenants and all suspensions in place of the former ones. */
  useStored(tenants: readonly ServedTenant[], suspensions: readonly Suspension[]): void {
    this.stored = new Map(tenants.map((tenant) => [tenant.config.id, tenant]));
    this.suspended = new Map(suspensions.map((one) => [nameOf(one.tenant, one.user), one]));
    this.refresh();
  }

  /** Called at once after every change; what it reads here is the new state. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Every tenant that is served; YAML's first. */
  all(): readonly TenantConfig[] {
    return [...this.served.values()];
  }

  has(tenant: string): boolean {
    return this.served.has(tenant);
  }

  isOfFile(tenant: string): boolean {
    return this.file.has(tenant);
  }

  /** @throws DomainError PERMISSION_DENIED when the tenant is not configured (any more). */
  get(tenant: string): TenantConfig {
    const found = this.served.get(tenant) ?? this.retired.get(tenant);
    if (found === undefined) throw inactive();
    return found;
  }

  /** @throws DomainError PERMISSION_DENIED when the tenant is not configured (any more). */
  limitsOf(tenant: string): TenantLimits {
    return this.get(tenant).limits;
  }

  /** Of the stored tenant of this id; 0 for one that only the YAML file knows. */
  generationOf(tenant: string): number {
    return this.stored.get(tenant)?.generation ?? 0;
  }

  /** Whether runs of this user may go on. */
  stands(tenant: string, user: string): boolean {
    return (
      !this.suspended.has(tenant) &&
      !this.suspended.has(nameOf(tenant, user)) &&
      this.stored.get(tenant)?.deleting !== true
    );
  }

  /** @throws DomainError PERMISSION_DENIED unless this user's calls are served. */
  check(tenant: string, user: string): void {
    if (!this.served.has(tenant)) throw inactive();
    if (this.stands(tenant, user)) return;
    const whole = this.suspended.has(tenant) || this.stored.get(tenant)?.deleting === true;
    throw new DomainError(
      'PERMISSION_DENIED',
      whole ? 'This tenant is suspended' : 'This user is suspended',
    );
  }

  /** Everyone for whom nothing may run: suspended, or of a tenant that is being deleted. */
  stopped(): readonly { readonly tenant: string; readonly user?: string }[] {
    const deleting = [...this.stored.values()]
      .filter((tenant) => tenant.deleting)
      .map(({ config }) => ({ tenant: config.id }));
    return [...this.suspended.values(), ...deleting];
  }

  private refresh(): void {
    const before = this.served;
    const served = new Map(this.file);
    for (const [id, { config }] of this.stored) if (!served.has(id)) served.set(id, config);
    this.served = served;
    for (const [id, config] of before) if (!served.has(id)) this.retired.set(id, config);
    for (const listener of this.listeners) listener();
  }
}

function byId(tenants: readonly TenantConfig[]): Map<string, TenantConfig> {
  return new Map(tenants.map((tenant) => [tenant.id, tenant]));
}

/** Tenant ids hold no slash. */
function nameOf(tenant: string, user: string | undefined): string {
  return user === undefined ? tenant : `${tenant}/${user}`;
}

function inactive(): DomainError {
  return new DomainError('PERMISSION_DENIED', 'The tenant of this token is not active here');
}
