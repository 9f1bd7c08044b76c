import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Keys } from '../../../src/redis/keys.js';
import { runScript, type ScriptReply } from '../../../src/redis/scripts.js';
import { ScriptBench } from '../../support/script-bench.js';

const keys = new Keys();
const DAY = '2026-11-30';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

interface Spending {
  readonly user?: string;
  readonly token?: string;
  readonly what?: string;
  readonly force?: boolean;
  readonly generation?: number;
  /** Of the token, the user and the tenant. */
  readonly most: readonly [number, number, number];
}

function spend(tenant: string, amount: number, of: Spending): Promise<ScriptReply> {
  const { user = 'ann', token = 'k', what = 'llm', force = false, generation = 0, most } = of;
  return runScript(
    bench.redis,
    'spend-allowance',
    [keys.meta(tenant), keys.spent(tenant, DAY)],
    [generation, what, token, user, amount, force ? 0 : 1, ...most],
  );
}

describe('spend-allowance', () => {
  it('should say whose allowance would be passed, and spend nothing then', async () => {
    const t = randomUUID();
    expect(await spend(t, 60, { most: [0, 100, 0] })).toEqual([1]);
    expect(await spend(t, 41, { most: [0, 100, 0] })).toEqual([-25, 2]);
    expect(await spend(t, 40, { most: [0, 100, 0] })).toEqual([1]);
    expect(await spend(t, 1, { token: 'other', most: [100, 0, 0] })).toEqual([1]);
    expect(await spend(t, 1, { most: [100, 0, 0] })).toEqual([-25, 1]);
    expect(await spend(t, 1, { user: 'bob', token: 'b', most: [0, 0, 101] })).toEqual([-25, 3]);
    expect(await spend(t, 1, { user: 'bob', token: 'b', most: [0, 0, 102] })).toEqual([1]);
  });

  it('should count each kind for itself, and what was used or given back in any case', async () => {
    const t = randomUUID();
    expect(await spend(t, 1, { what: 'tools', most: [0, 1, 0] })).toEqual([1]);
    expect(await spend(t, 1, { what: 'tools', most: [0, 1, 0] })).toEqual([-25, 2]);
    expect(await spend(t, 1, { what: 'llm', most: [0, 1, 0] })).toEqual([1]);
    expect(await spend(t, 9, { what: 'tools', force: true, most: [0, 1, 0] })).toEqual([1]);
    expect(await spend(t, -10, { what: 'tools', force: true, most: [0, 1, 0] })).toEqual([1]);
    expect(await spend(t, 1, { what: 'tools', most: [0, 1, 0] })).toEqual([1]);
  });

  it('should write nothing without a limit, and keep a day for two', async () => {
    const t = randomUUID();
    expect(await spend(t, 5, { most: [0, 0, 0] })).toEqual([1]);
    expect(await bench.redis.exists(keys.spent(t, DAY))).toBe(0);
    await spend(t, 5, { most: [0, 9, 0] });
    expect(await bench.redis.hgetall(keys.spent(t, DAY))).toEqual({
      ...{ 'llm:k:k': '5', 'llm:u:ann': '5', llm: '5' },
    });
    const ttl = await bench.redis.pttl(keys.spent(t, DAY));
    expect(ttl).toBeGreaterThan(47 * 3_600_000);
  });

  it('should not bring keys of a deleted tenant back', async () => {
    const t = randomUUID();
    await bench.redis.hset(keys.meta(t), 'state', 'deleted');
    expect(await spend(t, 5, { most: [0, 9, 0] })).toEqual([-9]);
    await bench.redis.hset(keys.meta(t), 'state', 'active', 'generation', 2);
    expect(await spend(t, 5, { generation: 1, most: [0, 9, 0] })).toEqual([-9]);
    expect(await bench.redis.exists(keys.spent(t, DAY))).toBe(0);
    expect(await spend(t, 5, { generation: 2, most: [0, 9, 0] })).toEqual([1]);
  });
});
