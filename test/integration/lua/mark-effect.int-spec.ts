import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('mark-effect', () => {
  it('should count an intent until its outcome, each once when sent twice', async () => {
    const ref = newTask();
    const open = (): Promise<string | null> =>
      bench.redis.hget(bench.keysOf(ref).task, 'open_effects');
    await bench.create(ref);
    expect(await bench.twice(ref, () => bench.markEffect(ref))).toEqual([[1], [1]]);
    expect(await open()).toBe('1');
    await bench.markEffect(ref, { id: 'e2' });
    expect(await open()).toBe('2');
    const outcome = { phase: 'outcome', text: 'done' };
    expect(await bench.twice(ref, () => bench.markEffect(ref, outcome))).toEqual([[1], [1]]);
    expect(await open()).toBe('1');
    expect(await bench.redis.hget(bench.keysOf(ref).task, 'effect:e1')).toBe('outcome done');
  });

  it('should not reopen what is done, but say what became of it', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.markEffect(ref);
    await bench.markEffect(ref, { phase: 'outcome', text: 'silence 7 is there' });
    expect(await bench.markEffect(ref)).toEqual([2, 'silence 7 is there']);
    expect(await bench.redis.hget(bench.keysOf(ref).task, 'open_effects')).toBe('0');
  });

  it('should count an intent no more once it can be followed, and take a newer link', async () => {
    const ref = newTask();
    const { task } = bench.keysOf(ref);
    await bench.create(ref);
    await bench.markEffect(ref);
    const link = { phase: 'link', text: 'task 7' };
    expect(await bench.twice(ref, () => bench.markEffect(ref, link))).toEqual([[1], [1]]);
    expect(await bench.redis.hget(task, 'open_effects')).toBe('0');
    await bench.markEffect(ref, { phase: 'link', text: 'task 8' });
    expect(await bench.markEffect(ref)).toEqual([1]);
    expect(await bench.redis.hmget(task, 'effect:e1', 'open_effects')).toEqual([
      'link task 8',
      '0',
    ]);
    await bench.markEffect(ref, { phase: 'outcome', text: 'done' });
    expect(await bench.markEffect(ref, link)).toEqual([2, 'done']);
    expect(await bench.redis.hmget(task, 'effect:e1', 'open_effects')).toEqual([
      'outcome done',
      '0',
    ]);
  });

  it('should follow what only reads without an intent', async () => {
    const ref = newTask();
    await bench.create(ref);
    expect(await bench.markEffect(ref, { phase: 'link', text: 'task 7' })).toEqual([1]);
    expect(await bench.redis.hget(bench.keysOf(ref).task, 'open_effects')).toBe('0');
  });

  it('should refuse the start of a write after a cancel, but take the outcome of one', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.markEffect(ref);
    await bench.markCancel(ref);
    expect(await bench.markEffect(ref, { id: 'e2' })).toEqual([-15]);
    expect(await bench.markEffect(ref, { phase: 'outcome' })).toEqual([1]);
  });

  it('should refuse another instance that has the same epoch, since a fail-over forgot its take-over', async () => {
    const ref = newTask();
    await bench.create(ref);
    // i2 took it over, but the new master does not know; so i3 takes it, under the same epoch.
    await bench.takeOver(ref, { owner: 'i3' });
    const forgotten = { epoch: 2, owner: 'i2' };
    expect(await bench.markEffect(ref, forgotten)).toEqual([-3]);
    expect(await bench.markEffect(ref, { ...forgotten, phase: 'outcome' })).toEqual([-3]);
    expect(await bench.redis.hget(bench.keysOf(ref).task, 'open_effects')).toBe('0');
    expect(await bench.markEffect(ref, { epoch: 2, owner: 'i3' })).toEqual([1]);
  });

  it('should keep the plan of an intent, by which it can be looked for', async () => {
    const ref = newTask();
    const { task } = bench.keysOf(ref);
    await bench.create(ref);
    const plan = '{"tool":"press","args":{"list":[]}}';
    expect(await bench.twice(ref, () => bench.markEffect(ref, { plan }))).toEqual([[1], [1]]);
    expect(await bench.redis.hget(task, 'plan:e1')).toBe(plan);
    await bench.markEffect(ref, { id: 'e2' });
    expect(await bench.redis.hexists(task, 'plan:e2')).toBe(0);
  });

  it('should refuse a stale epoch, a missing and a settled task', async () => {
    const ref = newTask();
    expect(await bench.markEffect(ref)).toEqual([-1]);
    await bench.create(ref);
    expect(await bench.markEffect(ref, { epoch: 2 })).toEqual([-3]);
    await bench.settle(ref);
    expect(await bench.markEffect(ref)).toEqual([-2, 3]);
  });
});
