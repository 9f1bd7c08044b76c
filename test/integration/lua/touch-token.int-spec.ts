import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runScript } from '../../../src/redis/scripts.js';
import { ScriptBench } from '../../support/script-bench.js';

const KEY = 'nj:token:ab';

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

function touch(at: number): Promise<unknown> {
  return runScript(bench.redis, 'touch-token', [KEY], [at, 60_000]);
}

describe('touch-token', () => {
  it('should write once in its pause, whoever asks', async () => {
    await bench.redis.hset(KEY, 'tenant', 'acme');
    expect(await touch(100_000)).toEqual([1]);
    expect(await touch(100_000)).toEqual([0]);
    expect(await touch(159_999)).toEqual([0]);
    expect(await touch(160_000)).toEqual([1]);
    expect(await bench.redis.hget(KEY, 'used')).toBe('160000');
  });

  it('should not bring back a token that is gone', async () => {
    expect(await touch(100_000)).toEqual([0]);
    expect(await bench.redis.exists(KEY)).toBe(0);
  });
});
