import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Keys } from '../../../src/redis/keys.js';
import { RedisApprovalStore } from '../../../src/store/redis-approval.store.js';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('open-approval', () => {
  it('should open a request once, also when sent twice', async () => {
    const ref = newTask();
    const id = randomUUID();
    await bench.create(ref);
    const [first, second] = await bench.twice(ref, () => bench.openApproval(ref, id));
    expect(first).toEqual([1, expect.any(Number)]);
    expect(second).toEqual(first);
  });

  it('should refuse one more than may be pending, and count only those that are', async () => {
    const ref = newTask();
    await bench.create(ref);
    const own = (): string => randomUUID();
    const count = async (): Promise<number> => {
      const before = await bench.openApproval(ref, own(), { most: 1000 });
      expect(before).toEqual([1, expect.any(Number)]);
      return bench.redis.zcard(bench.approvalsKey(ref));
    };
    const pending = await count();
    expect(await bench.openApproval(ref, own(), { most: pending })).toEqual([-22]);
    const short = own();
    await bench.openApproval(ref, short, { ms: 1, most: pending + 1 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await bench.openApproval(ref, own(), { most: pending + 1 })).toEqual([
      1,
      expect.any(Number),
    ]);
  });

  it('should refuse a run that is not the owner, a canceled and a missing task', async () => {
    const ref = newTask();
    expect(await bench.openApproval(ref, randomUUID())).toEqual([-1]);
    await bench.create(ref);
    expect(await bench.openApproval(ref, randomUUID(), { epoch: 2 })).toEqual([-3]);
    await bench.markCancel(ref);
    expect(await bench.openApproval(ref, randomUUID())).toEqual([-15]);
    await bench.settle(ref);
    expect(await bench.openApproval(ref, randomUUID())).toEqual([-2, 3]);
  });

  it('should no longer be listed once another run owns its task, which has asked anew', async () => {
    const ref = newTask();
    const [dead, alive] = [randomUUID(), randomUUID()];
    await bench.create(ref);
    await bench.openApproval(ref, dead);
    const store = new RedisApprovalStore(bench.redis, new Keys());
    const listed = async (): Promise<readonly string[]> =>
      (await store.pending(ref.tenant))
        .filter(({ taskId }) => taskId === ref.taskId)
        .map(({ id }) => id);
    expect(await listed()).toEqual([dead]);
    await bench.redis.hset(bench.keysOf(ref).task, 'epoch', 2);
    await bench.openApproval(ref, alive, { epoch: 2 });
    expect(await listed()).toEqual([alive]);
  });
});
