import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('save-snapshot', () => {
  it('should replace the snapshot, trim below it and change nothing when sent twice', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    await bench.create(ref);
    await bench.append(ref, { events: Array.from({ length: 9 }, () => '{}') });
    const save = { seq: 8, keep: 3 };
    expect(await bench.twice(ref, () => bench.saveSnapshot(ref, save))).toEqual([[1], [1]]);
    expect(await bench.redis.get(k.snapshot)).toBe('8-1\n{"id":"new"}');
    expect((await bench.logOf(ref)).map(([id]) => id)).toEqual([
      '5-1',
      '6-1',
      '7-1',
      '8-1',
      '9-1',
      '10-1',
    ]);
  });

  it('should never trim above what the snapshot covers', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.append(ref, { events: Array.from({ length: 9 }, () => '{}') });
    await bench.saveSnapshot(ref, { seq: 4, keep: 0 });
    expect((await bench.logOf(ref)).map(([id]) => id)[0]).toBe('4-1');
    expect(await bench.readTask(ref)).toEqual([
      1,
      expect.anything(),
      4,
      expect.objectContaining({ length: 12 }),
    ]);
  });

  it('should keep a newer snapshot', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.append(ref, { events: ['{}', '{}'] });
    await bench.saveSnapshot(ref, { seq: 3 });
    expect(await bench.saveSnapshot(ref, { seq: 2 })).toEqual([1]);
    expect(await bench.redis.get(bench.keysOf(ref).snapshot)).toBe('3-1\n{"id":"new"}');
  });

  it('should take a staged snapshot and refuse one that is gone', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    await bench.create(ref);
    await bench.append(ref);
    expect(await bench.saveSnapshot(ref, { snapshot: '' })).toEqual([-14]);
    await bench.redis.set(k.stage('p'), '2-1\nstaged');
    expect(await bench.saveSnapshot(ref, { snapshot: '' })).toEqual([1]);
    expect(await bench.redis.get(k.snapshot)).toBe('2-1\nstaged');
  });

  it('should refuse a missing and a settled task, a stale epoch and a rewound log', async () => {
    const ref = newTask();
    expect(await bench.saveSnapshot(ref)).toEqual([-1]);
    await bench.create(ref);
    expect(await bench.saveSnapshot(ref, { epoch: 2 })).toEqual([-3]);
    expect(await bench.saveSnapshot(ref, { seq: 5 })).toEqual([-5, 1]);
    await bench.settle(ref);
    expect(await bench.saveSnapshot(ref)).toEqual([-2, 3]);
  });
});
