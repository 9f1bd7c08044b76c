import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf, deltasIn, faultOf, numbered, ranBy, Truth } from '../support/task-log.js';
import { eventually, within } from '../support/wait.js';

const ann = caller('acme', 'ann');
let redis: RedisServer;
let truth: Truth;
let fleet: Fleet;
let a: Gateway;
let b: Gateway;
let onA: A2aClient;
let onB: A2aClient;

beforeAll(async () => {
  redis = await RedisServer.start();
  truth = Truth.open(redis.url);
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }],
    callers: [ann],
  });
  [a, b] = fleet.gateways as [Gateway, Gateway];
  onA = new A2aClient(a.baseUrl, ann.token);
  onB = new A2aClient(b.baseUrl, ann.token);
});
afterAll(async () => {
  truth.close();
  await fleet.stop();
  await redis.stop();
});

describe('a task sent on A', () => {
  it('should be read, listed, streamed and completed as seen from B', async () => {
    const task = await onA.start('deltas count=40 every=25');
    const stream = await onB.subscribe(task.id);
    const running = await onB.get(task.id);
    expect(running.status.state).toBe('TASK_STATE_WORKING');
    const listed = await onB.list('?pageSize=1');
    expect(listed.tasks.map(({ id }) => id)).toEqual([task.id]);
    await within('the stream ends', 10_000, stream.ended);
    expect(faultOf(stream, await truth.log('acme', task.id))).toBeUndefined();
    const done = await onB.get(task.id);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(deltasIn(answerOf(done))).toEqual(numbered(1, 40));
    expect(ranBy(fleet.journal, task.id)).toEqual([a.pid]);
  });

  it('should be canceled by B within a second, and stay canceled', async () => {
    const task = await onA.start('hang');
    const stream = await onA.subscribe(task.id);
    await stream.find(
      ({ data }) => 'artifactUpdate' in data || JSON.stringify(data).includes('waiting'),
    );
    const asked = performance.now();
    const reply = await onB.cancel(task.id);
    expect(reply.status).toBe(200);
    expect(reply.body.status.state).toBe('TASK_STATE_CANCELED');
    expect(performance.now() - asked).toBeLessThan(1_000);
    await within('the stream on A ends', 2_000, stream.ended);
    expect(faultOf(stream, await truth.log('acme', task.id))).toBeUndefined();
    expect(await onA.state(task.id)).toBe('TASK_STATE_CANCELED');
    expect(ranBy(fleet.journal, task.id)).toEqual([a.pid]);
  });

  it('should be canceled by B even when its backend does not listen', async () => {
    const task = await onA.start('deaf');
    await eventually('it works', async () => (await onB.state(task.id)) === 'TASK_STATE_WORKING');
    const reply = await onB.cancel(task.id);
    expect(reply.body.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('should be continued on B after its question, as the same task and by a new run', async () => {
    const parked = await onA.send('ask');
    expect(parked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const answered = await onB.send('the second', {
      taskId: parked.id,
      contextId: parked.contextId,
    });
    expect(answered.id).toBe(parked.id);
    expect(answered.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answerOf(answered)).toContain('you said the second');
    expect(ranBy(fleet.journal, parked.id)).toEqual([a.pid, b.pid]);
    const epochs = (await truth.log('acme', parked.id)).map(({ id }) => id.epoch);
    expect(new Set(epochs)).toEqual(new Set([1, 2]));
  });

  it('should be answered on two instances at once by exactly one run', async () => {
    const parked = await onA.send('ask');
    const replies = await Promise.all(
      [onA, onB].map((client) =>
        client.sendRaw('me first', { taskId: parked.id, contextId: parked.contextId }),
      ),
    );
    expect(replies.some(({ status }) => status === 200)).toBe(true);
    expect(ranBy(fleet.journal, parked.id)).toHaveLength(2);
  });

  it('should outlive its client', async () => {
    const stream = await onA.stream('deltas count=30 every=30');
    await stream.until(5);
    const first = stream.events[0]!.data;
    const id = 'task' in first ? first.task.id : '';
    stream.disconnect();
    const task = await eventually('it completes', async () => {
      const now = await onB.get(id);
      return now.status.state === 'TASK_STATE_COMPLETED' ? now : undefined;
    });
    expect(deltasIn(answerOf(task))).toEqual(numbered(1, 30));
  });

  it('should be resumed on B from the last event that A’s client saw', async () => {
    const stream = await onA.stream('deltas count=60 every=25');
    await stream.until(12);
    const seen = stream.events.slice(0, 12);
    stream.disconnect();
    const first = seen[0]!.data;
    const id = 'task' in first ? first.task.id : '';
    const last = seen.at(-1)!.id!;
    const rest = await onB.subscribe(id, `${last.seq}-${last.epoch}`);
    await within('the rest ends', 10_000, rest.ended);
    const log = await truth.log('acme', id);
    expect([...seen, ...rest.events].map((event) => event.id)).toEqual(
      log.map((entry) => entry.id),
    );
    // Also after the end, as long as the log reaches.
    const again = await onB.subscribe(id, `${last.seq}-${last.epoch}`);
    await within('the repeat ends', 5_000, again.ended);
    expect(again.events.map((event) => event.id)).toEqual(rest.events.map((event) => event.id));
  });

  it('should be joined by a resend of its message on B, and run once', async () => {
    const messageId = 'resent-1';
    const first = await onA.start('deltas count=30 every=30', { messageId });
    const second = await onB.start('deltas count=30 every=30', { messageId });
    expect(second.id).toBe(first.id);
    const other = await onB.start('deltas count=1 every=1', { messageId });
    expect(other.id).not.toBe(first.id);
    await eventually('it ends', async () => (await onB.state(first.id)) === 'TASK_STATE_COMPLETED');
    expect(ranBy(fleet.journal, first.id)).toEqual([a.pid]);
  });

  it('should hold its context against a second one on B', async () => {
    const first = await onA.start('hang');
    const reply = await onB.sendRaw('instant', { contextId: first.contextId });
    expect(reply.status).toBe(409);
    expect(reply.text).toContain('CONTEXT_BUSY');
    await onB.cancel(first.id);
    const next = await onB.send('instant', { contextId: first.contextId });
    expect(next.status.state).toBe('TASK_STATE_COMPLETED');
    expect(next.metadata).toMatchObject({ 'n9e.chat_id': first.contextId, 'n9e.seq_id': 2 });
  });
});
