import type { Keys } from '../redis/keys.js';
import { mastersOf, type RedisClient } from '../redis/open-redis.js';
import { asList, runScript } from '../redis/scripts.js';
import type { Succession, TokenEnd, TokenRecord, TokenStore } from './token.store.js';

/** How long a token that no longer works is still listed. */
const KEPT_MS = 30 * 24 * 3600 * 1000;
/** Between two notes that a token was used. */
export const TOUCH_MS = 60_000;
const FIELDS = [
  'tenant',
  'user',
  'label',
  'scopes',
  'created',
  'expires',
  'revoked',
  'addresses',
  'used',
  'replaces',
  'successor',
  'line',
] as const;
/** Bounds the keys that one SCAN call looks at. */
const SCAN_COUNT = 500;
/** Tokens read in one round trip. */
const BATCH = 200;

/**
 * Tokens in Redis: a hash each under its SHA-256, and a set of hashes a tenant. The set is only for
 * listing: it is written first and repaired by `list`, so a crash between the two loses nothing.
 * Wants a connection that went through `defineScripts`.
 */
export class RedisTokenStore implements TokenStore {
  constructor(
    private readonly redis: RedisClient,
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
      ...(record.addresses === undefined ? {} : { addresses: record.addresses.join(' ') }),
      ...(record.replaces === undefined ? {} : { replaces: record.replaces }),
      ...(record.line === undefined ? {} : { line: record.line }),
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
      const hashes = await this.redis.smembers(set);
      for (let at = 0; at < hashes.length; at += BATCH) {
        const some = hashes.slice(at, at + BATCH);
        const found = await this.findMany(some);
        records.push(...found.filter((record) => record !== undefined));
        const gone = some.filter((_hash, index) => found[index] === undefined);
        if (gone.length > 0) await this.redis.srem(set, ...gone);
      }
    }
    return records.sort((a, b) => b.created - a.created || a.sha256.localeCompare(b.sha256));
  }

  async end(sha256: string, how: TokenEnd, at: number, succession?: Succession): Promise<boolean> {
    const { successor = '', seen = '' } = succession ?? {};
    const reply = await runScript(
      this.redis,
      'end-token',
      [this.keys.token(sha256)],
      [how, at, KEPT_MS, successor, seen],
    );
    return asList(reply)[0] === 1;
  }

  async touch(sha256: string, at: number): Promise<void> {
    await runScript(this.redis, 'touch-token', [this.keys.token(sha256)], [at, TOUCH_MS]);
  }

  async purge(tenant: string): Promise<void> {
    const set = this.keys.tokensOf(tenant);
    for (const sha256 of await this.redis.smembers(set)) {
      await this.redis.unlink(this.keys.token(sha256));
    }
    await this.redis.unlink(set);
  }

  private async findMany(hashes: readonly string[]): Promise<(TokenRecord | undefined)[]> {
    return Promise.all(hashes.map((sha256) => this.find(sha256)));
  }

  private async sets(): Promise<string[]> {
    const pattern = `${this.keys.tokensOf('').replace(/[\\*?[\]]/g, '\\$&')}*`;
    const found = new Set<string>();
    for (const master of mastersOf(this.redis)) {
      let cursor = '0';
      do {
        const [next, keys] = await master.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
        keys.forEach((key) => found.add(key));
        cursor = next;
      } while (cursor !== '0');
    }
    return [...found];
  }
}

/** A hash without a tenant is what a lost race leaves behind: no token. */
function recordOf(sha256: string, values: readonly (string | null)[]): TokenRecord | undefined {
  const texts = values.map((value) => value ?? undefined);
  const [tenant, user, label, scopes, created, expires, revoked, addresses, used] = texts;
  const [replaces, successor, line] = texts.slice(FIELDS.indexOf('replaces'));
  if (tenant === undefined || user === undefined) return undefined;
  return {
    sha256,
    tenant,
    user,
    label: label ?? '',
    scopes: words(scopes),
    created: Number(created ?? 0),
    ...(expires === undefined ? {} : { expires: Number(expires) }),
    ...(revoked === undefined ? {} : { revoked: Number(revoked) }),
    ...(addresses === undefined ? {} : { addresses: words(addresses) }),
    ...(used === undefined ? {} : { lastUsed: Number(used) }),
    ...(replaces === undefined ? {} : { replaces }),
    ...(successor === undefined ? {} : { successor }),
    ...(line === undefined ? {} : { line }),
  };
}

function words(text = ''): string[] {
  return text.split(' ').filter((word) => word !== '');
}
