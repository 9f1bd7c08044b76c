import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskRef } from '../../../src/store/task-ref.js';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

/** Ended tasks of one user, oldest first, with their entries in the user's list. */
async function ended(
  count: number,
  limits: { retainedTasks?: number; retainedBytes?: number } = {},
): Promise<{ ref: TaskRef; entry: string; bytes: number }[]> {
  const { tenant } = newTask();
  const tasks: { ref: TaskRef; entry: string; bytes: number }[] = [];
  for (let n = 0; n < count; n += 1) {
    const ref = newTask({ tenant });
    await bench.create(ref);
    await bench.settle(ref, limits);
    const bytes = Number(await bench.redis.hget(bench.keysOf(ref).task, 'bytes'));
    tasks.push({ ref, bytes, entry: `${bytes} ${ref.taskId}` });
    // Two that end in the same millisecond have no order.
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  return tasks;
}

describe('find-surplus', () => {
  it('should name the oldest above the number, a few at a time, and hold the user', async () => {
    const tasks = await ended(5, { retainedTasks: 2 });
    const { ref } = tasks[0]!;
    const [kept, , full] = bench.keysOf(ref).kept;
    expect(await bench.redis.zrange(kept, '0', '-1')).toEqual(tasks.map(({ entry }) => entry));
    expect(await bench.redis.zrange(full, '0', '-1')).toEqual([ref.user]);
    const first = tasks.slice(0, 2).map(({ entry }) => entry);
    expect(await bench.findSurplus(ref, { tasks: 2, most: 2 })).toEqual([1, first]);
    expect(Number(await bench.redis.zscore(full, ref.user))).toBeGreaterThan(Date.now() + 5_000);
    for (const task of tasks.slice(0, 3)) await bench.deleteTask(task.ref);
    expect(await bench.findSurplus(ref, { tasks: 2 })).toEqual([1, []]);
    expect(await bench.redis.exists(full)).toBe(0);
  });

  it('should count bytes as well, files included, and never name the newest', async () => {
    const tasks = await ended(3);
    const { ref } = tasks[0]!;
    const [, sum] = bench.keysOf(ref).kept;
    const total = tasks.reduce((all, { bytes }) => all + bytes, 0);
    expect(await bench.redis.get(sum)).toBe(String(total));
    const one = await bench.findSurplus(ref, { bytes: total - 1 });
    expect(one).toEqual([1, [tasks[0]!.entry]]);
    const two = await bench.findSurplus(ref, { bytes: 1 });
    expect(two).toEqual([1, tasks.slice(0, 2).map(({ entry }) => entry)]);
    const withFile = newTask({ tenant: ref.tenant });
    await bench.create(withFile);
    const key = bench.keysOf(withFile).file('f');
    await bench.redis.set(key, 'bytes');
    await bench.keepFile(withFile, { bytes: 50_000, most: 60_000, key });
    await bench.settle(withFile);
    const bytes = Number(await bench.redis.hget(bench.keysOf(withFile).task, 'bytes'));
    expect(bytes).toBeGreaterThan(50_000);
    expect(await bench.redis.get(sum)).toBe(String(total + bytes));
  });

  it('should forget what has expired, and what it is told is gone', async () => {
    const tasks = await ended(3);
    const { ref } = tasks[0]!;
    const [kept, sum] = bench.keysOf(ref).kept;
    await bench.redis.del(bench.keysOf(ref).task);
    expect(await bench.findSurplus(ref, { gone: tasks[0]!.entry })).toEqual([1, []]);
    expect(await bench.redis.get(sum)).toBe(String(tasks[1]!.bytes + tasks[2]!.bytes));
    expect(await bench.findSurplus(ref, { gone: tasks[0]!.entry })).toEqual([1, []]);
    expect(await bench.redis.get(sum)).toBe(String(tasks[1]!.bytes + tasks[2]!.bytes));
    await bench.redis.zadd(kept, Date.now() - 5_000, tasks[1]!.entry);
    expect(await bench.findSurplus(ref, { ttlMs: 5_000 })).toEqual([1, []]);
    expect(await bench.redis.zrange(kept, '0', '-1')).toEqual([tasks[2]!.entry]);
    expect(await bench.findSurplus(ref, { ttlMs: 0 })).toEqual([1, []]);
    expect(await bench.redis.exists(kept, sum)).toBe(0);
  });

  it('should be forgotten with the task when its user deletes it, once', async () => {
    const tasks = await ended(2);
    const { ref } = tasks[0]!;
    const [kept, sum] = bench.keysOf(ref).kept;
    await bench.twice(ref, () => bench.deleteTask(ref));
    expect(await bench.redis.zrange(kept, '0', '-1')).toEqual([tasks[1]!.entry]);
    expect(await bench.redis.get(sum)).toBe(String(tasks[1]!.bytes));
    expect(await bench.redis.pttl(sum)).toBeGreaterThan(0);
  });
});
