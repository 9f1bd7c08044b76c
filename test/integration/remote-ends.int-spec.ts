import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import type { WriteDesk } from '../../src/assistant/writes/write-desk.js';
import { Keys } from '../../src/redis/keys.js';
import { callerOf, Core, coreConfig, say, tenant } from '../support/core.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, sleep } from '../support/wait.js';

const ann = callerOf('acme', 'ann');
const fay = callerOf('frail', 'fay');

/**
 * Asks an agent that only reads, whose task is called after the user's message. The first attempt hangs
 * then, unless it is to `ask`; a later one takes that up again where the message says so.
 */
async function* asking(turn: Turn, signal: AbortSignal, desk?: WriteDesk): AsyncIterable<Frame> {
  const isAsking = turn.text.startsWith('ask');
  if (turn.attempt > 1 && !turn.text.includes('again')) {
    yield { kind: 'content', text: 'another way' };
    return;
  }
  const plan = { remote: 'far', what: 'ask far', hash: 'h', readOnly: true };
  const call = await desk?.calls.open(plan);
  const taskId = call?.before?.kind === 'task' ? call.before.taskId : turn.text;
  await call?.named(taskId);
  if (!isAsking && turn.attempt === 1) await sleep(60_000, undefined, { signal });
  await call?.end('done', 'it says so');
  yield isAsking
    ? { kind: 'input_required', question: 'Which one?', expects: 'text' }
    : { kind: 'content', text: 'it says so' };
}

let redis: RedisServer;
let a: Core;
let b: Core;
beforeAll(async () => {
  redis = await RedisServer.start();
  const backend = { readOnly: true, run: asking };
  const tenants = [tenant('acme'), tenant('frail', { takeover: 'fail' })];
  a = await new Core(coreConfig(redis.url, { tenants }), backend).start();
  b = await new Core(coreConfig(redis.url, { tenants }), backend).start();
});
afterAll(async () => {
  await Promise.all([a.stop(), b.stop()]);
  await redis.stop();
});

/** A task on A whose task at the remote is recorded. */
async function asked(text: string, ctx = ann): Promise<string> {
  const { taskId } = await a.tasks.submit(ctx, say(text));
  const key = new Keys().task(ctx.tenant, taskId);
  await eventually('it is recorded', async () => {
    const effect = await b.redis.reads.hget(key, 'effect:call-1-1');
    return effect?.startsWith('link') === true;
  });
  return taskId;
}

async function stateOnB(taskId: string, ctx = ann): Promise<string> {
  const signal = new AbortController().signal;
  const task = await b.tasks.waitSettled(ctx, taskId, { timeoutMs: 20_000, signal });
  return task.status.state;
}

async function canceledByB(text: string): Promise<void> {
  await eventually(`${text} is canceled`, () => b.remoteCancels.includes(`far ${text}`));
}

describe('a task at a remote that waits for an answer', () => {
  it('should be canceled with ours, which waits for the same', async () => {
    const taskId = await asked('ask');
    expect(await stateOnB(taskId)).toBe('TASK_STATE_INPUT_REQUIRED');
    await b.tasks.cancel(ann, taskId);
    await canceledByB('ask');
  });
});

describe('a task at a remote whose asker dies', () => {
  it('should be canceled where no run follows it any more, and else be left alone', async () => {
    const quick = await asked('canceled');
    const other = await asked('other way');
    const again = await asked('again');
    const frail = await asked('ended', fay);
    a.vanish();
    expect((await b.tasks.cancel(ann, quick)).task.status.state).toBe('TASK_STATE_CANCELED');
    await canceledByB('canceled');
    expect(await stateOnB(other)).toBe('TASK_STATE_COMPLETED');
    await canceledByB('other way');
    expect(await stateOnB(frail, fay)).toBe('TASK_STATE_FAILED');
    await canceledByB('ended');
    expect(await stateOnB(again)).toBe('TASK_STATE_COMPLETED');
    // Whatever is to be canceled is looked up by one more command after the end.
    await sleep(200);
    expect([...a.remoteCancels, ...b.remoteCancels]).not.toContain('far again');
  });
});
