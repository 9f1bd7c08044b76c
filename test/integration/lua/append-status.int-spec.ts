import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('append-status', () => {
  it('should move the state and every index with the event', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    await bench.create(ref, { ts: 1_000 });
    expect(await bench.status(ref, { ts: 2_000 })).toEqual([1, 2, '']);
    expect(await bench.redis.hmget(k.task, 'state', 'updated', 'seq')).toEqual(['2', '2000', '2']);
    expect(await bench.redis.zscore(k.states[0]!, ref.taskId)).toBeNull();
    for (const index of [...k.indexes, k.states[1]!]) {
      expect(await bench.redis.zscore(index, ref.taskId), index).toBe('2000');
    }
  });

  it('should never turn the time of a status back', async () => {
    const ref = newTask();
    await bench.create(ref, { ts: 5_000 });
    await bench.status(ref, { ts: 2_000 });
    expect(await bench.redis.hget(bench.keysOf(ref).task, 'updated')).toBe('5000');
  });

  it('should apply a batch once when it is sent twice', async () => {
    const ref = newTask();
    await bench.create(ref);
    const [first, second] = await bench.twice(ref, () => bench.status(ref));
    expect(second).toEqual(first);
  });

  it('should refuse like an append', async () => {
    const ref = newTask();
    expect(await bench.status(ref)).toEqual([-1]);
    await bench.create(ref);
    expect(await bench.status(ref, { epoch: 2 })).toEqual([-3]);
    expect(await bench.status(ref, { expected: 4 })).toEqual([-5, 1]);
    await bench.append(ref, { events: ['{}', '{}'] });
    expect(await bench.status(ref, { expected: 2, events: ['{}', '{}'] })).toEqual([-12, 3]);
    await bench.settle(ref, { expected: 3 });
    expect(await bench.status(ref, { expected: 4 })).toEqual([-2, 3]);
  });
});
