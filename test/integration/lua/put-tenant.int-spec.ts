import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runScript } from '../../../src/redis/scripts.js';
import { ScriptBench } from '../../support/script-bench.js';

const KEYS = ['nj:{admin}:tenants', 'nj:{admin}:changes'];

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});
beforeEach(async () => {
  await bench.redis.del(KEYS);
});

function put(id: string, version: number, nonce: string, document = '{}'): Promise<unknown> {
  return runScript(bench.redis, 'put-tenant', KEYS, [id, version, 'active', nonce, 7, document]);
}

describe('put-tenant', () => {
  it('should take only the version that was seen, and say which it is', async () => {
    expect(await put('acme', 0, 'a')).toEqual([1, 1, 1]);
    expect(await put('acme', 0, 'b')).toEqual([-23, 1]);
    expect(await put('acme', 1, 'c', '{"a":\n1}')).toEqual([1, 2, 1]);
    expect(await bench.redis.hget(KEYS[0]!, 'acme')).toBe('2 1 active c 7\n{"a":\n1}');
    expect(await put('other', 3, 'd')).toEqual([-23, 0]);
    expect(await bench.redis.hget(KEYS[1]!, 'tenants')).toBe('2');
  });

  it('should store once what is sent twice', async () => {
    expect(await put('acme', 0, 'a')).toEqual([1, 1, 1]);
    expect(await put('acme', 0, 'a')).toEqual([1, 1, 1]);
    expect(await bench.redis.hget(KEYS[1]!, 'tenants')).toBe('1');
  });

  it('should never give a generation twice, not even to the same id', async () => {
    expect(await put('acme', 0, 'a')).toEqual([1, 1, 1]);
    await bench.redis.hdel(KEYS[0]!, 'acme');
    expect(await put('acme', 0, 'b')).toEqual([1, 1, 2]);
  });
});
