import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generateToken, hashToken } from '../../src/config/token-secret.js';
import { Keys } from '../../src/redis/keys.js';
import { defineScripts } from '../../src/redis/scripts.js';
import { RedisTokenStore } from '../../src/store/redis-token.store.js';
import type { TokenRecord } from '../../src/store/token.store.js';
import { RedisServer } from '../support/redis-server.js';

const DAY_MS = 24 * 3600 * 1000;

function record(overrides: Partial<TokenRecord> = {}): TokenRecord {
  return {
    sha256: hashToken(generateToken()),
    tenant: 'acme',
    user: 'ann',
    label: 'laptop',
    scopes: ['a2a', 'mcp'],
    created: 1_000,
    ...overrides,
  };
}

describe('RedisTokenStore', () => {
  let server: RedisServer;
  let redis: Redis;
  const keys = new Keys('t*[x]:');
  let store: RedisTokenStore;

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = new Redis(server.url);
    defineScripts(redis);
    store = new RedisTokenStore(redis, keys);
  });
  beforeEach(async () => {
    await redis.flushall();
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('should give back what was stored, and nothing for another hash', async () => {
    const plain = record();
    const expiring = record({ expires: Date.now() + DAY_MS, scopes: ['mcp'], label: '' });
    await store.create(plain);
    await store.create(expiring);
    expect(await store.find(plain.sha256)).toEqual(plain);
    expect(await store.find(expiring.sha256)).toEqual(expiring);
    expect(await store.find(hashToken('x'))).toBeUndefined();
    expect(await store.count('acme')).toBe(2);
    expect(await store.count('other')).toBe(0);
  });

  it('should list newest first, of one tenant or of all', async () => {
    const old = record({ created: 1 });
    const young = record({ created: 2 });
    const other = record({ tenant: 'other:1', created: 3 });
    for (const one of [old, young, other]) await store.create(one);
    expect(await store.list('acme')).toEqual([young, old]);
    expect(await store.list()).toEqual([other, young, old]);
    expect(await store.list('none')).toEqual([]);
  });

  it('should keep a revoked token for the list, with the time of the first revocation', async () => {
    const one = record();
    await store.create(one);
    const now = Date.now();
    expect(await store.end(one.sha256, 'revoked', now)).toBe(true);
    expect(await store.end(one.sha256, 'revoked', now + 5)).toBe(true);
    expect(await store.find(one.sha256)).toEqual({ ...one, revoked: now });
    expect(await store.end(hashToken('x'), 'revoked', 5)).toBe(false);
    expect(await redis.exists(keys.token(hashToken('x')))).toBe(0);
  });

  it('should not keep for ever what no longer works', async () => {
    const expiring = record({ expires: Date.now() + DAY_MS });
    const revoked = record();
    const plain = record();
    for (const one of [expiring, revoked, plain]) await store.create(one);
    await store.end(revoked.sha256, 'revoked', Date.now());
    const ttl = (one: TokenRecord): Promise<number> => redis.pttl(keys.token(one.sha256));
    expect(await ttl(expiring)).toBeGreaterThan(30 * DAY_MS);
    expect(await ttl(expiring)).toBeLessThanOrEqual(31 * DAY_MS);
    expect(await ttl(revoked)).toBeGreaterThan(29 * DAY_MS);
    expect(await ttl(plain)).toBe(-1);
  });

  it('should end a token at a time, but never later than it would have ended', async () => {
    const one = record({ expires: 9_000_000_000_000 });
    await store.create(one);
    expect(await store.end(one.sha256, 'expires', 8_000_000_000_000)).toBe(true);
    expect(await store.end(one.sha256, 'expires', 9_000_000_000_000)).toBe(true);
    expect((await store.find(one.sha256))?.expires).toBe(8_000_000_000_000);
  });

  it('should keep where a token may be used, what it replaces and when it was used', async () => {
    const one = record({ addresses: ['10.0.0.0/8', '::1'], replaces: hashToken('before') });
    await store.create(one);
    await store.touch(one.sha256, 100_000);
    await store.touch(one.sha256, 159_999);
    expect(await store.find(one.sha256)).toEqual({ ...one, lastUsed: 100_000 });
    await store.touch(one.sha256, 160_000);
    expect((await store.find(one.sha256))?.lastUsed).toBe(160_000);
  });

  it('should leave no token of a purged tenant, and every other', async () => {
    const [mine, other] = [record(), record({ tenant: 'globex' })];
    await store.create(mine);
    await store.create(other);
    await store.purge('acme');
    expect(await store.list()).toEqual([other]);
    expect(await redis.keys('*')).toHaveLength(2);
  });

  it('should forget in the list what Redis has forgotten', async () => {
    const one = record();
    await store.create(one);
    await redis.del(keys.token(one.sha256));
    expect(await store.list('acme')).toEqual([]);
    expect(await store.count('acme')).toBe(0);
  });
});
