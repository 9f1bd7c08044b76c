import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Keys } from '../../../src/redis/keys.js';
import { runScript, type ScriptReply } from '../../../src/redis/scripts.js';
import { ScriptBench } from '../../support/script-bench.js';

const keys = new Keys();
const LEASE_MS = 400;
const KEPT_MS = 60_000;

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

/** `most`: of the tenant and of the user; absent: never refused. */
function hold(
  tenant: string,
  [instance, user]: readonly [string, string],
  [ofTenant, ofUser]: readonly [number, number],
  most?: readonly [number, number],
): Promise<ScriptReply> {
  const names = [keys.streams(tenant), keys.userStreams(tenant, user)];
  const args = [instance, LEASE_MS, ofTenant, ofUser, ...(most ?? [-1, -1]), KEPT_MS];
  return runScript(bench.redis, 'hold-streams', names, args);
}

describe('hold-streams', () => {
  it('should sum the counts of all instances, and not change when it is sent twice', async () => {
    const t = randomUUID();
    expect(await hold(t, ['i1', 'ann'], [2, 2])).toEqual([1, 2, 2, 0]);
    expect(await hold(t, ['i1', 'ann'], [2, 2])).toEqual([1, 2, 2, 1]);
    expect(await hold(t, ['i2', 'bob'], [3, 3])).toEqual([1, 5, 3, 0]);
    expect(await hold(t, ['i2', 'ann'], [4, 1])).toEqual([1, 6, 3, 1]);
    expect(await bench.redis.pttl(keys.userStreams(t, 'ann'))).toBeGreaterThan(KEPT_MS / 2);
  });

  it('should refuse what passes a limit of the user or the tenant, and write nothing', async () => {
    const t = randomUUID();
    await hold(t, ['i1', 'ann'], [2, 2]);
    expect(await hold(t, ['i2', 'ann'], [1, 1], [9, 3])).toEqual([1, 3, 3, 0]);
    expect(await hold(t, ['i2', 'ann'], [2, 2], [9, 3])).toEqual([-7]);
    expect(await hold(t, ['i2', 'bob'], [2, 1], [3, 3])).toEqual([-8]);
    expect(await bench.redis.exists(keys.userStreams(t, 'bob'))).toBe(0);
    expect(await hold(t, ['i1', 'ann'], [1, 1])).toEqual([1, 2, 2, 1]);
    expect(await hold(t, ['i2', 'ann'], [2, 2], [9, 3])).toEqual([1, 3, 3, 1]);
  });

  it('should leave no key when all streams have ended', async () => {
    const t = randomUUID();
    await hold(t, ['i1', 'ann'], [1, 1]);
    await hold(t, ['i1', 'ann'], [0, 0]);
    expect(await bench.redis.exists(keys.streams(t), keys.userStreams(t, 'ann'))).toBe(0);
  });

  it('should forget an instance that has not renewed, and say so to one that comes back', async () => {
    const t = randomUUID();
    await hold(t, ['i1', 'ann'], [2, 2]);
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS + 100));
    expect(await hold(t, ['i2', 'ann'], [1, 1], [1, 1])).toEqual([1, 1, 1, 0]);
    expect(await bench.redis.hkeys(keys.userStreams(t, 'ann'))).toEqual(['i2']);
    expect(await hold(t, ['i1', 'ann'], [2, 2])).toEqual([1, 3, 3, 0]);
  });
});
