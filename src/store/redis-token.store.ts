import type { Redis } from 'ioredis';
import type { Keys } from '../redis/keys.js';
import type { TokenRecord, TokenStore } from './token.store.js';

/** How long a token that no longer works is still listed. */
const KEPT_MS = 30 * 24 * 3600 * 1000;
const FIELDS = ['tenant', 'user', 'label', 'scopes', 'created', 'expires', 'revoked'] as const;
/** Bounds the keys that one SCAN call looks at. */
const SCAN_COUNT = 500;

/**
 * Tokens in Redis: a hash each under its SHA-256, and a set of hashes a tenant. The set is only for
 * listing: it is written first and repaired by `list`, so a crash between the two loses nothing.
 */
export class RedisTokenStore implements TokenStore {
  constructor(
    private readonly redis: Redis,
    private readonly keys: Keys,
  ) {}

  async find(sha256: string): Promise<TokenRecord | undefined> {
    const values = await this.redis.hmget(this.keys.token(sha256), ...FIELDS);
    return recordOf(sha256, values);
  }

  async create(record: TokenRecord): Promise<void> {
    const key = this.keys.token(record.sha256);
    await this.redis.sadd(this.keys.tokensOf(record.tenant), record.sha256);
    await this.redis.hset(key, {
      tenant: record.tenant,
      user: record.user,
      label: record.label,
      scopes: record.scopes.join(' '),
      created: record.created,
      ...(record.expires === undefined ? {} : { expires: record.expires }),
    });
    if (record.expires !== undefined) await this.redis.pexpireat(key, record.expires + KEPT_MS);
  }

  async count(tenant: string): Promise<number> {
    return this.redis.scard(this.keys.tokensOf(tenant));
  }

  async list(tenant?: string): Promise<TokenRecord[]> {
    const sets = tenant === undefined ? await this.sets() : [this.keys.tokensOf(tenant)];
    const records: TokenRecord[] = [];
    for (const set of sets) {
      for (const sha256 of await this.redis.smembers(set)) {
        const record = await this.find(sha256);
        if (record === undefined) await this.redis.srem(set, sha256);
        else records.push(record);
      }
    }
    return records.sort((a, b) => b.created - a.created || a.sha256.localeCompare(b.sha256));
  }

  async revoke(sha256: string, at: number): Promise<boolean> {
    const record = await this.find(sha256);
    if (record === undefined) return false;
    if (record.revoked !== undefined) return true;
    const key = this.keys.token(sha256);
    await this.redis.hset(key, 'revoked', at);
    await this.redis.pexpire(key, KEPT_MS);
    return true;
  }

  private async sets(): Promise<string[]> {
    const pattern = `${this.keys.tokensOf('').replace(/[\\*?[\]]/g, '\\$&')}*`;
    const found = new Set<string>();
    let cursor = '0';
    do {
      const [next, keys] = await this.redis.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
      keys.forEach((key) => found.add(key));
      cursor = next;
    } while (cursor !== '0');
    return [...found];
  }
}

/** A hash without a tenant is what a lost race leaves behind: no token. */
function recordOf(sha256: string, values: readonly (string | null)[]): TokenRecord | undefined {
  const [tenant, user, label, scopes, created, expires, revoked] = values.map(
    (value) => value ?? undefined,
  );
  if (tenant === undefined || user === undefined) return undefined;
  return {
    sha256,
    tenant,
    user,
    label: label ?? '',
    scopes: (scopes ?? '').split(' ').filter((scope) => scope !== ''),
    created: Number(created ?? 0),
    ...(expires === undefined ? {} : { expires: Number(expires) }),
    ...(revoked === undefined ? {} : { revoked: Number(revoked) }),
  };
}
