import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginning, newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('read-task', () => {
  it('should give the head and the events since the snapshot', async () => {
    const ref = newTask();
    await bench.create(ref);
    await bench.append(ref, { events: ['{"a":1}', '{"a":2}'] });
    await bench.saveSnapshot(ref, { seq: 2 });
    const [code, head, snapshotSeq, tail] = (await bench.readTask(ref)) as [
      number,
      string[],
      number,
      string[],
    ];
    expect([code, snapshotSeq, tail]).toEqual([1, 2, ['3-1', '{"a":2}']]);
    expect(head.slice(0, 6)).toEqual(['u1', ref.contextId, '1', '3', '1', 'i1']);
    expect(head).toHaveLength(16);
  });

  it('should answer another user’s task exactly like a missing one, and the gateway itself', async () => {
    const ref = newTask();
    await bench.create(ref);
    expect(await bench.readTask(ref, 'u2')).toEqual([-1]);
    expect(await bench.readTask(newTask())).toEqual([-1]);
    expect(await bench.readTask(ref, '')).toEqual(beginning(1));
  });
});
