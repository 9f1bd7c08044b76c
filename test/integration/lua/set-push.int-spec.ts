import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PushBench } from '../../support/push-bench.js';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
let push: PushBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
  push = new PushBench(bench);
});
afterAll(async () => {
  await bench.stop();
});

describe('set-push', () => {
  it('should store, mark the task and make it due, once when sent twice', async () => {
    const ref = newTask();
    await bench.create(ref);
    expect(await bench.twice(ref, () => push.set(ref))).toEqual([[1], [1]]);
    expect(await push.fields(ref)).toEqual({ 'hook:h': 'sealed-h', 'at:h': '' });
    expect(await push.marked(ref)).toBe(true);
    expect(Object.keys(await push.due(ref))).toEqual([ref.taskId]);
    expect(await push.ttl(ref)).toBeGreaterThan(3_500_000);
  });

  it('should make a task due that has ended already', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.settle(ref);
    expect(await push.set(ref)).toEqual([1]);
    expect(Object.keys(await push.due(ref))).toEqual([ref.taskId]);
  });

  it('should begin anew when it replaces one: no claim, no failures, no cursor', async () => {
    const ref = newTask();
    await bench.create(ref);
    await push.set(ref, 'h', { cursor: '0-0' });
    await push.claim(ref);
    await push.report(ref, { what: 'failed', tries: 3, since: 5, frozen: 1 });
    expect(await push.set(ref, 'h', { sealed: 'other' })).toEqual([1]);
    expect(await push.fields(ref)).toEqual({ 'hook:h': 'other', 'at:h': '' });
    expect(Object.keys(await push.due(ref))).toEqual([ref.taskId]);
    expect(await push.report(ref)).toEqual([-21]);
  });

  it('should refuse one too many, but not the change of one', async () => {
    const ref = newTask();
    await bench.create(ref);
    for (const hook of ['a', 'b']) expect(await push.set(ref, hook, { most: 2 })).toEqual([1]);
    expect(await push.set(ref, 'c', { most: 2 })).toEqual([-20]);
    expect(await push.set(ref, 'b', { most: 2, sealed: 'new' })).toEqual([1]);
    expect(await push.fields(ref)).not.toHaveProperty('hook:c');
  });

  it('should know neither a missing task nor another user’s', async () => {
    const ref = newTask();
    expect(await push.set(ref)).toEqual([-1]);
    await bench.create(ref);
    expect(await push.set(ref, 'h', { user: 'eve' })).toEqual([-1]);
    expect(await push.marked(ref)).toBe(false);
    expect(await push.due(ref)).toEqual({});
  });
});
