import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway, LEASE_MS } from '../support/gateway.js';
import {
  type Delivered,
  HookServer,
  isOver,
  seqOf,
  stateIn,
  textOf,
} from '../support/hook-server.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf, deltasIn, numbered } from '../support/task-log.js';
import { eventually, sleep } from '../support/wait.js';

const DELTAS = 60;
const RUN = `deltas count=${DELTAS} every=20`;
const TIMEOUT_MS = 1000;
/** A claim outlives its sender by so long. */
const CLAIM_MS = TIMEOUT_MS + 5000;
const ann = caller('acme', 'ann');

let redis: RedisServer;
let hook: HookServer;
let fleet: Fleet;

beforeAll(async () => {
  redis = await RedisServer.start();
});
afterAll(async () => {
  await redis.stop();
});
beforeEach(async () => {
  hook = await HookServer.start();
  fleet = await Fleet.start(1, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }],
    callers: [ann],
    env: { PUSH_KEY: randomBytes(32).toString('base64'), NIGHTJAR_LOG_LEVEL: 'debug' },
    config: {
      redis: { prefix: `${randomBytes(4).toString('hex')}:` },
      push: {
        enabled: true,
        encryptionKey: { env: 'PUSH_KEY' },
        allowHttp: true,
        allowPrivate: ['127.0.0.1'],
        timeoutMs: TIMEOUT_MS,
        pollMs: 200,
        retryBaseMs: 200,
        retryMaxMs: 500,
      },
    },
  });
});
afterEach(async () => {
  await fleet.stop();
  await hook.stop();
});

function webhook(path = '/hook'): { url: string; token: string } {
  return { url: hook.url(path), token: 'the-token-of-the-hook' };
}

/** Starts a run on a gateway with a webhook that is told of it from its first event. */
async function start(gateway: Gateway, text = RUN): Promise<string> {
  const client = new A2aClient(gateway.baseUrl, ann.token);
  const configuration = { returnImmediately: true, taskPushNotificationConfig: webhook() };
  return (await client.send(text, { configuration })).id;
}

function sent(gateway: Gateway): Promise<number> {
  return gateway.metric('nightjar_push_deliveries_total{outcome="sent"}');
}

/** Each event of the log is told once, by notifications that follow one another. */
function inOrder(accepted: readonly Delivered[]): void {
  const seqs = accepted.map(seqOf);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
}

describe('a webhook of a task', () => {
  it('should be told the rest by B, from the cursor on, when A is killed while it answers 500', async () => {
    const a = fleet.gateways[0]!;
    let healthy = true;
    hook.answer = () => (healthy ? 200 : 500);
    const taskId = await start(a);
    await hook.until('some', (accepted) => accepted.length >= 5);
    healthy = false;
    const failed = await eventually('a failure', () =>
      hook.all.find(({ status }) => status === 500),
    );
    const client = new A2aClient(a.baseUrl, ann.token);
    await eventually('the run is over', async () => /COMPLETED/.test(await client.state(taskId)));
    await eventually(
      'more failures',
      () => hook.all.filter(({ status }) => status === 500).length > 2,
    );
    const before = hook.accepted().length;
    await a.kill9();

    const b = await fleet.add();
    await sleep(700);
    expect(hook.accepted()).toHaveLength(before);
    healthy = true;
    const accepted = await hook.until('the end', isOver, '/hook', CLAIM_MS + 5000);
    inOrder(accepted);
    // The first one of B is what A could not get through, byte by byte; nothing is told twice.
    expect(accepted[before]?.text).toBe(failed.text);
    expect(deltasIn(textOf(accepted))).toEqual(numbered(1, DELTAS));
    const task = await new A2aClient(b.baseUrl, ann.token).get(taskId);
    expect(textOf(accepted)).toBe(answerOf(task));
    expect(stateIn(accepted.at(-1))).toBe(task.status.state);
    await eventually('B has counted', async () => (await sent(b)) === accepted.length - before);
  });

  it('should be told by the other when the deliverer is killed in the middle of a delivery', async () => {
    const a = fleet.gateways[0]!;
    const b = await fleet.add();
    // Frozen for as long as A lives: who delivers is no matter of luck.
    b.sigstop();
    const taskId = await start(a);
    await hook.until('some', (accepted) => accepted.length >= 3);
    hook.answer = () => () => undefined;
    const silent = await eventually('a delivery hangs', () =>
      hook.all.find(({ status }) => status === 0),
    );
    await a.kill9();
    hook.answer = () => 200;
    b.sigcont();
    // B waits for A's claim to end, and takes the run over meanwhile.
    const accepted = await hook.until('the end', isOver, '/hook', CLAIM_MS + LEASE_MS + 15_000);
    inOrder(accepted);
    const task = await new A2aClient(b.baseUrl, ann.token).get(taskId);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(deltasIn(answerOf(task))).toEqual(numbered(2, DELTAS));
    expect(textOf(accepted)).toBe(answerOf(task));
    // What hung was not confirmed, so it was told again.
    expect(accepted.map(seqOf).some((seq) => seq >= seqOf(silent))).toBe(true);
    expect(await sent(b)).toBeGreaterThan(0);
  });

  it('should be told each event once by three instances that all look', async () => {
    await Promise.all([fleet.add(), fleet.add()]);
    hook.answer = () => (response) => setTimeout(() => response.writeHead(204).end(), 10);
    await start(fleet.gateways[1]!);
    const all = await eventually('the end', () => isOver(hook.all) && [...hook.all], 20_000);
    inOrder(all);
    expect(hook.mostOpen).toBe(1);
    expect(deltasIn(textOf(all))).toEqual(numbered(1, DELTAS));
    // An instance counts once it has the hook's answer, a little after the hook gave it.
    await eventually('all are counted', async () => {
      const counts = await Promise.all(fleet.gateways.map(sent));
      return counts.reduce((sum, one) => sum + one, 0) === all.length;
    });
    expect(hook.all).toHaveLength(all.length);
  });

  it('should stand in no log, whatever happens to it', async () => {
    const a = fleet.gateways[0]!;
    hook.answer = () => 500;
    const taskId = await start(a, 'instant');
    await eventually('failures', () => hook.all.length > 2);
    hook.answer = () => 410;
    const client = new A2aClient(a.baseUrl, ann.token);
    const path = `/a2a/tasks/${taskId}/pushNotificationConfigs`;
    await eventually('it is dropped', async () => {
      const { body } = await client.call<{ configs: unknown[] }>('GET', path);
      return body.configs.length === 0;
    });
    expect(a.logs).toContain('webhook dropped');
    expect(a.logs).toContain('webhook failed');
    expect(a.logs).not.toContain('the-token-of-the-hook');
    expect(a.logs).not.toContain(hook.url());
    expect(await a.metric('nightjar_push_deliveries_total{outcome="gone"}')).toBe(1);
    expect(await a.metric('nightjar_push_deliveries_total{outcome="http_error"}')).toBeGreaterThan(
      2,
    );
  });
});
