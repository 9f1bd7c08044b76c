import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('beat-instance', () => {
  it('should renew the own lease and name those whose lease is over', async () => {
    const [now, dead] = (await bench.beat('i1', 300)) as [number, string[]];
    expect(Math.abs(now - Date.now())).toBeLessThan(2_000);
    expect(dead).toEqual([]);
    await bench.beat('i2', 300);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(((await bench.beat('i2', 300)) as [number, string[]])[1]).toEqual(['i1']);
    expect(((await bench.beat('i1', 300)) as [number, string[]])[1]).toEqual([]);
  });
});
