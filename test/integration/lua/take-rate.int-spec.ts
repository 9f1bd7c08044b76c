import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Keys } from '../../../src/redis/keys.js';
import { runScript } from '../../../src/redis/scripts.js';
import { ScriptBench } from '../../support/script-bench.js';

const keys = new Keys();
/** So slow that no test sees a request come back. */
const HOUR = 3_600_000;

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

type Three = readonly [number, number, number];

/** Of the token, the user and the tenant. */
async function take(
  [tenant, user, token]: readonly [string, string, string],
  every: Three,
  burst: Three,
): Promise<number[]> {
  const names = [keys.tokenRate(tenant, token), keys.userRate(tenant, user), keys.rate(tenant)];
  return (await runScript(bench.redis, 'take-rate', names, [...every, ...burst])) as number[];
}

describe('take-rate', () => {
  it('should let a burst through, then say when there is one again', async () => {
    const t = randomUUID();
    const one = (): Promise<number[]> => take([t, 'ann', 'k'], [0, HOUR, 0], [0, 3, 0]);
    expect((await one()).slice(0, 4)).toEqual([1, 0, 0, 2]);
    expect((await one())[3]).toBe(1);
    expect((await one())[3]).toBe(0);
    const [code, which, ms] = await one();
    expect([code, which]).toEqual([-26, 2]);
    expect(ms).toBeGreaterThan(HOUR - 60_000);
    expect(ms).toBeLessThanOrEqual(HOUR);
  });

  it('should fill evenly', async () => {
    const t = randomUUID();
    const one = (): Promise<number[]> => take([t, 'ann', 'k'], [0, 0, 50], [0, 0, 1]);
    expect((await one())[0]).toBe(1);
    const [code, which, ms = 0] = await one();
    expect([code, which]).toEqual([-26, 3]);
    await new Promise((resolve) => setTimeout(resolve, ms + 5));
    expect((await one())[0]).toBe(1);
  });

  it('should take out of all or none, and name the one that takes longest to come back', async () => {
    const t = randomUUID();
    const ann = [t, 'ann', 'k1'] as const;
    expect((await take(ann, [HOUR, HOUR, HOUR], [5, 1, 5]))[0]).toBe(1);
    expect((await take(ann, [HOUR, HOUR, HOUR], [5, 1, 5])).slice(0, 2)).toEqual([-26, 2]);
    // The refused one took nothing of the tenant: bob has four.
    const bob = [t, 'bob', 'k2'] as const;
    for (const left of [3, 2, 1, 0]) {
      expect((await take(bob, [0, 0, HOUR], [0, 0, 5]))[5]).toBe(left);
    }
    const both = await take(ann, [HOUR, HOUR, HOUR], [5, 1, 4]);
    expect(both.slice(0, 2)).toEqual([-26, 3]);
    // Whichever of them it is.
    const carl = [randomUUID(), 'carl', 'k3'] as const;
    expect((await take(carl, [2 * HOUR, HOUR, HOUR], [1, 1, 1]))[0]).toBe(1);
    expect((await take(carl, [2 * HOUR, HOUR, HOUR], [1, 1, 1])).slice(0, 2)).toEqual([-26, 1]);
  });

  it('should hold no more than a burst, however long nothing was asked', async () => {
    const t = randomUUID();
    // Full for hours, and not forgotten yet.
    await bench.redis.set(keys.userRate(t, 'ann'), Date.now() - 9 * HOUR);
    const one = (): Promise<number[]> => take([t, 'ann', 'k'], [0, HOUR, 0], [0, 2, 0]);
    expect((await one())[3]).toBe(1);
    expect((await one())[3]).toBe(0);
    expect((await one()).slice(0, 2)).toEqual([-26, 2]);
  });

  it('should leave nothing behind once a bucket is full again, and count nobody twice', async () => {
    const t = randomUUID();
    await take([t, 'ann', 'k'], [0, 20, 0], [0, 5, 0]);
    const names = [keys.tokenRate(t, 'k'), keys.userRate(t, 'ann'), keys.rate(t)];
    expect(await bench.redis.exists(...names)).toBe(1);
    expect(await bench.redis.pttl(keys.userRate(t, 'ann'))).toBeLessThanOrEqual(1020);
  });

  it('should be exact under a crowd', async () => {
    const t = randomUUID();
    const crowd = Array.from({ length: 40 }, (_, i) =>
      take([t, `u${i}`, `k${i}`], [0, 0, HOUR], [0, 0, 16]),
    );
    const answers = await Promise.all(crowd);
    expect(answers.filter(([code]) => code === 1)).toHaveLength(16);
  });
});
