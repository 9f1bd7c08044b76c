import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Keys } from '../../../src/redis/keys.js';
import { runScript, type ScriptReply } from '../../../src/redis/scripts.js';
import { ScriptBench } from '../../support/script-bench.js';

const keys = new Keys();
let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

function renew(tenant: string, leaseMs: number, count: number): Promise<ScriptReply> {
  const args = ['i1', leaseMs, count, 60_000];
  return runScript(bench.redis, 'renew-streams', [keys.streams(tenant)], args);
}

describe('renew-streams', () => {
  it('should set the lease and the count, and tell whether they had lapsed', async () => {
    const t = randomUUID();
    expect(await renew(t, 300, 2)).toEqual([0]);
    expect(await renew(t, 300, 3)).toEqual([1]);
    expect(await bench.redis.hget(keys.streams(t), 'i1')).toMatch(/^\d{13} 3$/);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await renew(t, 300, 3)).toEqual([0]);
    expect(await bench.redis.pttl(keys.streams(t))).toBeGreaterThan(30_000);
  });
});
