import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runScript } from '../../../src/redis/scripts.js';
import { ScriptBench } from '../../support/script-bench.js';

const META = 'nj:{t}:meta';
const DAY = 'nj:{t}:usage:2026-11-30';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});
beforeEach(async () => {
  await bench.redis.del(META, DAY);
});

function add(generation: number, ...counts: (string | number)[]): Promise<unknown> {
  return runScript(bench.redis, 'add-usage', [META, DAY], [generation, 60_000, ...counts]);
}

describe('add-usage', () => {
  it('should add up, for a bounded time', async () => {
    expect(await add(0, 'tasks:ann', 1, 'toolCalls:ann', 3)).toEqual([1]);
    expect(await add(0, 'tasks:ann', 1)).toEqual([1]);
    expect(await bench.redis.hgetall(DAY)).toEqual({ 'tasks:ann': '2', 'toolCalls:ann': '3' });
    expect(await bench.redis.pttl(DAY)).toBeGreaterThan(0);
  });

  it.each([
    ['is being deleted', ['state', 'deleted', 'generation', '4'], 4],
    ['is gone', [], 4],
    ['is another one', ['generation', '5'], 4],
  ])('should add nothing to a tenant that %s', async (_what, meta, generation) => {
    if (meta.length > 0) await bench.redis.hset(META, ...meta);
    expect(await add(generation, 'tasks:ann', 1)).toEqual([-9]);
    expect(await bench.redis.exists(DAY)).toBe(0);
  });
});
