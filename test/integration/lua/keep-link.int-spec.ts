import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('keep-link', () => {
  it('should keep the newest link with the context, as long as that lives', async () => {
    const ref = newTask();
    const { context } = bench.keysOf(ref);
    await bench.create(ref);
    const life = await bench.redis.pttl(context);
    expect(await bench.twice(ref, () => bench.keepLink(ref))).toEqual([[1], [1]]);
    await bench.keepLink(ref, { link: '{"contextId":"d"}' });
    expect(await bench.redis.hget(context, 'remote:far')).toBe('{"contextId":"d"}');
    const now = await bench.redis.pttl(context);
    expect(now).toBeGreaterThan(0);
    expect(now).toBeLessThanOrEqual(life);
  });

  it('should not bring back a context that has gone', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.redis.del(bench.keysOf(ref).context);
    expect(await bench.keepLink(ref)).toEqual([1]);
    expect(await bench.redis.exists(bench.keysOf(ref).context)).toBe(0);
  });

  it('should refuse a stale epoch, a missing and a settled task', async () => {
    const ref = newTask();
    expect(await bench.keepLink(ref)).toEqual([-1]);
    await bench.create(ref);
    expect(await bench.keepLink(ref, { epoch: 2 })).toEqual([-3]);
    await bench.settle(ref);
    expect(await bench.keepLink(ref)).toEqual([-2, 3]);
    expect(await bench.redis.hget(bench.keysOf(ref).context, 'remote:far')).toBeNull();
  });
});
