import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

async function withBytes(): Promise<ReturnType<typeof newTask>> {
  const ref = newTask();
  await bench.create(ref);
  await bench.redis.set(bench.keysOf(ref).file('f'), 'bytes');
  return ref;
}

describe('keep-file', () => {
  it('should list and count a file once, however often it is sent', async () => {
    const ref = await withBytes();
    const [first, second] = await bench.twice(ref, () => bench.keepFile(ref));
    expect([first, second]).toEqual([[1], [1]]);
    expect(await bench.keepFile(ref, { line: 'g 20 a%2Fb', bytes: 20 })).toEqual([1]);
    const { task } = bench.keysOf(ref);
    expect(await bench.redis.hmget(task, 'files', 'file_bytes')).toEqual([
      'f 10 text%2Fplain\ng 20 a%2Fb',
      '30',
    ]);
  });

  it('should refuse what goes over the bytes of a task', async () => {
    const ref = await withBytes();
    expect(await bench.keepFile(ref, { bytes: 60 })).toEqual([1]);
    expect(await bench.keepFile(ref, { line: 'g 41 a', bytes: 41 })).toEqual([-19, 60]);
    expect(await bench.keepFile(ref, { line: 'g 40 a', bytes: 40 })).toEqual([1]);
  });

  it('should refuse a stale run, a settled task, a missing one and missing bytes', async () => {
    const ref = await withBytes();
    expect(await bench.keepFile(ref, { key: bench.keysOf(ref).file('g') })).toEqual([-14]);
    await bench.takeOver(ref);
    const before = await bench.dump();
    expect(await bench.keepFile(ref)).toEqual([-3]);
    expect(await bench.keepFile(newTask())).toEqual([-1]);
    expect(await bench.dump()).toEqual(before);
    await bench.settle(ref, { epoch: 2 });
    expect(await bench.keepFile(ref, { epoch: 2 })).toEqual([-2, 3]);
  });
});
