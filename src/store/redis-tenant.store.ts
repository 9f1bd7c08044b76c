import { randomUUID } from 'node:crypto';
import type { Keys } from '../redis/keys.js';
import { mastersOf, type RedisClient } from '../redis/open-redis.js';
import { asList, runScript } from '../redis/scripts.js';

/** A tenant of the admin API as it is stored. Times in ms since the epoch. */
export interface StoredTenant {
  readonly id: string;
  /** Counts its changes. */
  readonly version: number;
  /** Tells it from an earlier tenant of the same id. */
  readonly generation: number;
  readonly state: 'active' | 'deleting';
  readonly updated: number;
  /** As it was given, without the id: references to secrets are still references. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** A tenant, or one user of it, whom nothing is done for. */
export interface Suspension {
  readonly tenant: string;
  /** Absent: the whole tenant. */
  readonly user?: string;
  readonly since: number;
  readonly by: string;
  readonly reason: string;
}

/** Keys that one SCAN looks at, and that one UNLINK takes. */
const SCAN_COUNT = 500;
const UNLINK_COUNT = 100;
/** Passes over the key space until one finds nothing. */
const MOST_PASSES = 20;

/**
 * Tenants of the admin API and suspensions. What instances act on is in the administration's own
 * slot; what scripts check is in the tenant's `meta`, written first. Wants a connection that went
 * through `defineScripts`.
 */
export class RedisTenantStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly keys: Keys,
  ) {}

  async list(): Promise<StoredTenant[]> {
    const all = await this.redis.hgetall(this.keys.tenants());
    return Object.entries(all)
      .map(([id, text]) => parse(id, text))
      .sort((a, b) => a.id.localeCompare(b.id));
  }

  async get(id: string): Promise<StoredTenant | undefined> {
    const text = await this.redis.hget(this.keys.tenants(), id);
    return text === null ? undefined : parse(id, text);
  }

  /**
   * @param expected the version that it has now; 0 for a new one.
   * @returns the stored one, or the version that it has instead.
   */
  async put(
    id: string,
    expected: number,
    document: Readonly<Record<string, unknown>>,
    state: StoredTenant['state'] = 'active',
  ): Promise<StoredTenant | { readonly has: number }> {
    const updated = Date.now();
    const args = [id, expected, state, randomUUID(), updated, JSON.stringify(document)];
    const keys = [this.keys.tenants(), this.keys.changes()];
    const [code, version, generation] = asList(
      await runScript(this.redis, 'put-tenant', keys, args),
    ).map(Number);
    if (code !== 1) return { has: version ?? 0 };
    const meta = this.keys.meta(id);
    await this.redis.hset(meta, 'generation', generation ?? 0);
    if (state === 'deleting') await this.redis.hset(meta, 'state', 'deleted');
    return { id, version: version ?? 0, generation: generation ?? 0, state, updated, document };
  }

  async suspensions(): Promise<Suspension[]> {
    const all = await this.redis.hgetall(this.keys.suspended());
    return Object.values(all).map((text) => JSON.parse(text) as Suspension);
  }

  async suspend(suspension: Suspension): Promise<void> {
    const { tenant, user } = suspension;
    await this.redis.hset(this.keys.meta(tenant), metaField(user), 'suspended');
    await this.redis
      .multi()
      .hset(this.keys.suspended(), nameOf(tenant, user), JSON.stringify(suspension))
      .hincrby(this.keys.changes(), 'tenants', 1)
      .exec();
  }

  async resume(tenant: string, user?: string): Promise<void> {
    await this.redis.hdel(this.keys.meta(tenant), metaField(user));
    await this.redis
      .multi()
      .hdel(this.keys.suspended(), nameOf(tenant, user))
      .hincrby(this.keys.changes(), 'tenants', 1)
      .exec();
  }

  /** How many tasks of a tenant, or of one of its users, run or wait, parked ones included. */
  async unfinished(tenant: string, user?: string): Promise<string[]> {
    const keys =
      user === undefined
        ? [this.keys.active(tenant), this.keys.parked(tenant)]
        : [this.keys.userActive(tenant, user), this.keys.userParked(tenant, user)];
    const lists = await Promise.all(keys.map((key) => this.redis.zrevrange(key, 0, -1)));
    return lists.flat();
  }

  /**
   * Unlinks every key of a tenant but its meta, in small steps, until a pass over the key space finds
   * none; then the meta, and last the tenant itself.
   * @returns how many keys there were.
   * @throws Error when keys keep coming back.
   */
  async purge(id: string): Promise<number> {
    const meta = this.keys.meta(id);
    let removed = 0;
    for (let pass = 0; ; pass += 1) {
      const found = await this.unlinkAll(this.keys.everyOf(id), meta);
      removed += found;
      if (found === 0) break;
      if (pass === MOST_PASSES) throw new Error(`keys of the tenant ${id} keep coming back`);
    }
    removed += await this.redis.unlink(meta);
    const suspended = await this.suspensions();
    const names = suspended
      .filter(({ tenant }) => tenant === id)
      .map(({ user }) => nameOf(id, user));
    if (names.length > 0) await this.redis.hdel(this.keys.suspended(), ...names);
    await this.redis
      .multi()
      .hdel(this.keys.tenants(), id)
      .hincrby(this.keys.changes(), 'tenants', 1)
      .exec();
    return removed;
  }

  private async unlinkAll(pattern: string, but: string): Promise<number> {
    let count = 0;
    // One of them has the tenant's slot; which, a Cluster may change in between.
    for (const master of mastersOf(this.redis)) {
      let cursor = '0';
      do {
        const [next, keys] = await master.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
        const found = keys.filter((key) => key !== but);
        for (let at = 0; at < found.length; at += UNLINK_COUNT) {
          count += await this.redis.unlink(...found.slice(at, at + UNLINK_COUNT));
        }
        cursor = next;
      } while (cursor !== '0');
    }
    return count;
  }
}

function metaField(user: string | undefined): string {
  return user === undefined ? 'state' : `user:${user}`;
}

/** Tenant ids hold no slash. */
function nameOf(tenant: string, user: string | undefined): string {
  return user === undefined ? tenant : `${tenant}/${user}`;
}

function parse(id: string, text: string): StoredTenant {
  const end = text.indexOf('\n');
  const [version, generation, state, , updated] = text.slice(0, end).split(' ');
  return {
    id,
    version: Number(version),
    generation: Number(generation),
    state: state === 'deleting' ? 'deleting' : 'active',
    updated: Number(updated),
    document: JSON.parse(text.slice(end + 1)) as Record<string, unknown>,
  };
}
