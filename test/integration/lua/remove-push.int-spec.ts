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

describe('remove-push', () => {
  it('should leave nothing behind of the last one, also when sent twice', async () => {
    const ref = newTask();
    await bench.create(ref);
    await push.set(ref);
    await push.claim(ref);
    expect(await bench.twice(ref, () => push.remove(ref))).toEqual([[1], [1]]);
    expect(await push.fields(ref)).toEqual({});
    expect(await push.due(ref)).toEqual({});
    expect(await push.marked(ref)).toBe(false);
    expect(await push.report(ref)).toEqual([-1]);
  });

  it('should leave the others of the task as they are', async () => {
    const ref = newTask();
    await bench.create(ref);
    await push.set(ref, 'a');
    await push.set(ref, 'b');
    expect(await push.remove(ref, 'a')).toEqual([1]);
    expect(await push.fields(ref)).toEqual({ 'hook:b': 'sealed-b', 'at:b': '' });
    expect(await push.marked(ref)).toBe(true);
    expect(Object.keys(await push.due(ref))).toEqual([ref.taskId]);
  });

  it('should know neither a missing task nor another user’s', async () => {
    const ref = newTask();
    expect(await push.remove(ref)).toEqual([-1]);
    await bench.create(ref);
    await push.set(ref);
    expect(await push.remove(ref, 'h', 'eve')).toEqual([-1]);
    expect(await push.fields(ref)).toHaveProperty('hook:h');
  });
});
