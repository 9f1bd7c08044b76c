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

async function claimed() {
  const ref = newTask();
  await bench.create(ref);
  await push.set(ref, 'h', { cursor: '0-0' });
  await push.claim(ref, '');
  await push.claim(ref);
  return ref;
}

describe('report-push', () => {
  it('should end the claim at the head, and move the cursor once when sent twice', async () => {
    const ref = await claimed();
    expect(await bench.twice(ref, () => push.report(ref))).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(await push.fields(ref)).toEqual({
      'hook:h': 'sealed-h',
      'at:h': '1-1',
      'hold:h': 'c1 0',
    });
    expect(await push.due(ref)).toEqual({});
  });

  it('should go on with the claim while there is more', async () => {
    const ref = await claimed();
    await bench.append(ref, { events: ['{"a":1}', '{"b":1}'] });
    expect(await bench.twice(ref, () => push.report(ref, { cursor: '2-1' }))).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(await push.fields(ref)).toMatchObject({ 'at:h': '2-1', 'hold:h': 'c1 9000000000000' });
    expect(await push.claim(ref, 'h', 'c2')).toEqual([0]);
  });

  it('should see what was appended between the last look and the report', async () => {
    const ref = await claimed();
    await bench.append(ref);
    await push.claim(ref, '');
    expect(await push.report(ref, { cursor: '1-1' })).toEqual([1, 1]);
    expect(await push.report(ref, { cursor: '2-1' })).toEqual([1, 0]);
    expect(await push.due(ref)).toEqual({});
  });

  it('should keep the time of the next try and what was told, and forget it by a success', async () => {
    const ref = await claimed();
    const failed = { what: 'failed', at: 5000, tries: 3, since: 1000, frozen: 1 } as const;
    expect(await bench.twice(ref, () => push.report(ref, failed))).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(await push.fields(ref)).toMatchObject({
      'fail:h': '3 5000 1000 1',
      'hold:h': 'c1 0',
      'at:h': '0-0',
    });
    expect(await push.due(ref)).toEqual({ [`${ref.taskId} h`]: 5000 });
    await push.claim(ref, 'h', 'c2');
    await push.report(ref, {}, 'h', 'c2');
    expect(await push.fields(ref)).not.toHaveProperty('fail:h');
  });

  it('should give a claim back at once', async () => {
    const ref = await claimed();
    expect(await push.report(ref, { what: 'left', at: 4000 })).toEqual([1, 1]);
    expect(await push.due(ref)).toEqual({ [`${ref.taskId} h`]: 4000 });
    expect(await push.claim(ref, 'h', 'c2')).toEqual(beginning(1, 'sealed-h', '0-0'));
  });

  it('should drop a webhook whole, and the mark with the last one', async () => {
    const ref = await claimed();
    await push.set(ref, 'other');
    expect(await push.report(ref, { what: 'dropped' })).toEqual([1, 0]);
    expect(await push.fields(ref)).toEqual({ 'hook:other': 'sealed-other', 'at:other': '' });
    expect(await push.marked(ref)).toBe(true);
    await push.claim(ref, 'other', 'c2');
    expect(await push.report(ref, { what: 'dropped' }, 'other', 'c2')).toEqual([1, 0]);
    expect(await push.marked(ref)).toBe(false);
    expect(await push.report(ref, { what: 'dropped' }, 'other', 'c2')).toEqual([-1]);
  });

  it('should change nothing for a claim that is another’s by now', async () => {
    const ref = await claimed();
    await bench.redis.hset(`nj:{${ref.tenant}}:push:${ref.taskId}`, 'hold:h', 'c2 9000000000000');
    const before = await push.fields(ref);
    for (const what of ['sent', 'failed', 'left', 'dropped'] as const) {
      expect(await push.report(ref, { what })).toEqual([-21]);
    }
    expect(await push.fields(ref)).toEqual(before);
  });

  it('should say that the task is gone', async () => {
    const ref = await claimed();
    await bench.redis.del(bench.keysOf(ref).task);
    expect(await push.report(ref)).toEqual([-1]);
  });
});
