import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginning, newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

async function parked(): Promise<ReturnType<typeof newTask>> {
  const ref = newTask();
  await bench.create(ref);
  await bench.settle(ref, { state: 6 });
  return ref;
}

describe('continue-task', () => {
  it('should start a new run: epoch, owner, deadline, lock and quotas', async () => {
    const ref = await parked();
    const k = bench.keysOf(ref);
    const told = await bench.listen(ref);
    const [code, seq, epoch, deadline] = (await bench.continueTask(ref)) as number[];
    expect([code, seq, epoch]).toEqual([1, 3, 2]);
    expect(deadline).toBeGreaterThan(Date.now());
    expect(await told()).toEqual(['3 2 - now\n{"task":"again"}']);
    expect(await bench.redis.hmget(k.task, 'state', 'owner', 'epoch', 'attempt')).toEqual([
      '2',
      'i2',
      '2',
      '1',
    ]);
    expect(await bench.redis.hmget(k.context, 'running', 'parked')).toEqual([ref.taskId, null]);
    expect(await bench.redis.exists(...k.parked)).toBe(0);
    expect(await bench.redis.zcard(k.active[1])).toBe(1);
    expect((await bench.logOf(ref)).at(-1)).toEqual(['3-2', '{"task":"again"}']);
  });

  it('should continue once when it is sent twice, and refuse a second caller', async () => {
    const ref = await parked();
    const [first, second] = await bench.twice(ref, () => bench.continueTask(ref));
    expect(second).toEqual(first);
    expect(await bench.continueTask(ref, { nonce: 'rival' })).toEqual([-11, 2]);
  });

  it('should fence the run that parked it', async () => {
    const ref = await parked();
    await bench.continueTask(ref);
    expect(await bench.append(ref, { expected: 3 })).toEqual([-3]);
    expect(await bench.append(ref, { epoch: 2, expected: 3 })).toEqual(beginning(1, 4));
  });

  it('should refuse when the head moved, the context is busy or a quota is full', async () => {
    const ref = await parked();
    expect(await bench.continueTask(ref, { expected: 1 })).toEqual([-12, 2]);
    expect(await bench.continueTask(ref, { userQuota: 0 })).toEqual([-7]);
    expect(await bench.continueTask(ref, { tenantQuota: 0 })).toEqual([-8]);
    const sibling = { ...newTask(), tenant: ref.tenant };
    await bench.create(sibling, { token: 'k1', tokenQuota: 1 });
    expect(await bench.continueTask(ref, { token: 'k1', tokenQuota: 1 })).toEqual([-24]);
    const other = { ...newTask(), tenant: ref.tenant, contextId: ref.contextId };
    await bench.create(other);
    expect(await bench.continueTask(ref)).toEqual([-6, other.taskId]);
  });

  it('should refuse a missing task, one that runs, and one in a suspended tenant', async () => {
    expect(await bench.continueTask(newTask())).toEqual([-1]);
    const running = newTask();
    await bench.create(running);
    expect(await bench.continueTask(running, { expected: 1 })).toEqual([-11, 1]);
    const ref = await parked();
    await bench.redis.hset(bench.keysOf(ref).meta, 'state', 'suspended');
    expect(await bench.continueTask(ref)).toEqual([-9]);
  });

  it('should refuse one that has ended and a staged snapshot that is gone', async () => {
    const ref = await parked();
    expect(await bench.continueTask(ref, { snapshot: '' })).toEqual([-14]);
    await bench.takeOver(ref, { why: 'end' });
    await bench.settle(ref, { epoch: 2, expected: 2, state: 4 });
    expect(await bench.continueTask(ref)).toEqual([-2, 4]);
  });
});
