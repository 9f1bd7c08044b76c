import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Frame } from '../../src/assistant/assistant-backend.js';
import type { StreamResponse, Task } from '../../src/domain/a2a.js';
import { foldEvents } from '../../src/domain/fold.js';
import { Keys } from '../../src/redis/keys.js';
import { backendOf, callerOf, Core, coreConfig, say } from '../support/core.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, within } from '../support/wait.js';

const ctx = callerOf('acme', 'alice');
const never = new AbortController().signal;

/** What the backend says, one word when it is told to. */
class Mouth {
  private readonly waiting: string[] = [];
  private wake: () => void = () => undefined;

  say(...words: readonly string[]): void {
    this.waiting.push(...words);
    this.wake();
  }

  async *frames(): AsyncIterable<Frame> {
    for (;;) {
      const word = this.waiting.shift();
      if (word === 'end') return;
      if (word !== undefined) yield { kind: 'content', text: word };
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

let redis: RedisServer;
let mouth: Mouth;
let owner: Core;
let other: Core;
beforeEach(async () => {
  redis = await RedisServer.start({ aof: true });
  mouth = new Mouth();
  const backend = backendOf(() => mouth.frames());
  owner = await new Core(coreConfig(redis.url), backend).start();
  other = await new Core(coreConfig(redis.url), backend).start();
});
afterEach(async () => {
  mouth.say('end');
  await Promise.all([owner.stop(), other.stop()]);
  await redis.stop();
});

/** A running task, what a reader on the other instance gets of it, and its head in Redis. */
async function begin(): Promise<{
  taskId: string;
  events: StreamResponse[];
  over: Promise<void>;
  head: () => Promise<number>;
}> {
  const { taskId } = await owner.tasks.submit(ctx, say('talk'));
  const events: StreamResponse[] = [];
  const stream = await other.tasks.subscribe(ctx, taskId, { from: 'start' }, never);
  const over = (async () => {
    for await (const { json } of stream) events.push(JSON.parse(json) as StreamResponse);
  })();
  const key = new Keys().task('acme', taskId);
  const head = async (): Promise<number> => Number(await owner.redis.reads.hget(key, 'seq'));
  return { taskId, events, over, head };
}

const answer = (task: Task): string =>
  (task.artifacts ?? [])
    .filter(({ name }) => name === 'answer')
    .flatMap(({ parts }) => parts.map((part) => part.text ?? ''))
    .join('');

/** Redis dies and comes back as of `size`; what it acknowledged since is lost. */
async function lose(size: number): Promise<void> {
  await redis.kill9();
  await redis.forgetAfter(size);
  await redis.restart();
}

async function grown(head: () => Promise<number>, from: number): Promise<number> {
  return eventually('the log has grown', async () => {
    const now = await head().catch(() => 0);
    return now > from ? now : undefined;
  });
}

async function logOf(taskId: string): Promise<string[]> {
  const log = new Keys().log('acme', taskId);
  return (await owner.redis.reads.xrange(log, '-', '+')).map(([id]) => id);
}

describe('a run whose log comes back shorter', () => {
  it('should append again what was lost, under the same ids, and go on', async () => {
    const run = await begin();
    mouth.say('one ');
    const before = await grown(run.head, 2);
    const size = await redis.written();
    mouth.say('two ');
    await grown(run.head, before);
    const acknowledged = await grown(run.head, before);
    const ids = await logOf(run.taskId);
    await lose(size);
    // Nothing is said meanwhile: the heartbeat sees it.
    const mended = await eventually('the log is whole again', async () => {
      const now = await run.head().catch(() => 0);
      return now >= acknowledged ? now : undefined;
    });
    expect(mended).toBe(acknowledged);
    expect(await logOf(run.taskId)).toEqual(ids);
    mouth.say('three', 'end');
    await within('the stream ends', 20_000, run.over);
    const task = await other.tasks.get(ctx, run.taskId);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answer(task)).toBe('one two three');
    expect(foldEvents(run.events)).toEqual(task);
  });

  it('should start over with the whole task when too much was lost', async () => {
    const run = await begin();
    mouth.say('one ');
    const before = await grown(run.head, 2);
    const size = await redis.written();
    const long = Array.from({ length: 30 }, (_, n) => `${n}:${'x'.repeat(15_000)} `);
    mouth.say(...long);
    await eventually('all is acknowledged', async () =>
      answer(await other.tasks.get(ctx, run.taskId)).endsWith(long.at(-1)!) ? true : undefined,
    );
    expect(await run.head()).toBeGreaterThan(before + 20);
    await lose(size);
    mouth.say('three', 'end');
    await within('the stream ends', 20_000, run.over);
    const task = await other.tasks.get(ctx, run.taskId);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answer(task)).toBe(`one ${long.join('')}three`);
    expect(foldEvents(run.events)).toEqual(task);
    const seqs = (await logOf(run.taskId)).map((id) => Number(id.split('-')[0]));
    expect(seqs.every((seq, at) => at === 0 || seq === seqs[at - 1]! + 1)).toBe(true);
    expect(seqs[0]).toBeGreaterThan(before + 20);
  });

  it('should end well also when the loss shows only at its last write', async () => {
    const run = await begin();
    mouth.say('one ');
    const before = await grown(run.head, 2);
    const size = await redis.written();
    mouth.say(...Array.from({ length: 30 }, () => 'y'.repeat(15_000)));
    await grown(run.head, before + 20);
    await redis.kill9();
    await redis.forgetAfter(size);
    mouth.say('end');
    await redis.restart();
    await within('the stream ends', 20_000, run.over);
    const task = await other.tasks.get(ctx, run.taskId);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answer(task)).toBe(`one ${'y'.repeat(450_000)}`);
    expect(foldEvents(run.events)).toEqual(task);
  });
});
