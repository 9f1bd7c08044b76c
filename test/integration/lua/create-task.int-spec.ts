import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginning, newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('create-task', () => {
  it('should write the task, its first event, the lock, both quotas and the indexes', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    const [code, turn, deadline] = (await bench.create(ref)) as [number, number, number];
    expect([code, turn]).toEqual([1, 1]);
    expect(deadline).toBeGreaterThan(Date.now());
    expect(await bench.logOf(ref)).toEqual([
      ['1-1', `{"task":{"id":"${ref.taskId}","metadata":{"n9e.seq_id":1}}}`],
    ]);
    expect(await bench.redis.get(k.snapshot)).toBe(
      `1-1\n{"id":"${ref.taskId}","metadata":{"n9e.seq_id":1}}`,
    );
    expect(await bench.redis.hmget(k.task, 'user', 'state', 'seq', 'epoch', 'owner')).toEqual([
      'u1',
      '1',
      '1',
      '1',
      'i1',
    ]);
    expect(await bench.redis.hget(k.context, 'running')).toBe(ref.taskId);
    for (const index of [...k.active, ...k.indexes, k.states[0]!]) {
      expect(await bench.redis.zscore(index, ref.taskId), index).not.toBeNull();
    }
  });

  it('should not create twice when it is sent twice', async () => {
    const ref = newTask();
    const [first, second] = await bench.twice(ref, () => bench.create(ref));
    expect(second).toEqual(first);
  });

  it('should count turns within a context', async () => {
    const first = newTask();
    await bench.create(first);
    await bench.settle(first);
    const second = { ...newTask(), tenant: first.tenant, contextId: first.contextId };
    expect(await bench.create(second)).toEqual(beginning(1, 2));
  });

  it('should join the running task of the same message and content only', async () => {
    const ref = newTask();
    await bench.create(ref);
    const again = { ...ref, taskId: 'other', contextId: 'elsewhere' };
    expect(await bench.create(again)).toEqual([2, ref.taskId]);
    expect(await bench.create(again, { fingerprint: 'f2' })).toEqual(beginning(1));
  });

  it('should answer the same idempotency key with the same task, also after its end', async () => {
    const ref = newTask();
    await bench.create(ref, { idempotencyKey: 'k1' });
    const twin = { ...ref, taskId: 'twin', contextId: 'elsewhere', messageId: 'twin' };
    expect(await bench.create(twin, { idempotencyKey: 'k1' })).toEqual([3, ref.taskId]);
    await bench.settle(ref);
    expect(await bench.create(twin, { idempotencyKey: 'k1' })).toEqual([3, ref.taskId]);
    const other = { idempotencyKey: 'k1', fingerprint: 'f2' };
    expect(await bench.create(twin, other)).toEqual([-16]);
    expect(await bench.create(twin, { idempotencyKey: 'k2' })).toEqual(beginning(1));
  });

  it('should not join a task that has ended', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.settle(ref);
    expect(await bench.create({ ...ref, taskId: 'other' })).toEqual(beginning(1));
  });

  it('should refuse a second task in a context whose task runs, and write nothing', async () => {
    const ref = newTask();
    await bench.create(ref);
    const before = await bench.dump();
    const other = { ...newTask(), tenant: ref.tenant, contextId: ref.contextId };
    expect(await bench.create(other)).toEqual([-6, ref.taskId]);
    expect(await bench.dump()).toEqual(before);
  });

  it('should not take the lock of another user’s context of the same id for its own', async () => {
    const ref = newTask();
    await bench.create(ref);
    const other = { ...newTask(), tenant: ref.tenant, contextId: ref.contextId, user: 'u2' };
    expect(await bench.create(other)).toEqual(beginning(1));
  });

  it('should refuse beyond the user’s and the tenant’s quota, and count only what is active', async () => {
    const first = newTask();
    const same = (): typeof first => ({ ...newTask(), tenant: first.tenant });
    await bench.create(first);
    expect(await bench.create(same(), { userQuota: 1 })).toEqual([-7]);
    expect(await bench.create({ ...same(), user: 'u2' }, { tenantQuota: 1 })).toEqual([-8]);
    await bench.settle(first);
    expect(await bench.create(same(), { userQuota: 1, tenantQuota: 1 })).toEqual(beginning(1));
  });

  it('should refuse beyond the quota of a token, and forget which token a task had that ended', async () => {
    const first = newTask();
    const k = bench.keysOf(first);
    const mine = { token: 'k1', tokenQuota: 1 };
    const same = (): typeof first => ({ ...newTask(), tenant: first.tenant });
    await bench.create(first, mine);
    expect(await bench.create(same(), mine)).toEqual([-24]);
    expect(await bench.create(same(), { ...mine, token: 'k2' })).toEqual(beginning(1));
    expect(await bench.redis.pttl(k.holders)).toBeGreaterThan(0);
    await bench.settle(first);
    expect(await bench.create(same(), mine)).toEqual(beginning(1));
    expect(await bench.redis.hexists(k.holders, first.taskId)).toBe(0);
    // Without that limit nobody keeps it in mind.
    const free = same();
    await bench.create(free, { token: 'k1' });
    expect(await bench.redis.hexists(k.holders, free.taskId)).toBe(0);
  });

  it('should refuse more tasks than a day may have, whether or not they have ended', async () => {
    const first = newTask();
    const k = bench.keysOf(first);
    const same = (): typeof first => ({ ...newTask(), tenant: first.tenant });
    const mine = { token: 'k1', tasksADay: [0, 2, 0] as const };
    await bench.create(first, mine);
    await bench.create(first, mine);
    await bench.settle(first);
    // Sent twice it counted once.
    expect(await bench.create(same(), mine)).toEqual(beginning(1));
    const before = await bench.dump();
    expect(await bench.create(same(), mine)).toEqual([-25, 2]);
    expect(await bench.create(same(), { ...mine, tasksADay: [2, 0, 0] })).toEqual([-25, 1]);
    expect(await bench.create(same(), { ...mine, tasksADay: [0, 0, 2] })).toEqual([-25, 3]);
    expect(await bench.dump()).toEqual(before);
    expect(await bench.create(same(), { ...mine, day: '2026-12-01' })).toEqual(beginning(1));
    expect(await bench.redis.hgetall(k.spent('2026-11-30'))).toEqual({
      ...{ tasks: '2', 'tasks:u:u1': '2', 'tasks:k:k1': '2' },
    });
    const free = { ...newTask(), tenant: 'free' };
    await bench.create(free, { token: 'k1' });
    expect(await bench.redis.exists(bench.keysOf(free).spent('2026-11-30'))).toBe(0);
  });

  it('should let a place go whose run is long over', async () => {
    const first = newTask();
    const k = bench.keysOf(first);
    await bench.create(first);
    for (const set of k.active) await bench.redis.zadd(set, 1, first.taskId);
    const next = { ...newTask(), tenant: first.tenant };
    expect(await bench.create(next, { userQuota: 1, tenantQuota: 1 })).toEqual(beginning(1));
  });

  it('should refuse in a suspended tenant and an id in use', async () => {
    const ref = newTask();
    await bench.create(ref);
    expect(await bench.create(ref, { nonce: 'another' })).toEqual([-13]);
    await bench.redis.hset(bench.keysOf(ref).meta, 'state', 'suspended');
    expect(await bench.create({ ...newTask(), tenant: ref.tenant })).toEqual([-9]);
  });
});
