import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runScript } from '../../../src/redis/scripts.js';
import { ScriptBench } from '../../support/script-bench.js';

const KEY = 'nj:token:ab';
const LATER = 8_000_000_000_000;

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});
beforeEach(async () => {
  await bench.redis.del(KEY);
});

function end(
  field: 'revoked' | 'expires',
  at: number,
  successor = '',
  seen = '',
): Promise<unknown> {
  return runScript(bench.redis, 'end-token', [KEY], [field, at, 1000, successor, seen]);
}

describe('end-token', () => {
  it('should make no token of one that is not there', async () => {
    expect(await end('revoked', LATER)).toEqual([-1]);
    expect(await bench.redis.exists(KEY)).toBe(0);
  });

  it('should keep the first revocation, however often it is sent', async () => {
    await bench.redis.hset(KEY, 'tenant', 'acme');
    expect(await end('revoked', LATER)).toEqual([1]);
    expect(await end('revoked', LATER + 5)).toEqual([1]);
    expect(await end('expires', 1)).toEqual([1]);
    expect(await bench.redis.hgetall(KEY)).toEqual({ tenant: 'acme', revoked: String(LATER) });
    expect(await bench.redis.pexpiretime(KEY)).toBe(LATER + 1000);
  });

  it('should never move an end to later', async () => {
    await bench.redis.hset(KEY, 'tenant', 'acme', 'expires', LATER);
    expect(await end('expires', LATER + 1)).toEqual([1]);
    expect(await bench.redis.hget(KEY, 'expires')).toBe(String(LATER));
    expect(await end('expires', LATER - 1)).toEqual([1]);
    expect(await bench.redis.hget(KEY, 'expires')).toBe(String(LATER - 1));
  });

  it('should take one successor of two who have seen the same', async () => {
    await bench.redis.hset(KEY, 'tenant', 'acme');
    expect(await end('expires', LATER, 'one')).toEqual([1]);
    expect(await end('expires', LATER - 5, 'two')).toEqual([-2]);
    expect(await end('expires', LATER, 'one')).toEqual([1]);
    expect(await bench.redis.hmget(KEY, 'successor', 'expires')).toEqual(['one', String(LATER)]);
    expect(await end('expires', LATER - 5, 'two', 'one')).toEqual([1]);
    expect(await bench.redis.hmget(KEY, 'successor')).toEqual(['two']);
  });
});
