import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('restart-log', () => {
  it('should begin behind all that was acknowledged, once when sent twice', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    await bench.create(ref);
    await bench.append(ref, { events: ['{"a":1}', '{"a":2}'] });
    const told = await bench.listen(ref);
    const replies = await bench.twice(ref, () => bench.restartLog(ref, { found: 3, before: 9 }));
    expect(replies).toEqual([
      [1, 10, ''],
      [1, 10, ''],
    ]);
    expect(await told()).toEqual(['10 1 - now\n{"task":"whole"}']);
    expect(await bench.logOf(ref)).toEqual([['10-1', '{"task":"whole"}']]);
    expect(await bench.redis.hmget(k.task, 'seq', 'snapshot_seq', 'state')).toEqual([
      ...['10', '10', '2'],
    ]);
    expect(await bench.redis.zscore(k.states[1]!, ref.taskId)).toBe('2500');
    expect(await bench.append(ref, { expected: 10 })).toEqual([1, 11, '']);
    expect(await bench.readLog(ref, { seq: 2, epoch: 1 })).toEqual([-4, 11, 1, 2]);
  });

  it('should take what is staged, and refuse when it is gone', async () => {
    const ref = newTask();
    const k = bench.keysOf(ref);
    await bench.create(ref);
    expect(await bench.restartLog(ref, { snapshot: '' })).toEqual([-14]);
    await bench.redis.set(k.stage('r'), '6-1\n{"id":"staged"}');
    expect(await bench.restartLog(ref, { snapshot: '' })).toEqual([1, 6, '']);
    expect(await bench.redis.get(k.snapshot)).toBe('6-1\n{"id":"staged"}');
  });

  it('should refuse a log that is not as it was found, and whoever may not write', async () => {
    const ref = newTask();
    await bench.create(ref);
    expect(await bench.restartLog(ref, { found: 2 })).toEqual([-5, 1]);
    expect(await bench.restartLog(ref, { before: 1 })).toEqual([-5, 1]);
    expect(await bench.restartLog(ref, { epoch: 2 })).toEqual([-3]);
    await bench.settle(ref);
    expect(await bench.restartLog(ref)).toEqual([-2, 3]);
    expect(await bench.restartLog(newTask())).toEqual([-1]);
  });
});
