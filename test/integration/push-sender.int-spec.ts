import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import type { PushSettings } from '../../src/config/config.types.js';
import type { Webhook } from '../../src/domain/webhook.js';
import { metrics, type PushOutcome } from '../../src/metrics/metrics.js';
import { backendOf, callerOf, say } from '../support/core.js';
import { HookServer, isOver, seqOf, stateIn, textOf } from '../support/hook-server.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, sleep } from '../support/wait.js';
import { PushCore } from './push-core.js';

const ann = callerOf('acme', 'ann');
let redis: RedisServer;
let hook: HookServer;
let cores: PushCore[] = [];
/** Keys of its own for each test: nothing is left over for another's sender. */
let prefix = '';

beforeAll(async () => {
  Logger.overrideLogger(false);
  redis = await RedisServer.start();
});
afterAll(async () => {
  await redis.stop();
});
beforeEach(async () => {
  prefix = `t${randomUUID()}:`;
  hook = await HookServer.start();
});
afterEach(async () => {
  await Promise.all(cores.map((core) => core.stop()));
  cores = [];
  await hook.stop();
});

/** `<n> <ms>`: n numbered deltas, each after a pause, a step before each tenth; `ask` parks. */
async function* script(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
  if (turn.answering !== undefined) {
    yield { kind: 'content', text: `you said ${turn.text}` };
    return;
  }
  if (turn.text === 'ask') {
    yield { kind: 'input_required', question: 'Which?', expects: 'text' };
    return;
  }
  const [count = 0, every = 0] = turn.text.split(' ').map(Number);
  for (let n = 1; n <= count; n += 1) {
    await sleep(every, undefined, { signal });
    if (n % 10 === 0) yield { kind: 'step', text: `step ${n}` };
    yield { kind: 'content', text: `${n} ` };
  }
}

async function start(over: Partial<PushSettings> = {}, sends = true): Promise<PushCore> {
  const core = await new PushCore({ url: redis.url, prefix }, backendOf(script), over).start(sends);
  cores.push(core);
  return core;
}

function webhook(over: Partial<Webhook> = {}): Webhook {
  return { id: 'h', url: hook.url(), version: '1.0', ...over };
}

async function run(
  core: PushCore,
  text: string,
  from: 'start' | 'now' = 'start',
  over: Partial<Webhook> = {},
): Promise<string> {
  const { taskId } = await core.core.tasks.submit(ann, say(text));
  await core.push.attach(ann, taskId, webhook(over), from);
  return taskId;
}

function numbers(count: number): string {
  return Array.from({ length: count }, (_none, at) => `${at + 1} `).join('');
}

async function count(outcome: PushOutcome): Promise<number> {
  const { values } = await metrics.pushDeliveries.get();
  return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
}

describe('a webhook', () => {
  it('should be told every event from the start, in order, each once', async () => {
    const core = await start();
    const taskId = await run(core, '25 5');
    const accepted = await hook.until('the end', isOver);
    expect(stateIn(accepted[0])).toBe('TASK_STATE_SUBMITTED');
    expect(textOf(accepted)).toBe(numbers(25));
    const seqs = accepted.map(seqOf);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    const steps = accepted.flatMap(({ body }) =>
      'statusUpdate' in body ? (body.statusUpdate.status.message?.parts[0]?.text ?? []) : [],
    );
    expect(steps).toEqual(['step 10', 'step 20']);
    const task = await core.core.tasks.get(ann, taskId);
    expect(accepted.at(-1)?.body).toMatchObject({
      statusUpdate: { taskId, status: { state: task.status.state } },
    });
  });

  it('should get the headers of its version and its secrets', async () => {
    const core = await start();
    await run(core, '1 0', 'start', {
      token: 'tok-1',
      authentication: { scheme: 'Bearer', credentials: 'cred-1' },
    });
    const [first] = await hook.until('the first', (all) => all.length > 0);
    expect(first?.headers).toMatchObject({
      'content-type': 'application/a2a+json',
      'x-a2a-notification-token': 'tok-1',
      authorization: 'Bearer cred-1',
      'user-agent': 'Nightjar',
    });
  });

  it('should be told one delta for many that waited, and every status', async () => {
    const core = await start();
    let busy = true;
    hook.answer = () =>
      busy ? (response) => setTimeout(() => response.writeHead(200).end(), 400) : 200;
    await run(core, '30 5');
    await sleep(300);
    busy = false;
    const accepted = await eventually('the end', () => isOver(hook.all) && [...hook.all]);
    expect(textOf(accepted)).toBe(numbers(30));
    const log = seqOf(accepted.at(-1)!);
    expect(accepted.length).toBeLessThan(log);
    const states = accepted.map(stateIn).filter((state) => state !== undefined);
    // SUBMITTED, WORKING, three steps, COMPLETED.
    expect(states.length).toBe(6);
  });

  it('should be told at once how the task stands, and then what comes', async () => {
    const core = await start();
    const { taskId } = await core.core.tasks.submit(ann, say('20 20'));
    await sleep(150);
    await core.push.create(ann, taskId, webhook());
    const accepted = await hook.until('the end', isOver);
    expect(accepted[0]?.body).toHaveProperty('task.status.state', 'TASK_STATE_WORKING');
    expect(textOf(accepted)).toBe(numbers(20));
  });

  it('should hear once of a task that has ended before', async () => {
    const core = await start();
    const { taskId } = await core.core.tasks.submit(ann, say('2 0'));
    const signal = new AbortController().signal;
    await core.core.tasks.waitSettled(ann, taskId, { timeoutMs: 5000, signal });
    await core.push.create(ann, taskId, webhook());
    await hook.until('the task', isOver);
    await sleep(300);
    expect(hook.all).toHaveLength(1);
    expect(textOf(hook.all)).toBe('1 2 ');
  });

  it('should hear of a question and of what follows the answer', async () => {
    const core = await start();
    const taskId = await run(core, 'ask');
    await hook.until('the question', (all) => stateIn(all.at(-1)) === 'TASK_STATE_INPUT_REQUIRED');
    await core.core.tasks.submit(ann, say('prod', { taskId }));
    const accepted = await hook.until('the end', isOver);
    expect(textOf(accepted)).toBe('you said prod');
  });

  it('should be told whole tasks in 0.3, one for every status', async () => {
    const core = await start();
    const taskId = await run(core, '12 10', 'start', { version: '0.3' });
    const accepted = await hook.until('the end', isOver);
    const bodies = accepted.map(({ text }) => JSON.parse(text) as Record<string, unknown>);
    for (const body of bodies) expect(body).toMatchObject({ kind: 'task', id: taskId });
    const states = bodies.map((body) => (body['status'] as { state: string }).state);
    expect(states[0]).toBe('submitted');
    expect(states.slice(1, -1).every((state) => state === 'working')).toBe(true);
    expect(states.at(-1)).toBe('completed');
    expect(JSON.stringify(bodies.at(-1))).toContain(numbers(12));
    expect(accepted[0]?.headers['content-type']).toBe('application/json');
  });

  it('should not hear of anything after its removal', async () => {
    const core = await start();
    const taskId = await run(core, '40 10');
    await hook.until('some', (all) => all.length > 2);
    await core.push.remove(ann, taskId, 'h');
    await sleep(50);
    const told = hook.all.length;
    await sleep(400);
    expect(hook.all).toHaveLength(told);
  });
});

describe('a webhook that fails', () => {
  it('should be told the same again, byte by byte, and then the rest in order', async () => {
    const core = await start();
    let failures = 0;
    hook.answer = () => (hook.all.length > 1 && failures++ < 3 ? 503 : 200);
    await run(core, '25 10');
    const accepted = await hook.until('the end', isOver);
    expect(textOf(accepted)).toBe(numbers(25));
    const failed = hook.all.filter(({ status }) => status === 503);
    expect(failed).toHaveLength(3);
    expect(new Set(failed.map(({ text }) => text)).size).toBe(1);
    expect(accepted.map(({ text }) => text)).toContain(failed[0]?.text);
    const seqs = accepted.map(seqOf);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  });

  it('should not hold up the others of its task', async () => {
    const core = await start();
    hook.answer = ({ path }) => (path === '/bad' ? 500 : 200);
    const { taskId } = await core.core.tasks.submit(ann, say('10 10'));
    await core.push.attach(ann, taskId, webhook({ id: 'bad', url: hook.url('/bad') }), 'start');
    await core.push.attach(ann, taskId, webhook({ id: 'good', url: hook.url('/good') }), 'start');
    expect(textOf(await hook.until('the good', isOver, '/good'))).toBe(numbers(10));
    expect(hook.accepted('/bad')).toEqual([]);
  });

  it('should be dropped by 410', async () => {
    const core = await start();
    const before = await count('gone');
    hook.answer = () => 410;
    const taskId = await run(core, '5 10');
    await eventually('it is gone', async () => (await core.push.list(ann, taskId)).length === 0);
    expect(await count('gone')).toBe(before + 1);
    expect(hook.all).toHaveLength(1);
  });

  it('should be dropped after failing for too long, and counted', async () => {
    const core = await start({ giveUpSeconds: 1, retryMaxMs: 100 });
    const before = await count('gave_up');
    hook.answer = () => 500;
    const taskId = await run(core, '1 0');
    await eventually('it is gone', async () => (await core.push.list(ann, taskId)).length === 0);
    expect(await count('gave_up')).toBe(before + 1);
    expect(hook.all.length).toBeGreaterThan(3);
  });

  it('should not be followed by a redirect, nor be sent anything there', async () => {
    const core = await start();
    const before = await count('http_error');
    hook.answer = ({ path }) =>
      path === '/hook'
        ? (response) => response.writeHead(307, { location: hook.url('/elsewhere') }).end()
        : 200;
    await run(core, '1 0', 'start', { token: 'secret-token' });
    await eventually('two tries', () => hook.all.length > 1);
    expect(await count('http_error')).toBeGreaterThan(before);
    expect(hook.all.filter(({ path }) => path !== '/hook')).toEqual([]);
  });

  it('should be cut off when it hangs, and its endless answer not be read', async () => {
    const core = await start({ timeoutMs: 300 });
    const before = await count('timeout');
    hook.answer = () => () => undefined;
    await run(core, '1 0');
    await eventually('a timeout', async () => (await count('timeout')) > before);
    let written = 0;
    hook.answer = () => (response) => {
      response.writeHead(200);
      const more = (): void => {
        if (response.destroyed || written > 50_000_000) return;
        written += 65_536;
        response.write(Buffer.alloc(65_536), () => setImmediate(more));
      };
      more();
    };
    const sent = await count('sent');
    await eventually('it counts as sent', async () => (await count('sent')) > sent);
    expect(written).toBeLessThan(10_000_000);
  });

  it('should be blocked where its name leads inside by now', async () => {
    const core = await start({ allowPrivate: [] }, false);
    const before = await count('blocked');
    const { taskId } = await core.core.tasks.submit(ann, say('1 0'));
    // As if it had been allowed when it was registered.
    await core.push.attach(ann, taskId, webhook(), 'start');
    await start({ allowPrivate: [] });
    await eventually('it is blocked', async () => (await count('blocked')) > before);
    expect(hook.all).toEqual([]);
  });

  it('should wait for an instance that has its key', async () => {
    const other = await start({ encryptionKey: '0'.repeat(64) }, false);
    const reading = await start();
    const before = await count('unreadable');
    const taskId = await run(other, '1 0');
    await eventually('it is unreadable', async () => (await count('unreadable')) > before);
    expect(hook.all).toEqual([]);
    expect(await other.push.list(ann, taskId)).toHaveLength(1);
    expect(await reading.push.list(ann, taskId)).toEqual([]);
    await start({ encryptionKey: '0'.repeat(64) });
    await hook.until('the end', isOver);
  });
});

describe('several instances', () => {
  it('should tell each event once, one at a time', async () => {
    const [first] = await Promise.all([start(), start(), start()]);
    hook.answer = () => (response) => setTimeout(() => response.writeHead(200).end(), 15);
    await run(first, '60 5');
    const all = await eventually('the end', () => isOver(hook.all) && [...hook.all]);
    expect(textOf(all)).toBe(numbers(60));
    expect(hook.mostOpen).toBe(1);
    const seqs = all.map(seqOf);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  });

  it('should hand over at once when one drains', async () => {
    const first = await start({ retryBaseMs: 100, retryMaxMs: 100 });
    hook.answer = () => 500;
    await run(first, '10 5');
    await eventually('a failure', () => hook.all.length > 0);
    first.drain.beginDrain();
    await sleep(300);
    const told = hook.all.length;
    await sleep(400);
    expect(hook.all.length).toBe(told);
    hook.answer = () => 200;
    await start();
    expect(textOf(await hook.until('the end', isOver))).toBe(numbers(10));
  });
});

describe('what is stored', () => {
  it('should hold neither URL nor secret in clear, and leave nothing when the task goes', async () => {
    const core = await start({}, false);
    const taskId = await run(core, '1 0', 'start', {
      url: hook.url('/path-secret'),
      token: 'token-secret',
      authentication: { scheme: 'Bearer', credentials: 'credential-secret' },
    });
    const { reads } = core.core.redis;
    const stored = JSON.stringify(await reads.hgetall(`${prefix}{acme}:push:${taskId}`));
    expect(stored).toContain('hook:h');
    expect(stored).not.toMatch(/secret|127\.0\.0\.1/);
    expect(
      Math.abs((await reads.pttl(`${prefix}{acme}:push:${taskId}`)) - 86_400_000),
    ).toBeLessThan(60_000);
  });
});
