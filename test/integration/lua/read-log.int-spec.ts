import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginning, newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('read-log', () => {
  it('should give every event after the cursor, bounded', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.append(ref, { events: ['{"a":1}', '{"a":2}', '{"a":3}'] });
    expect(await bench.readLog(ref, { seq: 2, epoch: 1 })).toEqual([
      ...[1, 4, 1, 1],
      ['3-1', '{"a":2}', '4-1', '{"a":3}'],
    ]);
    expect(await bench.readLog(ref, { seq: 4, epoch: 1 })).toEqual([1, 4, 1, 1, []]);
    const start = (await bench.readLog(ref, { seq: 0, epoch: 0 }, { most: 2 })) as unknown[];
    expect((start[4] as string[]).filter((_, i) => i % 2 === 0)).toEqual(['1-1', '2-1']);
  });

  it('should call a cursor lost beyond the head, of another epoch, or trimmed away', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.append(ref, { events: Array.from({ length: 9 }, () => '{}') });
    expect(await bench.readLog(ref, { seq: 11, epoch: 1 })).toEqual([-4, 10, 1, 1]);
    expect(await bench.readLog(ref, { seq: 4, epoch: 2 })).toEqual([-4, 10, 1, 1]);
    await bench.saveSnapshot(ref, { seq: 8, keep: 2 });
    expect(await bench.readLog(ref, { seq: 3, epoch: 1 })).toEqual([-4, 10, 1, 1]);
    expect(await bench.readLog(ref, { seq: 0, epoch: 0 })).toEqual([-4, 10, 1, 1]);
    expect(await bench.readLog(ref, { seq: 6, epoch: 1 })).toEqual(beginning(1, 10));
  });

  it('should go on over the border of two epochs', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.append(ref);
    await bench.takeOver(ref);
    await bench.append(ref, { epoch: 2, expected: 2, events: ['{"b":1}'] });
    expect(await bench.readLog(ref, { seq: 2, epoch: 1 })).toEqual([
      1,
      3,
      2,
      1,
      ['3-2', '{"b":1}'],
    ]);
  });

  it('should answer another user’s task exactly like a missing one', async () => {
    const ref = newTask();
    await bench.create(ref);
    expect(await bench.readLog(ref, { seq: 0, epoch: 0 }, { user: 'u2' })).toEqual([-1]);
    expect(await bench.readLog(newTask(), { seq: 0, epoch: 0 })).toEqual([-1]);
  });
});
