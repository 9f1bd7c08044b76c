import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hookIds, PushBench } from '../../support/push-bench.js';
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

describe('read-push', () => {
  it('should list the webhooks whatever their ids hold, and nothing else of them', async () => {
    const ref = newTask();
    await bench.create(ref);
    const ids = ['a', 'hook:x', 'at:y', ' spaces and 告警\n', ref.taskId];
    for (const id of ids) await push.set(ref, id);
    await push.claim(ref, 'a');
    expect(hookIds(await push.read(ref))).toEqual([...ids].sort());
  });

  it('should know neither a missing task nor another user’s', async () => {
    const ref = newTask();
    expect(await push.read(ref)).toEqual([-1]);
    await bench.create(ref);
    expect(await push.read(ref)).toEqual([1, []]);
    await push.set(ref);
    expect(await push.read(ref, 'eve')).toEqual([-1]);
    expect(await push.read(ref, '')).toEqual([-1]);
  });
});
