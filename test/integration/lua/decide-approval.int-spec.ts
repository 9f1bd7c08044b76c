import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

describe('decide-approval', () => {
  let ref: ReturnType<typeof newTask>;
  let id: string;
  beforeEach(async () => {
    ref = newTask();
    id = randomUUID();
    await bench.create(ref);
  });

  it('should keep the first decision, whoever comes second', async () => {
    await bench.openApproval(ref, id, { most: 1000 });
    expect(await bench.twice(ref, () => bench.decideApproval(ref, id, 'approved'))).toEqual([
      [1, 'approved', 'olga'],
      [1, 'approved', 'olga'],
    ]);
    expect(await bench.decideApproval(ref, id, 'refused', 'otto')).toEqual([1, 'approved', 'olga']);
    expect(await bench.decideApproval(ref, id, 'expired', '')).toEqual([1, 'approved', 'olga']);
    expect(await bench.redis.zscore(bench.approvalsKey(ref), id)).toBeNull();
  });

  it('should approve nothing whose time is up', async () => {
    await bench.openApproval(ref, id, { ms: 1, most: 1000 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await bench.decideApproval(ref, id, 'approved')).toEqual([1, 'expired', '']);
  });

  it('should approve nothing for a run that has lost its task', async () => {
    await bench.openApproval(ref, id, { most: 1000 });
    await bench.takeOver(ref);
    expect(await bench.decideApproval(ref, id, 'approved')).toEqual([-3]);
    expect(await bench.decideApproval(ref, id, 'approved')).toEqual([1, 'expired', '']);
  });

  it('should not know what was never asked', async () => {
    expect(await bench.decideApproval(ref, id, 'approved')).toEqual([-1]);
  });
});
