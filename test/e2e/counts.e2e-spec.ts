import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway, LEASE_MS, scripted } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { Truth } from '../support/task-log.js';
import { eventually } from '../support/wait.js';

const ALLOWED = 64;
const ann = caller('acme', 'ann');
const bob = caller('acme', 'bob');
let redis: RedisServer;
let truth: Truth;
let fleet: Fleet;
let a: Gateway;
let b: Gateway;
let onA: A2aClient;
let onB: A2aClient;

beforeEach(async () => {
  redis = await RedisServer.start({ aof: true });
  truth = Truth.open(redis.url);
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    // Unmarked: a killed run is over, so its place must come back.
    tenants: [{ id: 'acme', assistant: scripted({ readOnly: false }) }],
    callers: [ann, bob],
  });
  [a, b] = fleet.gateways as [Gateway, Gateway];
  onA = new A2aClient(a.baseUrl, ann.token);
  onB = new A2aClient(b.baseUrl, ann.token);
});
afterEach(async () => {
  truth.close();
  await fleet.stop();
  await redis.stop();
});

/** Starts so many tasks at once, taking turns over the clients; the ids of those that started. */
async function startMany(count: number, clients: readonly A2aClient[]): Promise<string[]> {
  const replies = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      clients[i % clients.length]!.sendRaw('hang', { configuration: { returnImmediately: true } }),
    ),
  );
  const refused = replies.filter(({ status }) => status !== 200);
  for (const { status, text, headers } of refused) {
    expect(status).toBe(429);
    expect(text).toContain('QUOTA');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  }
  return replies.filter(({ status }) => status === 200).map(({ body }) => body.task.id);
}

async function exact(expected: number, withinMs: number): Promise<void> {
  await eventually(
    `exactly ${expected} places are taken`,
    async () =>
      (await truth.active('acme', 'ann')).user === expected &&
      (await truth.unfinished('acme', 'ann')) === expected,
    withinMs,
  );
}

describe('the places of a user', () => {
  it('should be exactly the 64 allowed when 65 start at once over two instances', async () => {
    const started = await startMany(ALLOWED + 1, [onA, onB]);
    expect(new Set(started).size).toBe(ALLOWED);
    expect(await truth.active('acme', 'ann')).toEqual({ user: ALLOWED, tenant: ALLOWED });
    // Another user of the tenant is not held back.
    const other = await new A2aClient(b.baseUrl, bob.token).send('instant');
    expect(other.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await onA.cancel(started[0]!)).status).toBe(200);
    expect(await startMany(2, [onB])).toHaveLength(1);
  });

  it('should be exact again within the lease + 2 s after a kill', async () => {
    await startMany(20, [onA]);
    const kept = await startMany(20, [onB]);
    const killedAt = performance.now();
    await a.kill9();
    await exact(kept.length, LEASE_MS + 4_000);
    expect(performance.now() - killedAt).toBeLessThan(LEASE_MS + 2_000);
    expect(await startMany(ALLOWED, [onB])).toHaveLength(ALLOWED - kept.length);
  });

  it('should be exact again after a restart of Redis with its append-only file', async () => {
    const started = await startMany(30, [onA, onB]);
    await redis.kill9();
    await redis.restart();
    const back = performance.now();
    await Promise.all([a.ready(LEASE_MS + 4_000), b.ready(LEASE_MS + 4_000)]);
    await exact(started.length, LEASE_MS + 2_000);
    expect(performance.now() - back).toBeLessThan(LEASE_MS + 2_000);
    expect(await startMany(ALLOWED, [onA, onB])).toHaveLength(ALLOWED - started.length);
    await Promise.all(started.map((id) => onB.cancel(id)));
    await exact(ALLOWED - started.length, LEASE_MS + 2_000);
  });
});
