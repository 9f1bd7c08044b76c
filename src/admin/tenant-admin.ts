import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { ConfigError } from '../config/config-error.js';
import { ConfigSource } from '../config/config-source.js';
import { redactTenant } from '../config/redact.js';
import { tenantIdFault } from '../config/tenant-id.js';
import { DomainError } from '../domain/errors.js';
import { InvalidParams } from '../protocols/wire/invalid-params.js';
import { RedisChangeStore } from '../store/redis-change.store.js';
import {
  RedisTenantStore,
  type StoredTenant,
  type Suspension,
} from '../store/redis-tenant.store.js';
import { TokenStore } from '../store/token.store.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';

/** So long a deletion waits for the tenant's runs to be canceled. */
const RUNS_MS = 15_000;
const LOOK_MS = 100;

/** A tenant as the admin API shows it. */
export interface ShownTenant {
  readonly id: string;
  /** Where it is from; what is in the YAML file wins and is read-only here. */
  readonly origin: 'file' | 'api';
  readonly state: 'active' | 'suspended' | 'deleting';
  /** Of the stored document; absent for one of the file. */
  readonly version?: number;
  readonly updated?: string;
  /** Of the API as it was given, of the file without its secrets. */
  readonly document: unknown;
  readonly suspension?: ShownSuspension;
  readonly suspendedUsers: readonly (ShownSuspension & { readonly user: string })[];
}

interface ShownSuspension {
  readonly since: string;
  readonly by: string;
  readonly reason: string;
}

/** What of the stored one the caller has seen: its version, nothing (`none`), or did not say. */
export type Seen = number | 'none' | undefined;

/** Tenants of the admin API. Every change is seen by every instance within two seconds. */
@Injectable()
export class TenantAdmin {
  private readonly logger = new Logger(TenantAdmin.name);

  constructor(
    private readonly tenants: RedisTenantStore,
    @Inject(TokenStore) private readonly tokens: TokenStore,
    private readonly changes: RedisChangeStore,
    private readonly directory: TenantDirectory,
    @Optional() private readonly source?: ConfigSource,
  ) {}

  async list(): Promise<ShownTenant[]> {
    const [stored, suspensions] = await Promise.all([
      this.tenants.list(),
      this.tenants.suspensions(),
    ]);
    const file = this.directory.all().filter(({ id }) => this.directory.isOfFile(id));
    const shown = new Map(
      file.map((tenant) => [tenant.id, this.shownOfFile(tenant.id, suspensions)]),
    );
    for (const tenant of stored) {
      if (!shown.has(tenant.id)) shown.set(tenant.id, shownStored(tenant, suspensions));
    }
    return [...shown.values()].sort((a, b) => a.id.localeCompare(b.id));
  }

  /** Also one that was made a moment ago and is not served everywhere yet. */
  async exists(id: string): Promise<boolean> {
    return this.directory.isOfFile(id) || (await this.tenants.get(id)) !== undefined;
  }

  /** @throws DomainError NOT_FOUND. */
  async get(id: string): Promise<ShownTenant> {
    const suspensions = await this.tenants.suspensions();
    if (this.directory.isOfFile(id)) return this.shownOfFile(id, suspensions);
    const stored = await this.tenants.get(id);
    if (stored === undefined) throw new DomainError('NOT_FOUND', 'There is no such tenant');
    return shownStored(stored, suspensions);
  }

  /**
   * Makes or replaces a tenant.
   * @throws DomainError INVALID_PARAMS (every fault of the document), FAILED_PRECONDITION (it is in
   * the YAML file, is being deleted, or exists and the caller did not say what it has seen),
   * ETAG_MISMATCH, ALREADY_EXISTS.
   */
  async put(
    id: string,
    document: Readonly<Record<string, unknown>>,
    seen: Seen,
  ): Promise<ShownTenant> {
    this.refuseFile(id);
    const fault = tenantIdFault(id);
    if (fault !== undefined) throw new InvalidParams([{ field: 'id', description: fault }]);
    this.checkDocument(id, document);
    const stored = await this.tenants.get(id);
    if (stored?.state === 'deleting') throw beingDeleted();
    if (seen === undefined && stored !== undefined) {
      throw new DomainError(
        'FAILED_PRECONDITION',
        'The tenant exists: send its ETag as If-Match to replace it',
      );
    }
    const version = typeof seen === 'number' ? seen : 0;
    const put = await this.tenants.put(id, version, document);
    if ('has' in put) throw otherVersion(put.has, seen);
    return shownStored(put, await this.tenants.suspensions());
  }

  /** @throws DomainError NOT_FOUND for a tenant that nobody knows. */
  async suspend(
    tenant: string,
    user: string | undefined,
    by: string,
    reason: string,
  ): Promise<void> {
    await this.get(tenant);
    const suspension = { tenant, since: Date.now(), by, reason };
    await this.tenants.suspend(user === undefined ? suspension : { ...suspension, user });
  }

  /** @throws DomainError NOT_FOUND for a tenant that nobody knows. */
  async resume(tenant: string, user: string | undefined): Promise<void> {
    await this.get(tenant);
    await this.tenants.resume(tenant, user);
  }

  /**
   * Deletes a tenant with everything of it: its calls are refused, its runs canceled, its tokens
   * revoked, its keys removed until none is found. One that broke off is taken up by asking again.
   * @returns how many keys were removed.
   * @throws DomainError NOT_FOUND, FAILED_PRECONDITION (it is in the YAML file), ETAG_MISMATCH,
   * UNAVAILABLE (ask again).
   */
  async remove(id: string, seen: Seen): Promise<{ readonly removedKeys: number }> {
    this.refuseFile(id);
    const stored = await this.tenants.get(id);
    if (stored === undefined) throw new DomainError('NOT_FOUND', 'There is no such tenant');
    if (typeof seen === 'number' && seen !== stored.version) {
      throw otherVersion(stored.version, seen);
    }
    if (stored.state !== 'deleting') {
      const put = await this.tenants.put(id, stored.version, stored.document, 'deleting');
      if ('has' in put) throw otherVersion(put.has, seen);
    }
    await this.tokens.purge(id);
    await this.changes.raise('tokens');
    await this.runsAreOver(id);
    const removedKeys = await this.tenants.purge(id);
    this.logger.log({ msg: 'a tenant was deleted', tenant: id, removedKeys });
    return { removedKeys };
  }

  /** Runs that do not end are fenced by what follows: their task is gone. */
  private async runsAreOver(id: string): Promise<void> {
    const until = performance.now() + RUNS_MS;
    while ((await this.tenants.unfinished(id)).length > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  private checkDocument(id: string, document: Readonly<Record<string, unknown>>): void {
    if ('id' in document && document['id'] !== id) {
      throw new InvalidParams([{ field: 'id', description: 'must be the one of the path' }]);
    }
    try {
      this.source?.tenant(id, document);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new InvalidParams(
        error.faults.map((fault) => {
          const colon = fault.indexOf(': ');
          return { field: fault.slice(0, colon), description: fault.slice(colon + 2) };
        }),
      );
    }
  }

  private refuseFile(id: string): void {
    if (!this.directory.isOfFile(id)) return;
    throw new DomainError(
      'FAILED_PRECONDITION',
      'This tenant is in the YAML file, which wins; change it there',
    );
  }

  private shownOfFile(id: string, suspensions: readonly Suspension[]): ShownTenant {
    const document = redactTenant(this.directory.get(id));
    return { id, origin: 'file', ...standing(id, 'active', suspensions), document };
  }
}

function shownStored(tenant: StoredTenant, suspensions: readonly Suspension[]): ShownTenant {
  const { id, state, version, updated, document } = tenant;
  return {
    id,
    origin: 'api',
    ...standing(id, state, suspensions),
    version,
    updated: new Date(updated).toISOString(),
    document,
  };
}

function standing(
  id: string,
  state: StoredTenant['state'],
  suspensions: readonly Suspension[],
): Pick<ShownTenant, 'state' | 'suspension' | 'suspendedUsers'> {
  const own = suspensions.filter(({ tenant }) => tenant === id);
  const whole = own.find(({ user }) => user === undefined);
  return {
    state: state === 'deleting' ? state : whole === undefined ? 'active' : 'suspended',
    ...(whole === undefined ? {} : { suspension: shownSuspension(whole) }),
    suspendedUsers: own.flatMap((one) =>
      one.user === undefined ? [] : [{ user: one.user, ...shownSuspension(one) }],
    ),
  };
}

function shownSuspension({ since, by, reason }: Suspension): ShownSuspension {
  return { since: new Date(since).toISOString(), by, reason };
}

function otherVersion(has: number, seen: Seen): DomainError {
  if (seen === 'none' || seen === undefined) {
    return new DomainError('ALREADY_EXISTS', 'The tenant exists already');
  }
  return new DomainError(
    'ETAG_MISMATCH',
    has === 0 ? 'The tenant is gone' : 'The tenant was changed in between; get it again',
  );
}

function beingDeleted(): DomainError {
  return new DomainError('FAILED_PRECONDITION', 'The tenant is being deleted');
}
