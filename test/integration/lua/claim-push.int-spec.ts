import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PushBench } from '../../support/push-bench.js';
import { beginning, newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
let push: PushBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
  push = new PushBench(bench);
});
afterAll(async () => {
  await bench.stop();
});

describe('claim-push', () => {
  it('should turn a task’s entry into its webhooks’', async () => {
    const ref = newTask();
    await bench.create(ref);
    await push.set(ref, 'a');
    await push.set(ref, 'b c');
    expect(await push.claim(ref, '')).toEqual([2]);
    expect(Object.keys(await push.due(ref)).sort()).toEqual([
      `${ref.taskId} a`,
      `${ref.taskId} b c`,
    ]);
  });

  it('should give a webhook to one sender, and to the next when the claim is over', async () => {
    const ref = newTask();
    await bench.create(ref);
    await push.set(ref, 'h', { cursor: '0-0' });
    await push.claim(ref, '');
    expect(await push.claim(ref, 'h', 'c1', 150)).toEqual(beginning(1, 'sealed-h', '0-0', 0, 0, 0));
    // The same claim again, as after a lost answer.
    expect(await push.claim(ref, 'h', 'c1', 150)).toEqual(beginning(1, 'sealed-h'));
    expect(await push.claim(ref, 'h', 'c2')).toEqual([0]);
    const [looked] = Object.values(await push.due(ref));
    expect(looked).toBeGreaterThan(Date.now() - 1000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await push.claim(ref, 'h', 'c2')).toEqual(beginning(1));
    expect(await push.report(ref, {}, 'h', 'c1')).toEqual([-21]);
  });

  it('should leave one alone that waits for its next try, and not lose it', async () => {
    const ref = newTask();
    await bench.create(ref);
    await push.set(ref);
    await push.claim(ref, '');
    await push.claim(ref);
    const at = Date.now() + 60_000;
    await push.report(ref, { what: 'failed', at, tries: 2, since: 7, frozen: 1 });
    // Something new in the meantime makes the task due, not the webhook.
    await bench.append(ref);
    expect(await push.claim(ref, '')).toEqual([2]);
    expect(await push.due(ref)).toEqual({ [`${ref.taskId} h`]: at });
    expect(await push.claim(ref, 'h', 'c2')).toEqual([0]);
  });

  it('should tell how often and since when the last tries failed', async () => {
    const ref = newTask();
    await bench.create(ref);
    await push.set(ref);
    await push.claim(ref);
    await push.report(ref, { what: 'failed', at: 1, tries: 2, since: 7, frozen: 1 });
    expect(await push.claim(ref, 'h', 'c2')).toEqual(beginning(1, 'sealed-h', '', 2, 7, 1));
  });

  it('should have nothing to do at the head of the log, and drop the entry', async () => {
    const ref = newTask();
    await bench.create(ref);
    await push.set(ref, 'h', { cursor: '1-1' });
    await push.claim(ref, '');
    expect(await push.claim(ref)).toEqual([0]);
    expect(await push.due(ref)).toEqual({});
    await bench.append(ref);
    expect(Object.keys(await push.due(ref))).toEqual([ref.taskId]);
  });

  it('should claim when the cursor is beyond the head, as after a lost write', async () => {
    const ref = newTask();
    await bench.create(ref);
    await push.set(ref, 'h', { cursor: '9-1' });
    expect(await push.claim(ref)).toEqual(beginning(1, 'sealed-h', '9-1'));
  });

  it('should drop the entry of what is gone', async () => {
    const ref = newTask();
    await bench.create(ref);
    await push.set(ref, 'a');
    await push.set(ref, 'b');
    await push.claim(ref, '');
    await push.remove(ref, 'b');
    expect(await push.claim(ref, 'b')).toEqual([-1]);
    await bench.redis.del(bench.keysOf(ref).task);
    expect(await push.claim(ref, 'a')).toEqual([-1]);
    expect(await push.claim(ref, '')).toEqual([-1]);
    expect(await push.due(ref)).toEqual({});
  });

  it('should keep the webhooks for as long as the task', async () => {
    const ref = newTask();
    await bench.create(ref);
    await push.set(ref);
    await bench.redis.pexpire(bench.keysOf(ref).task, 7_000_000);
    await push.claim(ref, '');
    expect(await push.ttl(ref)).toBeGreaterThan(6_900_000);
  });
});
