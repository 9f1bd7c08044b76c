import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('mark-cancel', () => {
  it('should mark for good and keep the first mark', async () => {
    const ref = newTask();
    await bench.create(ref);
    const [first, second] = await bench.twice(ref, () => bench.markCancel(ref));
    expect(first).toEqual([1, 1, 'i1', 1]);
    expect(second).toEqual(first);
    expect(await bench.markCancel(ref, 'u1', 'another')).toEqual(first);
    expect(await bench.redis.hget(bench.keysOf(ref).task, 'cancel')).toBe('by user');
  });

  it('should answer another user’s task exactly like a missing one', async () => {
    const ref = newTask();
    await bench.create(ref);
    const before = await bench.dump();
    expect(await bench.markCancel(ref, 'u2')).toEqual([-1]);
    expect(await bench.markCancel(newTask())).toEqual([-1]);
    expect(await bench.dump()).toEqual(before);
  });

  it('should take a parked task and refuse one that has ended', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.settle(ref, { state: 6 });
    expect(await bench.markCancel(ref)).toEqual([1, 6, '', 1]);
    await bench.takeOver(ref, { why: 'end' });
    await bench.settle(ref, { state: 5, epoch: 2, expected: 2 });
    expect(await bench.markCancel(ref)).toEqual([-2, 5]);
  });
});
