import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import type { WriteDesk } from '../../src/assistant/writes/write-desk.js';
import type { Task } from '../../src/domain/a2a.js';
import { Keys } from '../../src/redis/keys.js';
import { callerOf, Core, coreConfig, say, tenant } from '../support/core.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, sleep } from '../support/wait.js';

const ann = callerOf('acme', 'ann');
const fay = callerOf('frail', 'fay');

/** What the run at hand does once its task at the remote has a name. */
let then: 'hang' | 'end' | 'ask';
/** Whether a later attempt asks the remote the same again. */
let asksAgain: boolean;

/** Asks an agent that only reads, whose task is called after the attempt. */
async function* asking(turn: Turn, signal: AbortSignal, desk?: WriteDesk): AsyncIterable<Frame> {
  if (turn.attempt > 1 && !asksAgain) {
    yield { kind: 'content', text: 'another way' };
    return;
  }
  const plan = { remote: 'far', what: 'ask far', hash: 'h', readOnly: true };
  const call = await desk?.calls.open(plan);
  const taskId = call?.before?.kind === 'task' ? call.before.taskId : `far-${turn.attempt}`;
  await call?.named(taskId);
  if (then === 'hang' && turn.attempt === 1) await sleep(60_000, undefined, { signal });
  await call?.end('done', 'it says so');
  yield then === 'ask'
    ? { kind: 'input_required', question: 'Which one?', expects: 'text' }
    : { kind: 'content', text: 'it says so' };
}

let redis: RedisServer;
let a: Core;
let b: Core;
beforeEach(async () => {
  then = 'hang';
  asksAgain = false;
  redis = await RedisServer.start();
  const backend = { readOnly: true, run: asking };
  const tenants = [tenant('acme'), tenant('frail', { takeover: 'fail' })];
  a = await new Core(coreConfig(redis.url, { tenants }), backend).start();
  b = await new Core(coreConfig(redis.url, { tenants }), backend).start();
});
afterEach(async () => {
  await Promise.all([a.stop(), b.stop()]);
  await redis.stop();
});

/** A task on A whose task at the remote is recorded. */
async function asked(ctx = ann): Promise<string> {
  const { taskId } = await a.tasks.submit(ctx, say('ask far'));
  const key = new Keys().task(ctx.tenant, taskId);
  await eventually('it is recorded', async () => {
    const effect = await b.redis.reads.hget(key, 'effect:call-1-1');
    return effect?.startsWith('link') === true;
  });
  return taskId;
}

async function settledOnB(taskId: string, ctx = ann): Promise<Task> {
  const signal = new AbortController().signal;
  return b.tasks.waitSettled(ctx, taskId, { timeoutMs: 20_000, signal });
}

const canceledByB = (): Promise<readonly string[]> =>
  eventually('the remote is told', () => b.remoteCancels.length > 0 && b.remoteCancels);

describe('a task at a remote whose asker dies', () => {
  it('should be canceled when the next attempt goes another way', async () => {
    const taskId = await asked();
    a.vanish();
    expect((await settledOnB(taskId)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(await canceledByB()).toEqual(['far far-1']);
  });

  it('should be left alone when the next attempt takes it up', async () => {
    asksAgain = true;
    const taskId = await asked();
    a.vanish();
    expect((await settledOnB(taskId)).status.state).toBe('TASK_STATE_COMPLETED');
    // Whatever is to be canceled is looked up by one more command after the end.
    await sleep(200);
    expect([...a.remoteCancels, ...b.remoteCancels]).toEqual([]);
  });

  it('should be canceled when the takeover ends our task', async () => {
    const taskId = await asked(fay);
    a.vanish();
    expect((await settledOnB(taskId, fay)).status.state).toBe('TASK_STATE_FAILED');
    expect(await canceledByB()).toEqual(['far far-1']);
  });

  it('should be canceled with our task', async () => {
    const taskId = await asked();
    a.vanish();
    const { task } = await b.tasks.cancel(ann, taskId);
    expect(task.status.state).toBe('TASK_STATE_CANCELED');
    expect(await canceledByB()).toEqual(['far far-1']);
  });
});

describe('a task at a remote that waits for an answer', () => {
  it('should be canceled with ours, which waits for the same', async () => {
    then = 'ask';
    const { taskId } = await a.tasks.submit(ann, say('ask far'));
    expect((await settledOnB(taskId)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    await b.tasks.cancel(ann, taskId);
    expect(await canceledByB()).toEqual(['far far-1']);
  });
});
