import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import type { Submitted } from '../../src/tasks/task.types.js';
import type { TenantConfig } from '../../src/config/config.types.js';
import { DEFAULT_LIMITS } from '../../src/config/limits.js';
import type { StreamResponse, Task } from '../../src/domain/a2a.js';
import { DomainError } from '../../src/domain/errors.js';
import { foldEvents } from '../../src/domain/fold.js';
import { metrics } from '../../src/metrics/metrics.js';
import { backendOf, callerOf, Core, coreConfig, say, tenant } from '../support/core.js';
import { Keys } from '../../src/redis/keys.js';
import { ScriptCode } from '../../src/redis/script-code.js';
import { RedisApprovalStore } from '../../src/store/redis-approval.store.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';

const alice = callerOf('acme', 'alice');
const never = (): AbortSignal => new AbortController().signal;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function* talk(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
  if (turn.text.startsWith('count')) {
    const n = Number(turn.text.slice(6));
    for (let i = 0; i < n; i += 1) {
      yield { kind: 'content', text: `<${i}>` };
      if (i % 5 === 4) await pause(1);
    }
    return;
  }
  if (turn.text.startsWith('slowly')) {
    for (let left = Number(turn.text.slice(7)); left > 0; left -= 100) {
      await pause(100);
      yield { kind: 'content', text: '.' };
    }
    return;
  }
  if (turn.text === 'ask') {
    yield { kind: 'content', text: 'before. ' };
    yield { kind: 'input_required', question: 'Which one?', expects: 'text' };
    return;
  }
  if (turn.answering !== undefined) {
    yield { kind: 'content', text: `you said ${turn.text} to ${turn.answering.question}` };
    return;
  }
  if (turn.text === 'hang') {
    yield { kind: 'step', text: 'hanging' };
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    return;
  }
  if (turn.text === 'past') {
    yield { kind: 'content', text: JSON.stringify(turn.history) };
    return;
  }
  yield { kind: 'reason', text: 'thinking' };
  yield { kind: 'content', text: 'hello ' };
  yield { kind: 'memory', data: { seen: 1 } };
  yield { kind: 'content', text: turn.text };
}

describe('the core on one Redis', () => {
  let redis: RedisServer;
  let a: Core;
  let b: Core;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(async () => {
    await redis.stop();
  });
  afterEach(async () => {
    await Promise.all([a.stop(), b.stop()]);
  });

  async function start(tenants?: TenantConfig[]): Promise<void> {
    const config = coreConfig(redis.url, tenants && { tenants });
    a = await new Core(config, backendOf(talk)).start();
    b = await new Core(config, backendOf(talk)).start();
  }

  const answer = (task: Task): string =>
    (task.artifacts ?? [])
      .filter((artifact) => artifact.name === 'answer')
      .flatMap((artifact) => artifact.parts.map((part) => part.text))
      .join('');

  it('runs a message to its end and shows it on the other instance', async () => {
    await start();
    const sent = await a.tasks.submit(alice, say('world'));
    const done = await a.tasks.waitSettled(alice, sent.taskId, {
      timeoutMs: 5000,
      signal: never(),
    });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answer(done)).toBe('hello world');
    expect(done.metadata).toMatchObject({ 'n9e.chat_id': sent.contextId, 'n9e.seq_id': 1 });
    expect(await b.tasks.get(alice, sent.taskId)).toEqual(done);
  });

  it('counts a wait whose time ran out, on either instance, and no other', async () => {
    await start();
    const count = async (): Promise<number> =>
      (await metrics.blockingTimeouts.get()).values[0]?.value ?? 0;
    const before = await count();
    const { taskId } = await a.tasks.submit(alice, say('hang'));
    for (const { tasks } of [a, b]) {
      await tasks.waitSettled(alice, taskId, { timeoutMs: 30, signal: never() });
    }
    expect(await count()).toBe(before + 2);
    const gone = AbortSignal.timeout(30);
    await a.tasks.waitSettled(alice, taskId, { timeoutMs: 5000, signal: gone });
    await a.tasks.cancel(alice, taskId);
    await b.tasks.waitSettled(alice, taskId, { timeoutMs: 5000, signal: never() });
    expect(await count()).toBe(before + 2);
  });

  it('streams on another instance: snapshot + tail = the whole log, each event once', async () => {
    await start();
    const sent = await a.tasks.submit(alice, say('count 400'));
    const streams = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        await pause(i * 3);
        const stream = await b.tasks.subscribe(alice, sent.taskId, { from: 'start' }, never());
        const events: StreamResponse[] = [];
        let last = 0;
        for await (const event of stream) {
          if (event.id === undefined) continue;
          expect(event.id.seq).toBe(last + 1);
          last = event.id.seq;
          events.push(JSON.parse(event.json) as StreamResponse);
        }
        return foldEvents(events);
      }),
    );
    const stored = await a.tasks.get(alice, sent.taskId);
    expect(answer(stored)).toBe(Array.from({ length: 400 }, (_, i) => `<${i}>`).join(''));
    for (const folded of streams) expect(folded).toEqual(stored);
  });

  it('cancels on the other instance', async () => {
    await start();
    const sent = await a.tasks.submit(alice, say('hang'));
    await pause(100);
    const { task } = await b.tasks.cancel(alice, sent.taskId);
    expect(task.status.state).toBe('TASK_STATE_CANCELED');
    expect((await b.tasks.cancel(alice, sent.taskId)).again).toBe(true);
    expect(a.execution.runs()).toEqual([]);
  });

  it('parks on a question and goes on elsewhere', async () => {
    await start();
    const sent = await a.tasks.submit(alice, say('ask'));
    const parked = await a.tasks.waitSettled(alice, sent.taskId, {
      timeoutMs: 5000,
      signal: never(),
    });
    expect(parked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const next = await b.tasks.submit(alice, say('this one', { contextId: sent.contextId }));
    expect(next).toMatchObject({ taskId: sent.taskId, how: 'continued' });
    const done = await b.tasks.waitSettled(alice, sent.taskId, {
      timeoutMs: 5000,
      signal: never(),
    });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answer(done)).toBe('before. you said this one to Which one?');
    expect(done.history?.map((message) => message.parts[0]?.text)).toEqual([
      'ask',
      'Which one?',
      'this one',
    ]);
    expect(await a.tasks.get(alice, sent.taskId)).toEqual(done);
  });

  it('gives the next turn the history and the memory', async () => {
    await start();
    const first = await a.tasks.submit(alice, say('one'));
    await a.tasks.waitSettled(alice, first.taskId, { timeoutMs: 5000, signal: never() });
    const second = await b.tasks.submit(alice, say('past', { contextId: first.contextId }));
    expect(second.turn).toBe(2);
    const done = await b.tasks.waitSettled(alice, second.taskId, {
      timeoutMs: 5000,
      signal: never(),
    });
    expect(JSON.parse(answer(done))).toEqual([
      { turn: 1, user: 'one', assistant: 'hello one', memory: { seen: 1 }, complete: true },
    ]);
  });

  it('lets eight writes of a tenant wait for its operators, for two minutes each', async () => {
    await start();
    const { taskId } = await a.tasks.submit(alice, say('hang'));
    const approvals = new RedisApprovalStore(a.redis.control, new Keys());
    const wish = { tool: 'create_silence', summary: 's', hash: 'h' };
    const open = (id: string) =>
      approvals.open(id, 1, { tenant: 'acme', user: 'alice', taskId, ...wish });
    const before = Date.now();
    for (let n = 1; n <= 8; n += 1) {
      const opened = await open(`wish-${String(n)}`);
      expect('expires' in opened && Math.round((opened.expires - before) / 10_000)).toBe(12);
    }
    expect(await open('wish-9')).toEqual({ code: ScriptCode.TooManyApprovals });
    await approvals.decide('acme', 'wish-1', 'refused', 'olga');
    expect(await open('wish-9')).toHaveProperty('expires');
    await b.tasks.cancel(alice, taskId);
  });

  it('keeps a turn that was canceled or has failed, marked as incomplete', async () => {
    await start([tenant('acme', { limits: { ...DEFAULT_LIMITS, runSeconds: 1 } })]);
    const hung = await a.tasks.submit(alice, say('hang'));
    await b.tasks.cancel(alice, hung.taskId);
    const { contextId } = hung;
    const late = await a.tasks.submit(alice, say('slowly 60000', { contextId }));
    const wait = { timeoutMs: 20_000, signal: never() };
    const failed = await b.tasks.waitSettled(alice, late.taskId, wait);
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    const next = await b.tasks.submit(alice, say('past', { contextId }));
    const past = JSON.parse(
      answer(await b.tasks.waitSettled(alice, next.taskId, wait)),
    ) as object[];
    expect(past).toMatchObject([
      { turn: 1, user: 'hang', complete: false },
      { turn: 2, user: 'slowly 60000', complete: false },
    ]);
  });

  it('fails a run whose time is used up, and says so', async () => {
    await start([tenant('acme', { limits: { ...DEFAULT_LIMITS, runSeconds: 1 } })]);
    const { taskId } = await a.tasks.submit(alice, say('slowly 60000'));
    const done = await b.tasks.waitSettled(alice, taskId, { timeoutMs: 20_000, signal: never() });
    expect(done.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: 'The time budget of this task is used up' }] },
    });
    expect(answer(done)).toMatch(/^\.+$/);
  });

  it('keeps a task as long as it may be kept after its last event, and then knows it no more', async () => {
    await start([tenant('acme', { limits: { ...DEFAULT_LIMITS, taskTtlSeconds: 2 } })]);
    const { taskId } = await a.tasks.submit(alice, say('slowly 3500'));
    const done = await a.tasks.waitSettled(alice, taskId, { timeoutMs: 30_000, signal: never() });
    expect(answer(done)).toBe('.'.repeat(35));
    await eventually('it is gone', async () =>
      b.tasks.get(alice, taskId).then(
        () => undefined,
        (error: unknown) =>
          (error instanceof DomainError && error.code === 'TASK_NOT_FOUND') || undefined,
      ),
    );
    expect((await b.tasks.list(alice, { pageSize: 10 })).tasks).toEqual([]);
  });

  it('refuses a busy context and joins the same message', async () => {
    await start();
    const message = say('hang', { contextId: 'ctx-busy' });
    const sent = await a.tasks.submit(alice, message);
    await expect(b.tasks.submit(alice, say('x', { contextId: 'ctx-busy' }))).rejects.toMatchObject({
      code: 'CONTEXT_BUSY',
    });
    expect(await b.tasks.submit(alice, message)).toMatchObject({
      taskId: sent.taskId,
      how: 'joined',
    });
    await b.tasks.cancel(alice, sent.taskId);
  });

  it('runs the tasks of a context in order where they queue, on whichever instance', async () => {
    const tenants = [tenant('acme', { contextConcurrency: 'queue' })];
    await start(tenants);
    const sent: Submitted[] = [];
    for (const [core, text] of [
      [a, 'hang'],
      [b, 'two'],
      [a, 'three'],
      [b, 'four'],
    ] as const) {
      sent.push(await core.tasks.submit(alice, say(text, { contextId: 'in-a-row' })));
    }
    expect(sent.map(({ turn }) => turn)).toEqual([1, 2, 3, 4]);
    const states = async (): Promise<string[]> =>
      Promise.all(sent.map(async ({ taskId }) => (await b.tasks.get(alice, taskId)).status.state));
    expect((await states()).slice(1)).toEqual(Array(3).fill('TASK_STATE_SUBMITTED'));
    // One of the waiting is canceled, then the first: the others follow in order.
    await b.tasks.cancel(alice, sent[2]?.taskId ?? '');
    await a.tasks.cancel(alice, sent[0]?.taskId ?? '');
    const last = sent[3]?.taskId ?? '';
    const done = await a.tasks.waitSettled(alice, last, { timeoutMs: 5000, signal: never() });
    expect(answer(done)).toBe('hello four');
    expect(await states()).toEqual([
      'TASK_STATE_CANCELED',
      'TASK_STATE_COMPLETED',
      'TASK_STATE_CANCELED',
      'TASK_STATE_COMPLETED',
    ]);
  });

  it('finds a task whose ender died between fencing and ending it', async () => {
    await start();
    const sent = await a.tasks.submit(alice, say('hang'));
    const c = await new Core(coreConfig(redis.url), backendOf(talk)).start();
    // C fences the run and dies before it settles the task.
    const fenced = new Promise<void>((resolve) => {
      c.log.settle = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    const verdict = { state: 'TASK_STATE_FAILED', text: 'ended' } as const;
    c.ender.end('acme', sent.taskId, verdict).catch(() => undefined);
    await fenced;
    c.vanish();
    // Whoever is alive takes it over: it runs again, and can be canceled like any other.
    const owners = (): string[] =>
      [...a.execution.runs(), ...b.execution.runs()].map(({ run }) => String(run.epoch));
    for (let i = 0; i < 80 && !owners().includes('3'); i += 1) await pause(100);
    expect(owners()).toEqual(['3']);
    const { task } = await b.tasks.cancel(alice, sent.taskId);
    expect(task.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('lists own tasks, newest first, page by page', async () => {
    await start();
    const carol = callerOf('acme', 'carol');
    const ids: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      const sent = await a.tasks.submit(carol, say(`n${i}`));
      await a.tasks.waitSettled(carol, sent.taskId, { timeoutMs: 5000, signal: never() });
      ids.unshift(sent.taskId);
    }
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await b.tasks.list(carol, {
        pageSize: 3,
        ...(pageToken ? { pageToken } : {}),
      });
      expect(page.totalSize).toBe(7);
      seen.push(...page.tasks.map((task) => task.id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual(ids);
    expect((await b.tasks.list(callerOf('globex', 'carol'), { pageSize: 50 })).totalSize).toBe(0);
  });
});
