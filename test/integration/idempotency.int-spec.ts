import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import type { Message } from '../../src/domain/a2a.js';
import type { Submission, Submitted } from '../../src/tasks/task.types.js';
import { backendOf, callerOf, Core, coreConfig, say } from '../support/core.js';
import { RedisServer } from '../support/redis-server.js';

const alice = callerOf('acme', 'alice');
const bob = callerOf('acme', 'bob');
const never = (): AbortSignal => new AbortController().signal;

let runs: string[] = [];

async function* talk(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
  runs.push(turn.text);
  await Promise.resolve();
  if (turn.text === 'hang') {
    yield { kind: 'step', text: 'hanging' };
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
  } else if (turn.text === 'ask' || turn.text === 'approve') {
    const expects = turn.text === 'ask' ? 'text' : 'approval';
    yield { kind: 'input_required', question: 'Sure?', expects };
  } else {
    yield { kind: 'content', text: `heard ${turn.text}` };
  }
}

function keyed(key: string, text: string, over: Partial<Message> = {}): Submission {
  return { ...say(text, over), idempotencyKey: key };
}

describe('an Idempotency-Key', () => {
  let redis: RedisServer;
  let a: Core;
  let b: Core;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(async () => {
    await redis.stop();
  });
  beforeEach(async () => {
    runs = [];
    a = await new Core(coreConfig(redis.url), backendOf(talk)).start();
    b = await new Core(coreConfig(redis.url), backendOf(talk)).start();
  });
  afterEach(async () => {
    await Promise.all([a.stop(), b.stop()]);
  });

  function settled(core: Core, { taskId }: Submitted) {
    return core.tasks.waitSettled(alice, taskId, { timeoutMs: 5000, signal: never() });
  }

  it('should give one run to twins, wherever and how often they arrive', async () => {
    const twins = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? a : b).tasks.submit(alice, keyed('k1', 'world', { contextId: 'c1' })),
      ),
    );
    expect(new Set(twins.map((twin) => twin.taskId)).size).toBe(1);
    expect(twins.filter((twin) => twin.how === 'created')).toHaveLength(1);
    await settled(a, twins[0]!);
    expect(runs).toEqual(['world']);
    const later = await b.tasks.submit(alice, keyed('k1', 'world', { contextId: 'c1' }));
    expect(later).toMatchObject({ taskId: twins[0]!.taskId, how: 'joined', turn: 1 });
  });

  it('should join without a context id, which each call would make anew', async () => {
    const first = await a.tasks.submit(alice, keyed('k2', 'world'));
    const second = await b.tasks.submit(alice, keyed('k2', 'world'));
    expect(second).toMatchObject({ taskId: first.taskId, contextId: first.contextId });
  });

  it('should refuse other content, another context and another task', async () => {
    await a.tasks.submit(alice, keyed('k3', 'world', { contextId: 'c3' }));
    for (const other of [
      keyed('k3', 'other', { contextId: 'c3' }),
      keyed('k3', 'world', { contextId: 'c4' }),
      keyed('k3', 'world'),
    ]) {
      await expect(b.tasks.submit(alice, other)).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
      });
    }
    expect(runs).toEqual(['world']);
  });

  it('should be one user’s own', async () => {
    const mine = await a.tasks.submit(alice, keyed('k4', 'world'));
    const his = await b.tasks.submit(bob, keyed('k4', 'other'));
    expect(his.how).toBe('created');
    expect(his.taskId).not.toBe(mine.taskId);
  });

  it('should hold for an answer to a question, by task and by context', async () => {
    for (const by of ['task', 'context'] as const) {
      const key = `k5-${by}`;
      const asked = await a.tasks.submit(alice, say('ask'));
      await settled(a, asked);
      const to = by === 'task' ? { taskId: asked.taskId } : { contextId: asked.contextId };
      const twins = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? a : b).tasks.submit(alice, keyed(key, 'yes', to)),
        ),
      );
      expect(twins.map((twin) => twin.taskId)).toEqual(twins.map(() => asked.taskId));
      expect(twins.filter((twin) => twin.how === 'continued')).toHaveLength(1);
      expect((await settled(b, asked)).status.state).toBe('TASK_STATE_COMPLETED');
      const late = await b.tasks.submit(alice, keyed(key, 'yes', to));
      expect(late).toMatchObject({ taskId: asked.taskId, how: 'joined' });
    }
    expect(runs.filter((text) => text === 'yes')).toHaveLength(2);
  });

  it('should leave a question open whose own message comes again', async () => {
    const message = keyed('k6', 'approve', { contextId: 'c6' });
    const asked = await a.tasks.submit(alice, message);
    await settled(a, asked);
    expect(await b.tasks.submit(alice, message)).toMatchObject({ taskId: asked.taskId });
    const { status } = await b.tasks.get(alice, asked.taskId);
    expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('should keep the hint of a run whose twin got nothing', async () => {
    const asked = await a.tasks.submit(alice, say('ask'));
    await settled(a, asked);
    const answer = keyed('k7', 'hang', { taskId: asked.taskId });
    await Promise.all(Array.from({ length: 10 }, () => a.tasks.submit(alice, answer)));
    const hints = await a.redis.reads.smembers(`nj:runs:${a.execution.instance}`);
    expect(hints).toContain(`acme/${asked.taskId}`);
    await a.tasks.cancel(alice, asked.taskId);
  });

  it.each(['', ' ', 'x'.repeat(257), 'tab\tin', 'naïve'])('should refuse %j', async (key) => {
    await expect(a.tasks.submit(alice, keyed(key, 'world'))).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
    expect(runs).toEqual([]);
  });
});
