import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginning, newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('append-events', () => {
  it('should log a batch under seq and epoch, then tell the subscribers the same', async () => {
    const ref = newTask();
    await bench.create(ref);
    const told = await bench.listen(ref);
    expect(await bench.append(ref, { events: ['{"a":1}', '{"a":2}'] })).toEqual([1, 3, '']);
    expect((await bench.logOf(ref)).slice(1)).toEqual([
      ['2-1', '{"a":1}'],
      ['3-1', '{"a":2}'],
    ]);
    expect(await told()).toEqual(['2 1 - now\n{"a":1}\n{"a":2}']);
    expect(await bench.redis.hget(bench.keysOf(ref).task, 'seq')).toBe('3');
  });

  it('should apply a batch once when it is sent twice', async () => {
    const ref = newTask();
    await bench.create(ref);
    const [first, second] = await bench.twice(ref, () => bench.append(ref));
    expect(second).toEqual(first);
  });

  it('should take a batch that was overtaken by its successor for applied', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.append(ref);
    await bench.append(ref, { expected: 2 });
    expect(await bench.append(ref)).toEqual([1, 3, '']);
    expect(await bench.logOf(ref)).toHaveLength(3);
  });

  it('should keep payloads byte for byte', async () => {
    const ref = newTask();
    await bench.create(ref);
    const odd = '{"empty":[],"big":12345678901234567890,"text":"告警 \\u0000 😀"}';
    await bench.append(ref, { events: [odd] });
    expect((await bench.logOf(ref))[1]![1]).toBe(odd);
  });

  it('should refuse a stale epoch, also one that is too high', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.takeOver(ref);
    const before = await bench.dump();
    expect(await bench.append(ref)).toEqual([-3]);
    expect(await bench.append(ref, { epoch: 3 })).toEqual([-3]);
    expect(await bench.dump()).toEqual(before);
    expect(await bench.append(ref, { epoch: 2 })).toEqual(beginning(1, 2));
  });

  it('should refuse a settled task, a missing one, a rewound log and a foreign head', async () => {
    const ref = newTask();
    expect(await bench.append(ref)).toEqual([-1]);
    await bench.create(ref);
    expect(await bench.append(ref, { expected: 9 })).toEqual([-5, 1]);
    await bench.append(ref, { events: ['{}', '{}'] });
    expect(await bench.append(ref, { expected: 2, events: ['{}', '{}'] })).toEqual([-12, 3]);
    await bench.settle(ref, { expected: 3 });
    const before = await bench.dump();
    expect(await bench.append(ref, { expected: 4 })).toEqual([-2, 3]);
    expect(await bench.dump()).toEqual(before);
  });

  it('should tell nobody what it could not store', async () => {
    const ref = newTask();
    await bench.create(ref);
    // A log whose head is beyond the task's makes the write fail inside the script.
    await bench.redis.xadd(bench.keysOf(ref).log, '99-1', 'e', '{}');
    const told = await bench.listen(ref);
    await expect(bench.append(ref)).rejects.toThrow(/smaller than/);
    expect(await told()).toEqual([]);
  });

  it('should carry the cancel mark in its reply', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.markCancel(ref);
    expect(await bench.append(ref)).toEqual([1, 2, 'by user']);
  });
});
