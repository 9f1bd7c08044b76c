import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

const TERMINAL = [3, 4, 5, 7];

describe('settle-task', () => {
  it('should change state, event, snapshot, lock, quotas, indexes and history in one piece', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    await bench.create(ref);
    const told = await bench.listen(ref);
    expect(await bench.settle(ref, { events: ['{"x":1}', '{"end":1}'] })).toEqual([1, 3, '', '']);
    expect(await told()).toEqual(['2 1 s now\n{"x":1}\n{"end":1}']);
    expect(await bench.redis.hmget(k.task, 'state', 'seq', 'owner')).toEqual(['3', '3', '']);
    expect(await bench.redis.get(k.snapshot)).toBe(`3-1\n{"id":"${ref.taskId}"}`);
    expect(await bench.redis.hget(k.context, 'running')).toBeNull();
    expect(await bench.redis.lrange(k.history, 0, -1)).toEqual(['{"turn":1}']);
    expect(await bench.redis.exists(...k.active, ...k.parked, k.message)).toBe(0);
    expect(await bench.redis.zscore(k.states[2]!, ref.taskId)).toBe('3000');
    expect(await bench.redis.zscore(k.states[0]!, ref.taskId)).toBeNull();
  });

  it.each([...TERMINAL, 6, 8])(
    'should settle into state %i once when sent twice',
    async (state) => {
      const ref = newTask();
      await bench.create(ref);
      const [first, second] = await bench.twice(ref, () => bench.settle(ref, { state }));
      expect(second).toEqual(first);
    },
  );

  it.each(TERMINAL)('should leave state %i for ever', async (state) => {
    const ref = newTask();
    await bench.create(ref);
    await bench.settle(ref, { state });
    const before = await bench.dump();
    for (const next of [3, 4, 5, 6, 7, 8]) {
      expect(await bench.settle(ref, { state: next, expected: 2 })).toEqual([-2, state]);
    }
    expect(await bench.status(ref, { expected: 2 })).toEqual([-2, state]);
    expect(await bench.continueTask(ref)).toEqual([-2, state]);
    expect(await bench.takeOver(ref)).toEqual([-2, state]);
    expect(await bench.takeOver(ref, { why: 'end' })).toEqual([-2, state]);
    expect(await bench.markCancel(ref)).toEqual([-2, state]);
    expect(await bench.markEffect(ref)).toEqual([-2, state]);
    expect(await bench.saveSnapshot(ref)).toEqual([-2, state]);
    expect(await bench.dump()).toEqual(before);
  });

  it('should park: the lock and the quotas free, the question remembered', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    await bench.create(ref);
    await bench.settle(ref, { state: 6 });
    expect(await bench.redis.hmget(k.context, 'running', 'parked')).toEqual([null, ref.taskId]);
    expect(await bench.redis.exists(...k.active)).toBe(0);
    expect(await bench.redis.zcard(k.parked[1])).toBe(1);
    expect(await bench.redis.hget(k.task, 'expects')).toBe('text');
    // Parked, the same message still finds its task.
    expect(await bench.create({ ...ref, taskId: 'other' })).toEqual([2, ref.taskId]);
    // And a parked task can still be ended by whoever takes it.
    await bench.takeOver(ref, { why: 'end' });
    expect(await bench.settle(ref, { epoch: 2, expected: 2, state: 5 })).toEqual([1, 3, '', '']);
    expect(await bench.redis.hget(k.context, 'parked')).toBeNull();
    expect(await bench.redis.exists(...k.parked)).toBe(0);
  });

  it('should name the oldest parked task over the cap', async () => {
    const first = newTask();
    const second = { ...newTask(), tenant: first.tenant };
    await bench.create(first);
    await bench.create(second);
    await bench.settle(first, { state: 6, parkMs: 50_000 });
    expect(await bench.settle(second, { state: 6, parkedQuota: 1 })).toEqual([
      1,
      2,
      first.taskId,
      '',
    ]);
  });

  it('should take a staged snapshot and refuse one that is gone', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    await bench.create(ref);
    expect(await bench.settle(ref, { snapshot: '' })).toEqual([-14]);
    await bench.redis.set(k.stage('s'), '2-1\nstaged');
    expect(await bench.settle(ref, { snapshot: '' })).toEqual([1, 2, '', '']);
    expect(await bench.redis.get(k.snapshot)).toBe('2-1\nstaged');
    expect(await bench.redis.exists(k.stage('s'))).toBe(0);
  });

  it('should keep the events for resumes and trim the rest', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.append(ref, { events: Array.from({ length: 9 }, () => '{}') });
    await bench.settle(ref, { expected: 10, keep: 3 });
    expect((await bench.logOf(ref)).map(([id]) => id)).toEqual(['8-1', '9-1', '10-1', '11-1']);
  });

  it('should refuse a missing task, a stale epoch, a rewound log and a moved head', async () => {
    const ref = newTask();
    expect(await bench.settle(ref)).toEqual([-1]);
    await bench.create(ref);
    expect(await bench.settle(ref, { epoch: 2 })).toEqual([-3]);
    expect(await bench.settle(ref, { expected: 5 })).toEqual([-5, 1]);
    await bench.append(ref);
    expect(await bench.settle(ref)).toEqual([-12, 2]);
  });

  it('should not free the lock that another task of the context holds by now', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    await bench.create(ref);
    await bench.redis.hset(k.context, 'running', 'another');
    await bench.settle(ref);
    expect(await bench.redis.hget(k.context, 'running')).toBe('another');
  });
});
