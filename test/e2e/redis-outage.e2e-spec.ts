import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient, type Reply } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf, deltasIn, faultOf, numbered, ranBy, Truth } from '../support/task-log.js';
import { within } from '../support/wait.js';

const DELTAS = 60;
const RUN = `deltas count=${DELTAS} every=100`;
const ann = caller('acme', 'ann');
let redis: RedisServer;
let truth: Truth;
let fleet: Fleet;
let a: Gateway;
let b: Gateway;
let onA: A2aClient;
let onB: A2aClient;

beforeAll(async () => {
  redis = await RedisServer.start({ aof: true });
  truth = Truth.open(redis.url);
  fleet = await Fleet.start(2, { redisUrl: redis.url, tenants: [{ id: 'acme' }], callers: [ann] });
  [a, b] = fleet.gateways as [Gateway, Gateway];
  onA = new A2aClient(a.baseUrl, ann.token);
  onB = new A2aClient(b.baseUrl, ann.token);
});
afterAll(async () => {
  truth.close();
  await fleet.stop();
  await redis.stop();
});

describe('while Redis is away', () => {
  it('should answer 503, fail readyz, then go on by itself and lose nothing acknowledged', async () => {
    const done = await onA.send('instant');
    const task = await onA.start(RUN);
    const stream = await onB.subscribe(task.id);
    await stream.until(10);
    await redis.kill9();

    const calls = {
      get: onA.call('GET', `/a2a/tasks/${task.id}`),
      list: onB.call('GET', '/a2a/tasks'),
      send: onB.sendRaw('instant'),
      stream: onB.call('POST', '/a2a/message:stream', {
        message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'instant' }] },
      }),
      cancel: onA.cancel(done.id),
      subscribe: onA.call('GET', `/a2a/tasks/${task.id}:subscribe`),
    };
    for (const [name, call] of Object.entries<Promise<Reply<unknown>>>(calls)) {
      const reply = await within(`${name} is answered`, 10_000, call);
      expect([name, reply.status], reply.text).toEqual([name, 503]);
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
      expect(reply.text).toContain('UNAVAILABLE');
      expect(reply.text).not.toMatch(/redis|ECONN|127\.0\.0\.1/i);
    }
    expect([await a.isReady(), await b.isReady()]).toEqual([false, false]);
    const live = await fetch(`${a.managementUrl}/livez`);
    expect(live.status).toBe(200);

    await redis.restart();
    await Promise.all([a.ready(10_000), b.ready(10_000)]);
    await within('the stream ends', 30_000, stream.ended);
    const log = await truth.log('acme', task.id);
    expect(faultOf(stream, log)).toBeUndefined();
    const whole = await onB.get(task.id);
    expect(whole.status.state).toBe('TASK_STATE_COMPLETED');
    // Either the run went on where it was, or it was run again: never a hole, never a double.
    const runs = ranBy(fleet.journal, task.id).length;
    expect(deltasIn(answerOf(whole))).toEqual(numbered(runs, DELTAS));
    expect(await onB.get(done.id)).toEqual(done);
    expect((await onA.send('instant')).status.state).toBe('TASK_STATE_COMPLETED');
    expect(await truth.active('acme', 'ann')).toEqual({ user: 0, tenant: 0 });
  });

  it('should complete a run whose log comes back shorter, and show its reader every delta once', async () => {
    const task = await onA.start(RUN);
    const stream = await onB.subscribe(task.id);
    await stream.until(6);
    // What a power loss or the promotion of a replica that was behind looks like.
    await redis.kill9();
    await redis.forget(3_000);
    await redis.restart();
    await within('the stream ends', 30_000, stream.ended);
    const done = await onB.get(task.id);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(ranBy(fleet.journal, task.id)).toHaveLength(1);
    expect(deltasIn(answerOf(done))).toEqual(numbered(1, DELTAS));
    const last = stream.events.at(-1)!.data;
    expect(JSON.stringify(last)).toContain('TASK_STATE_COMPLETED');
  });
});
