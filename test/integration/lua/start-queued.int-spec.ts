import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptReply } from '../../../src/redis/scripts.js';
import type { TaskRef } from '../../../src/store/task-ref.js';
import { beginning, newTask, ScriptBench, TTL_MS } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

function startQueued(ref: TaskRef, epoch = 1, owner = 'i2'): Promise<ScriptReply> {
  return bench.startQueued(ref, { epoch, owner });
}

/** A running task, and one that waits behind it in the same context. */
async function pair(): Promise<{ first: TaskRef; second: TaskRef }> {
  const first = newTask();
  const { tenant, user, contextId } = first;
  const second = { ...newTask(), tenant, user, contextId };
  await bench.create(first);
  expect(await bench.create(second, { whenBusy: 'queue' })).toEqual([4, 2, 0]);
  return { first, second };
}

describe('start-queued', () => {
  it('should hand the lock on in order and start the next run under a new epoch', async () => {
    const { first, second } = await pair();
    const k = bench.keysOf(second);
    expect(await startQueued(second)).toEqual([-6, first.taskId]);
    expect(await bench.settle(first)).toEqual([1, 2, '', second.taskId]);
    expect(await bench.redis.hget(k.context, 'running')).toBe(second.taskId);
    expect(await bench.redis.zrange(k.handed, '0', '-1')).toEqual([second.taskId]);
    const started = await startQueued(second);
    expect(started).toEqual(beginning(1, 2, 1));
    expect(await startQueued(second)).toEqual(started);
    expect(await startQueued(second, 1, 'i3')).toEqual([-2, 1]);
    expect(await bench.redis.zcard(k.handed)).toBe(0);
    expect(await bench.append(second, { epoch: 2, expected: 1 })).toEqual([1, 2, '']);
  });

  it('should answer the same create again while the task waits', async () => {
    const { second } = await pair();
    expect(await bench.create(second, { whenBusy: 'queue' })).toEqual([4, 2, 0]);
    const k = bench.keysOf(second);
    expect(await bench.redis.lrange(k.queue, 0, -1)).toEqual([second.taskId]);
  });

  it('should leave out a task that ended while it waited', async () => {
    const { first, second } = await pair();
    await bench.takeOver(second, { why: 'end', owner: '' });
    expect(await bench.settle(second, { epoch: 2, expected: 1, state: 5 })).toEqual([1, 2, '', '']);
    expect(await bench.settle(first)).toEqual([1, 2, '', '']);
    expect(await bench.redis.hget(bench.keysOf(first).context, 'running')).toBeNull();
  });

  it('should refuse a task that is gone, and forget that it was handed a lock', async () => {
    const gone = newTask();
    const { handed } = bench.keysOf(gone);
    await bench.redis.zadd(handed, 1, gone.taskId);
    expect(await startQueued(gone)).toEqual([-1]);
    expect(await bench.redis.zcard(handed)).toBe(0);
  });

  it('should find each waiting task still there at its turn, whatever those before it take', async () => {
    const [first, ...waiting] = Array.from({ length: 4 }, () => newTask());
    const { tenant, user, contextId } = first!;
    // Far above the time that a task is kept.
    const limits = { budgetMs: 30 * 86_400_000 };
    await bench.create(first!, limits);
    const inLine = waiting.map((ref) => ({ ...ref, tenant, user, contextId }));
    for (const ref of inLine) await bench.create(ref, { ...limits, whenBusy: 'queue' });
    const k = bench.keysOf(first!);
    for (const [before, ref] of inLine.entries()) {
      // Its own time, and a budget with a minute for each that is ahead.
      const turn = (before + 1) * (limits.budgetMs + 60_000);
      const own = bench.keysOf(ref);
      const queues = before === 2 ? [k.queue] : [];
      for (const key of [own.task, own.log, own.snapshot, own.message, k.context, ...queues]) {
        expect(await bench.redis.pttl(key), key).toBeGreaterThan(turn);
      }
      expect(await bench.redis.pttl(own.task)).toBeLessThanOrEqual(turn + TTL_MS);
      const until = Number(await bench.redis.zscore(k.active[1], ref.taskId));
      expect(until).toBeGreaterThan(Date.now() + turn);
    }
  });
});
