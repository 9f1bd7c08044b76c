import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient, RefusedStream } from '../support/a2a-client.js';
import { Fleet, type Gateway } from '../support/gateway.js';
import { nightjarOk } from '../support/nightjar-cli.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, sleep, within } from '../support/wait.js';

let redis: RedisServer;
let fleet: Fleet;
let gateways: readonly [Gateway, Gateway];

beforeAll(async () => {
  redis = await RedisServer.start();
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }, { id: 'globex' }],
    callers: [],
  });
  gateways = fleet.gateways as unknown as readonly [Gateway, Gateway];
});
afterAll(async () => {
  await fleet.stop();
  await redis.stop();
});

interface Made {
  readonly token: string;
  readonly id: string;
}

async function cli(...args: string[]): Promise<string> {
  return nightjarOk(args, { REDIS_URL: redis.url });
}

async function create(user: string, ...more: string[]): Promise<Made> {
  const args = ['token', 'create', '--tenant', 'acme', '--user', user, '--json', ...more];
  return JSON.parse(await cli(...args)) as Made;
}

function clients(token: string): [A2aClient, A2aClient] {
  return [new A2aClient(gateways[0].baseUrl, token), new A2aClient(gateways[1].baseUrl, token)];
}

async function listed(id: string): Promise<Record<string, unknown>> {
  const lines = (await cli('token', 'list', '--json')).trim().split('\n');
  const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return all.find((record) => record['id'] === id) ?? {};
}

describe('a revoked token', () => {
  it('should be refused by every instance within a second, and its open calls cut', async () => {
    const made = await create('ann');
    const other = await create('ann');
    const [a, b] = clients(made.token);
    const streams = [await a.stream('deltas count=2000 every=20'), await b.stream('hang')];
    await Promise.all(streams.map((stream) => stream.until(2)));
    const { data } = streams[0]!.events[0]!;
    if (!('task' in data)) throw new Error('the first event is no task');
    const taskId = data.task.id;
    const waiting = b.sendRaw('hang').then(
      () => 'answered',
      () => 'cut',
    );
    const kept = await new A2aClient(gateways[1].baseUrl, other.token).subscribe(taskId);
    await kept.until(1);

    await cli('token', 'revoke', made.id);
    const revoked = performance.now();
    await sleep(1000);
    expect((await a.call('GET', `/a2a/tasks/${taskId}`)).status).toBe(401);
    expect((await b.call('GET', `/a2a/tasks/${taskId}`)).status).toBe(401);
    await within('the streams are cut', 10_000, Promise.allSettled(streams.map((s) => s.ended)));
    expect(performance.now() - revoked).toBeLessThan(5_000);
    expect(await within('the waiting call is cut', 10_000, waiting)).toBe('cut');

    // The run goes on, and its user goes on reading it with the token that still stands.
    const before = kept.events.length;
    await kept.until(before + 5);
    expect(kept.closed).toBe(false);
    kept.disconnect();
    await expect(a.subscribe(taskId)).rejects.toBeInstanceOf(RefusedStream);
    const again = new A2aClient(gateways[0].baseUrl, other.token);
    expect(await again.state(taskId)).toBe('TASK_STATE_WORKING');
    expect((await again.cancel(taskId)).status).toBe(200);
  });
});

describe('a token that expires', () => {
  it('should be cut off when its time has come', async () => {
    const made = await create('eve', '--expires', '1m');
    const [a] = clients(made.token);
    const stream = await a.stream('hang');
    await stream.until(2);
    // Nobody waits a minute here: the same end, moved closer by a rotation without an overlap.
    await cli('token', 'rotate', made.id, '--overlap', '0m');
    await within(
      'the stream is cut',
      10_000,
      stream.ended.catch(() => undefined),
    );
    await eventually(
      'it is refused',
      async () => (await a.call('GET', '/a2a/tasks')).status === 401,
    );
  });
});

describe('rotation', () => {
  it('should keep what its user owns, on every instance, and show it to nobody else', async () => {
    const old = await create('ann', '--label', 'laptop');
    const [a] = clients(old.token);
    const task = await a.send('instant', { contextId: 'chat' });
    const parked = await a.send('ask', { contextId: 'open' });

    const next = JSON.parse(await cli('token', 'rotate', old.id, '--json')) as Made;
    // Both work while they overlap.
    expect((await a.get(task.id)).id).toBe(task.id);
    const [c, d] = clients(next.token);
    expect((await d.get(task.id)).id).toBe(task.id);
    const listedIds = (await c.list('?contextId=chat')).tasks.map(({ id }) => id);
    expect(listedIds).toEqual([task.id]);

    await cli('token', 'revoke', old.id);
    await eventually('the old one is refused', async () => {
      return (await a.call('GET', `/a2a/tasks/${task.id}`)).status === 401;
    });
    // The question that the old token opened is answered with the new one, elsewhere.
    const answered = await d.send('this one', { taskId: parked.id });
    expect(answered.status.state).toBe('TASK_STATE_COMPLETED');
    const turn = await d.send('instant', { contextId: 'chat' });
    expect(turn.metadata?.['n9e.seq_id']).toBe(2);

    const bob = await create('bob');
    for (const client of clients(bob.token)) {
      expect((await client.call('GET', `/a2a/tasks/${task.id}`)).status).toBe(404);
      expect((await client.list('?contextId=chat')).tasks).toEqual([]);
    }
  });
});

describe('the list', () => {
  it('should say when a token was used, and never its secret', async () => {
    const made = await create('ann');
    expect(await listed(made.id)).not.toHaveProperty('lastUsed');
    const [a, b] = clients(made.token);
    await a.list();
    const first = await eventually(
      'the use is noted',
      async () => (await listed(made.id))['lastUsed'],
    );
    await b.list();
    await a.list();
    const all = await cli('token', 'list', '--json');
    expect(all).not.toContain(made.token);
    expect((await listed(made.id))['lastUsed']).toBe(first);
  });
});

describe('where a token may be used', () => {
  it('should count the client’s own address behind a trusted proxy', async () => {
    const made = await create('ann', '--from', '192.0.2.0/24,2001:db8::/32');
    const [a, b] = clients(made.token);
    const from = (address: string, client = a) =>
      client.call('GET', '/a2a/tasks', undefined, { 'x-forwarded-for': address });
    expect((await from('192.0.2.7')).status).toBe(200);
    expect((await from('2001:db8::1', b)).status).toBe(200);
    // What a client claims before the proxy's own word counts for nothing.
    expect((await from('192.0.2.7, 198.51.100.1')).status).toBe(401);
    expect((await from('198.51.100.1')).text).toContain('The token is not valid');
    expect((await a.call('GET', '/a2a/tasks')).status).toBe(401);
  });
});

describe('wrong tokens', () => {
  it('should slow down their source, and nobody else, not even from the same address', async () => {
    const made = await create('ann');
    const wrong = new A2aClient(gateways[0].baseUrl, 'x'.repeat(40));
    const from = (client: A2aClient, address: string) =>
      client.call('GET', '/a2a/tasks', undefined, { 'x-forwarded-for': address });
    const statuses: number[] = [];
    for (let i = 0; i < 32; i += 1) statuses.push((await from(wrong, '203.0.113.9')).status);
    expect(statuses.slice(0, 30).every((status) => status === 401)).toBe(true);
    expect(statuses.slice(30)).toEqual([429, 429]);
    const slowed = await from(wrong, '203.0.113.9');
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0);
    expect(slowed.body).toMatchObject({ error: { status: 'RESOURCE_EXHAUSTED' } });
    const right = new A2aClient(gateways[0].baseUrl, made.token);
    expect((await from(right, '203.0.113.9')).status).toBe(200);
    expect((await from(wrong, '203.0.113.10')).status).toBe(401);
  });
});
