import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import type { CallContext } from '../../src/domain/call-context.js';
import type { Submitted } from '../../src/tasks/task.types.js';
import { backendOf, callerOf, Core, coreConfig, say } from '../support/core.js';
import { RedisServer } from '../support/redis-server.js';

const never = (): AbortSignal => new AbortController().signal;

async function* talk(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
  await Promise.resolve();
  if (turn.text === 'hang') {
    yield { kind: 'step', text: 'hanging' };
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
  } else if (turn.text === 'ask') {
    yield { kind: 'input_required', question: 'Sure?', expects: 'approval' };
  } else {
    yield { kind: 'memory', data: { secret: 'of the backend' } };
    yield { kind: 'content', text: `turn ${turn.turn} after ${turn.history.length}` };
  }
}

let redis: RedisServer;
let a: Core;
let b: Core;
let alice: CallContext;
let bob: CallContext;
let users = 0;

beforeAll(async () => {
  redis = await RedisServer.start();
});
afterAll(async () => {
  await redis.stop();
});
beforeEach(async () => {
  users += 1;
  alice = callerOf('acme', `alice${users}`);
  bob = callerOf('acme', `bob${users}`);
  a = await new Core(coreConfig(redis.url), backendOf(talk)).start();
  b = await new Core(coreConfig(redis.url), backendOf(talk)).start();
});
afterEach(async () => {
  await Promise.all([a.stop(), b.stop()]);
});

function settled({ taskId }: Submitted) {
  return a.tasks.waitSettled(alice, taskId, { timeoutMs: 5000, signal: never() });
}

async function done(text: string, contextId?: string): Promise<Submitted> {
  const sent = await a.tasks.submit(alice, say(text, contextId === undefined ? {} : { contextId }));
  await settled(sent);
  return sent;
}

describe('removeTask', () => {
  it('should take an own task that has ended out of every answer', async () => {
    const kept = await done('one');
    const sent = await done('two');
    await b.records.removeTask(alice, sent.taskId);
    await expect(a.tasks.get(alice, sent.taskId)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    const list = await a.tasks.list(alice, { pageSize: 10 });
    expect(list.tasks.map((task) => task.id)).toEqual([kept.taskId]);
    expect(list.totalSize).toBe(1);
    await expect(a.records.removeTask(alice, sent.taskId)).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    });
  });

  it('should refuse a running and a parked one, and not know another user’s', async () => {
    const running = await a.tasks.submit(alice, say('hang'));
    const parked = await done('ask');
    for (const { taskId } of [running, parked]) {
      await expect(b.records.removeTask(alice, taskId)).rejects.toMatchObject({
        code: 'UNSUPPORTED_OPERATION',
      });
      await expect(b.records.removeTask(bob, taskId)).rejects.toMatchObject({
        code: 'TASK_NOT_FOUND',
      });
    }
    await a.tasks.cancel(alice, running.taskId);
  });
});

describe('contexts', () => {
  it('should be listed newest first, page by page, each once', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i += 1) ids.unshift((await done(`message ${i}`)).contextId);
    await done('again', ids[6]);
    const order = [ids[6], ...ids.slice(0, 6)];
    const seen: string[] = [];
    for (let pageToken = '', pages = 0; pages < 9; pages += 1) {
      const query = { pageSize: 3, ...(pageToken === '' ? {} : { pageToken }) };
      const page = await b.records.listContexts(alice, query);
      seen.push(...page.contexts.map((context) => context.contextId));
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }
    expect(seen).toEqual(order);
    expect((await b.records.listContexts(bob, { pageSize: 3 })).contexts).toEqual([]);
  });

  it('should not be listed once they have expired', async () => {
    const sent = await done('one');
    const other = await done('two');
    await a.redis.reads.del(`nj:{acme}:ctx:${alice.user}:${sent.contextId}`);
    const page = await b.records.listContexts(alice, { pageSize: 1 });
    expect(page.contexts.map((context) => context.contextId)).toEqual([other.contextId]);
    expect(page.nextPageToken).toBe('');
    expect(await a.redis.reads.zcard(`nj:{acme}:contexts:${alice.user}`)).toBe(1);
  });

  it('should refuse the page token of another list', async () => {
    await done('one');
    await done('two');
    const tasks = await a.tasks.list(alice, { pageSize: 1 });
    for (const pageToken of [tasks.nextPageToken, 'nonsense']) {
      await expect(a.records.listContexts(alice, { pageSize: 1, pageToken })).rejects.toMatchObject(
        { code: 'INVALID_PARAMS' },
      );
    }
  });

  it('should show what was said, and not what the backend keeps for itself', async () => {
    const { contextId } = await done('first');
    await done('second', contextId);
    const detail = await b.records.getContext(alice, contextId);
    expect(detail).toMatchObject({ contextId, turns: 2 });
    expect(detail.history).toEqual([
      { turn: 1, user: 'first', assistant: 'turn 1 after 0', complete: true },
      { turn: 2, user: 'second', assistant: 'turn 2 after 1', complete: true },
    ]);
    await expect(b.records.getContext(bob, contextId)).rejects.toMatchObject({
      code: 'CONTEXT_NOT_FOUND',
    });
  });
});

describe('closeContext', () => {
  it('should begin anew under the same id', async () => {
    const { contextId, taskId } = await done('first');
    await b.records.closeContext(alice, contextId);
    await expect(a.records.getContext(alice, contextId)).rejects.toMatchObject({
      code: 'CONTEXT_NOT_FOUND',
    });
    await expect(a.records.closeContext(alice, contextId)).rejects.toMatchObject({
      code: 'CONTEXT_NOT_FOUND',
    });
    expect((await a.tasks.get(alice, taskId)).status.state).toBe('TASK_STATE_COMPLETED');
    const again = await done('first', contextId);
    const { artifacts } = await a.tasks.get(alice, again.taskId);
    expect(artifacts?.[0]?.parts[0]?.text).toBe('turn 1 after 0');
  });

  it('should cancel an open question', async () => {
    const { contextId, taskId } = await done('ask');
    expect((await a.records.getContext(alice, contextId)).parkedTaskId).toBe(taskId);
    await b.records.closeContext(alice, contextId);
    const { status } = await a.tasks.get(alice, taskId);
    expect(status.state).toBe('TASK_STATE_CANCELED');
    expect(status.message?.parts[0]?.text).toBe('The context was closed');
    await expect(a.records.getContext(alice, contextId)).rejects.toMatchObject({
      code: 'CONTEXT_NOT_FOUND',
    });
  });

  it('should be refused while a task runs, and not know another user’s context', async () => {
    const { contextId, taskId } = await a.tasks.submit(alice, say('hang'));
    expect((await b.records.getContext(alice, contextId)).runningTaskId).toBe(taskId);
    await expect(b.records.closeContext(alice, contextId)).rejects.toMatchObject({
      code: 'CONTEXT_BUSY',
    });
    await expect(b.records.closeContext(bob, contextId)).rejects.toMatchObject({
      code: 'CONTEXT_NOT_FOUND',
    });
    await a.tasks.cancel(alice, taskId);
    await b.records.closeContext(alice, contextId);
  });
});
