import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import type { Deed, Looked, WriteDesk } from '../../src/assistant/writes/write-desk.js';
import type { WritePlan } from '../../src/assistant/writes/write-plan.js';
import type { Task } from '../../src/domain/a2a.js';
import { Keys } from '../../src/redis/keys.js';
import { callerOf, Core, coreConfig, say } from '../support/core.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf } from '../support/task-log.js';
import { eventually } from '../support/wait.js';

const ann = callerOf('acme', 'ann');

const PLAN = { tool: 'press', args: { button: 7 } };
/** Whether its intent says how it can be looked for. */
let isMarked: boolean;
/** What the outside world has seen, by task and attempt. */
let acts: string[];
/** Where a first attempt stays for ever. */
let stay: 'in the act' | 'after it' | 'nowhere';
/** What a look at the outside world shows. */
let seen: Looked | 'nothing can be seen';
let looks: number;

function lookBack(_turn: Turn, begun: readonly WritePlan[]): Promise<readonly Looked[]> {
  looks += 1;
  expect(begun).toEqual([{ ...PLAN, summary: 'press the button' }]);
  return seen === 'nothing can be seen' ? Promise.reject(new Error(seen)) : Promise.resolve([seen]);
}

async function* write(turn: Turn, _signal: AbortSignal, desk?: WriteDesk): AsyncIterable<Frame> {
  yield { kind: 'step', text: 'about to write' };
  const before = await desk?.recall();
  if (before !== undefined) {
    yield { kind: 'content', text: `before: ${before}` };
    return;
  }
  const deed = await desk?.once(
    'press the button',
    async (): Promise<Deed> => {
      acts.push(`${turn.taskId} ${turn.attempt}`);
      if (stay === 'in the act') await new Promise(() => undefined);
      return { outcome: 'done', text: 'the button is pressed' };
    },
    isMarked ? PLAN : undefined,
  );
  if (stay === 'after it') await new Promise(() => undefined);
  yield { kind: 'content', text: deed?.text ?? 'nothing' };
}

let redis: RedisServer;
let a: Core;
let b: Core;
beforeEach(async () => {
  acts = [];
  looks = 0;
  isMarked = true;
  seen = { outcome: 'unknown', text: 'no button was pressed at noon' };
  stay = 'nowhere';
  redis = await RedisServer.start();
  const backend = { readOnly: true, run: write, lookBack };
  a = await new Core(coreConfig(redis.url), backend).start();
  b = await new Core(coreConfig(redis.url), backend).start();
});
afterEach(async () => {
  await Promise.all([a.stop(), b.stop()]);
  await redis.stop();
});

async function settledOnB(taskId: string): Promise<Task> {
  const timeoutMs = 20_000;
  return b.tasks.waitSettled(ann, taskId, { timeoutMs, signal: new AbortController().signal });
}

describe('a write of an instance that dies', () => {
  it('should be told, not repeated, once its outcome is known', async () => {
    stay = 'after it';
    const { taskId } = await a.tasks.submit(ann, say('press'));
    const key = new Keys().task('acme', taskId);
    // The outcome is in Redis; the answer never comes.
    await eventually('the outcome is recorded', async () => {
      const effect = await b.redis.reads.hget(key, 'effect:write-1-1');
      return effect?.startsWith('outcome') === true;
    });
    stay = 'nowhere';
    a.vanish();
    const task = await settledOnB(taskId);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answerOf(task)).toBe('before: the button is pressed');
    expect(acts).toEqual([`${taskId} 1`]);
  });

  it('should be looked for while its outcome is not known, and told once it is seen', async () => {
    stay = 'in the act';
    seen = { outcome: 'done', text: 'a pressed button was seen' };
    const { taskId } = await a.tasks.submit(ann, say('press'));
    await eventually('the act has begun', () => acts.length > 0);
    a.vanish();
    const task = await settledOnB(taskId);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answerOf(task)).toBe('before: a pressed button was seen');
    expect(acts).toEqual([`${taskId} 1`]);
  });

  it('should fail the task with what may have been done where a look does not show it', async () => {
    stay = 'in the act';
    const { taskId } = await a.tasks.submit(ann, say('press'));
    await eventually('the act has begun', () => acts.length > 0);
    a.vanish();
    const task = await settledOnB(taskId);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.status.message?.parts[0]?.text).toMatch(
      /may have been done.*press the button\. no button was pressed at noon$/,
    );
    expect([looks, acts.length]).toEqual([1, 1]);
  });

  it('should fail the task with what may have been done while its outcome is not known', async () => {
    stay = 'in the act';
    isMarked = false;
    const { taskId } = await a.tasks.submit(ann, say('press'));
    await eventually('the act has begun', () => acts.length > 0);
    a.vanish();
    const task = await settledOnB(taskId);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.status.message?.parts[0]?.text).toMatch(/may have been done.*press the button$/);
    expect([looks, acts.length]).toEqual([0, 1]);
  });

  it('should be named when the task is canceled in the middle of it', async () => {
    stay = 'in the act';
    const { taskId } = await a.tasks.submit(ann, say('press'));
    await eventually('the act has begun', () => acts.length > 0);
    const { task } = await b.tasks.cancel(ann, taskId);
    expect(task.status.state).toBe('TASK_STATE_CANCELED');
    expect(task.status.message?.parts[0]?.text).toMatch(/may have been done: press the button/);
  });
});
