import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('close-context', () => {
  it('should forget an idle context, and leave its task', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    await bench.create(ref);
    await bench.settle(ref);
    const [first, second] = await bench.twice(ref, () => bench.closeContext(ref));
    expect([first, second]).toEqual([[1], [1]]);
    expect(await bench.redis.exists(k.context, k.history)).toBe(0);
    expect(await bench.redis.zscore(k.contexts, ref.contextId)).toBeNull();
    expect(await bench.redis.exists(k.task, k.log, k.snapshot)).toBe(3);
    expect(await bench.closeContext(ref, '', 'y')).toEqual([-1]);
  });

  it('should be refused while a task runs or waits, but not by a lock that is over', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    await bench.create(ref);
    expect(await bench.closeContext(ref)).toEqual([-6, ref.taskId]);
    await bench.redis.hset(k.context, 'lock_until', '1');
    await bench.redis.rpush(k.queue, 'another');
    expect(await bench.closeContext(ref)).toEqual([-6, ref.taskId]);
    await bench.redis.del(k.queue);
    expect(await bench.closeContext(ref)).toEqual([1]);
  });

  it('should name an open question, unless it is known to be void', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.settle(ref, { state: 6 });
    const before = await bench.dump();
    expect(await bench.closeContext(ref)).toEqual([-18, ref.taskId]);
    expect(await bench.closeContext(ref, 'another')).toEqual([-18, ref.taskId]);
    expect(await bench.dump()).toEqual(before);
    expect(await bench.closeContext(ref, ref.taskId)).toEqual([1]);
  });

  it('should not find another user’s context', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.settle(ref);
    expect(await bench.closeContext({ ...ref, user: 'u2' })).toEqual([-1]);
  });
});
