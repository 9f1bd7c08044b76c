import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('delete-task', () => {
  it.each([3, 4, 5, 7])('should leave nothing of a task in state %i', async (state) => {
    const ref = newTask();
    const other = newTask({ tenant: ref.tenant });
    await bench.create(other);
    const before = await bench.dump();
    await bench.create(ref);
    await bench.settle(ref, { state, turn: '' });
    const k = bench.keysOf(ref);
    await bench.redis.hset(k.task, 'files', '["a.png"]');
    const [first, second] = await bench.twice(ref, () => bench.deleteTask(ref));
    expect(first).toEqual([1, '["a.png"]']);
    expect(second).toEqual(first);
    // The context, its index entry and the answer for a resend are all that stays.
    const after = await bench.dump();
    const changed = Object.keys(after).filter(
      (key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]),
    );
    expect(changed.sort()).toEqual([k.context, k.contexts, k.stage('d')].sort());
    expect(Object.keys(before).filter((key) => !(key in after))).toEqual([]);
    expect(await bench.redis.pttl(k.stage('d'))).toBeGreaterThan(0);
  });

  it('should answer another user’s task exactly like a missing one', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.settle(ref);
    const before = await bench.dump();
    expect(await bench.deleteTask(ref, 'u2')).toEqual([-1]);
    expect(await bench.deleteTask(newTask())).toEqual([-1]);
    expect(await bench.dump()).toEqual(before);
  });

  it('should refuse one that runs or waits for its user', async () => {
    const ref = newTask();
    await bench.create(ref);
    expect(await bench.deleteTask(ref)).toEqual([-17, 1]);
    await bench.status(ref);
    expect(await bench.deleteTask(ref)).toEqual([-17, 2]);
    await bench.settle(ref, { state: 6, expected: 2 });
    const before = await bench.dump();
    expect(await bench.deleteTask(ref)).toEqual([-17, 6]);
    expect(await bench.dump()).toEqual(before);
  });
});
