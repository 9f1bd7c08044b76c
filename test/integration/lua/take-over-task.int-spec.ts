import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginning, newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('take-over-task', () => {
  it('should raise the epoch, count the attempt and the death, and fence the former owner', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.append(ref);
    const reply = (await bench.takeOver(ref)) as (number | string)[];
    expect(reply.slice(0, 8)).toEqual([1, 2, 2, 1, '', 2, 1, 0]);
    expect(await bench.redis.hmget(bench.keysOf(ref).task, 'owner', 'epoch')).toEqual(['i2', '2']);
    expect(await bench.append(ref, { expected: 2 })).toEqual([-3]);
    expect(await bench.settle(ref, { expected: 2 })).toEqual([-3]);
    expect(await bench.markEffect(ref)).toEqual([-3]);
    expect(await bench.saveSnapshot(ref)).toEqual([-3]);
  });

  it('should take over once when it is sent twice, and let one of two win', async () => {
    const ref = newTask();
    await bench.create(ref);
    const [first, second] = await bench.twice(ref, () => bench.takeOver(ref));
    expect((second as unknown[]).slice(0, 9)).toEqual((first as unknown[]).slice(0, 9));
    expect(await bench.takeOver(ref, { owner: 'i3' })).toEqual([-3, 2]);
  });

  it('should count a handover as an attempt but not as a death, an end as neither', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.takeOver(ref, { why: 'handover' });
    await bench.takeOver(ref, { why: 'end', epoch: 2 });
    expect(await bench.redis.hmget(bench.keysOf(ref).task, 'attempt', 'deaths')).toEqual([
      '2',
      '0',
    ]);
  });

  it('should tell the cancel mark and the open effects', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.markEffect(ref);
    await bench.markCancel(ref);
    const reply = (await bench.takeOver(ref)) as unknown[];
    expect([reply[4], reply[7]]).toEqual(['by user', 1]);
  });

  it('should refuse a missing task and, but for its end, a parked one', async () => {
    expect(await bench.takeOver(newTask())).toEqual([-1]);
    const ref = newTask();
    await bench.create(ref);
    await bench.settle(ref, { state: 8 });
    expect(await bench.takeOver(ref)).toEqual([-11, 8]);
    expect(await bench.takeOver(ref, { why: 'end' })).toEqual(beginning(1, 2));
    await bench.settle(ref, { state: 5, epoch: 2, expected: 2 });
    expect(await bench.takeOver(ref, { epoch: 2, why: 'end' })).toEqual([-2, 5]);
  });
});
