import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/a2a.js';
import { A2aClient, RefusedStream, type Reply, userMessage } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { nightjarOk } from '../support/nightjar-cli.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';

const places = caller('places', 'ann');
const days = caller('days', 'ann');
const rated = caller('rated', 'ann');
const noisy = caller('noisy', 'ann');
const quiet = caller('quiet', 'ann');
const first = caller('keys', 'ann');
const second = caller('keys', 'ann');
const tools = caller('tools', 'ann');
const live = caller('live', 'ann');

const DEMO = {
  sources: [{ type: 'demo', name: 'demo' }],
  assistant: { backend: 'builtin' },
} as const;
const SLOW = { requestsPerMinutePerUser: 1, requestBurstPerUser: 16 };

let redis: RedisServer;
let fleet: Fleet;
let a: Gateway;
let b: Gateway;

beforeAll(async () => {
  redis = await RedisServer.start();
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [
      { id: 'places', limits: { activePerUser: 16 } },
      { id: 'days', limits: { tasksPerDayPerUser: 16 } },
      { id: 'rated', limits: SLOW },
      { id: 'noisy', limits: { requestsPerMinutePerTenant: 60, requestBurstPerTenant: 5 } },
      { id: 'quiet', limits: { requestsPerMinutePerTenant: 60_000 } },
      { id: 'keys', limits: { activePerToken: 1, streamsPerToken: 1 } },
      {
        ...{ id: 'tools', ...DEMO, mcp: { toolsets: ['assistant', 'direct'] } },
        limits: { toolCallsPerDayPerUser: 2 },
      },
      { id: 'live', limits: { tasksPerDayPerUser: 1 } },
      {
        id: 'lines',
        limits: {
          ...{ tasksPerDayPerToken: 3, activePerToken: 1, streamsPerToken: 1 },
          ...{ requestsPerMinutePerToken: 1, requestBurstPerToken: 12 },
        },
      },
    ],
    callers: [places, days, rated, noisy, quiet, first, second, tools, live],
  });
  [a, b] = fleet.gateways as [Gateway, Gateway];
});
afterAll(async () => {
  await fleet.stop();
  await redis.stop();
});

const on = (gateway: Gateway, { token }: { token: string }): A2aClient =>
  new A2aClient(gateway.baseUrl, token);

/** So many calls at once, every second one on the other instance. */
function spread<T>(count: number, call: (gateway: Gateway) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => call(i % 2 === 0 ? a : b)));
}

const NOW = { configuration: { returnImmediately: true } };

function count(replies: readonly Reply<unknown>[], status: number): number {
  return replies.filter((reply) => reply.status === status).length;
}

function rpc(method: string, params: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id: 7, method, params };
}

function tool(name: string, args: JsonObject): JsonObject {
  return rpc('tools/call', { name, arguments: args });
}

const MCP = { accept: 'application/json' };

describe('tasks a day', () => {
  it('should be exact over both instances: 16 of 30, and each refusal says when', async () => {
    const replies = await spread(30, (gateway) => on(gateway, days).sendRaw('instant', NOW));
    expect([count(replies, 200), count(replies, 429)]).toEqual([16, 14]);
    const { headers, body } = replies.find(({ status }) => status === 429)!;
    const wait = Number(headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(86_400);
    expect(headers['ratelimit-policy']).toBe('"tasks_user";q=16;w=86400');
    expect(headers['ratelimit']).toBe(`"tasks_user";r=0;t=${wait}`);
    expect(body).toMatchObject({
      error: {
        ...{ code: 429, status: 'RESOURCE_EXHAUSTED' },
        details: [
          { reason: 'QUOTA', metadata: { quota: 'tasks_user' } },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${wait}s` },
        ],
      },
    });
    // What is not a start goes on.
    expect((await on(b, days).list()).totalSize).toBe(16);
  });

  it('should follow a change of the configuration within two seconds', async () => {
    expect((await on(a, live).sendRaw('instant')).status).toBe(200);
    expect((await on(b, live).sendRaw('instant')).status).toBe(429);
    const path = join(fleet.dir, 'nightjar.yaml');
    const before = await readFile(path, 'utf8');
    const document = JSON.parse(before) as { tenants: { id: string; limits: object }[] };
    document.tenants.find(({ id }) => id === 'live')!.limits = { tasksPerDayPerUser: 2 };
    await writeFile(path, JSON.stringify(document));
    const reply = await eventually('one more is let in', async () => {
      const sent = await on(b, live).sendRaw('instant');
      return sent.status === 200 && sent;
    });
    expect(reply.status).toBe(200);
    await eventually(
      'and no other',
      async () => (await on(a, live).sendRaw('instant')).status === 429,
    );
  });
});

describe('the rate of requests', () => {
  it('should be exact over both instances, and refuse in every protocol', async () => {
    const replies = await spread(30, (gateway) => on(gateway, rated).call('GET', '/a2a/tasks'));
    expect([count(replies, 200), count(replies, 429)]).toEqual([16, 14]);
    const served = replies.filter(({ status }) => status === 200);
    const left = served.map(({ headers }) =>
      Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1]),
    );
    expect(left.sort((x, y) => x - y)).toEqual(Array.from({ length: 16 }, (_, i) => i));
    for (const { headers } of served) {
      expect(headers['ratelimit-policy']).toBe('"requests_user";q=16;w=960');
    }

    const client = on(a, rated);
    const params = { message: userMessage('instant') as unknown as JsonObject };
    const refused: [string, Reply][] = [
      ['rest', await client.call('GET', '/a2a/tasks')],
      ['v1', await client.call('POST', '/a2a/v1', rpc('SendMessage', params))],
      ['v03', await client.call('POST', '/a2a', rpc('tasks/get', { id: 'x' }))],
      ['mcp', await client.call('POST', '/mcp', rpc('tools/list', {}), MCP)],
    ];
    for (const [name, { status, headers, text }] of refused) {
      expect([name, status]).toEqual([name, 429]);
      expect(Number(headers['retry-after']), name).toBeGreaterThan(0);
      expect(headers['ratelimit'], name).toContain('"requests_user";r=0');
      expect(text, name).toContain('requests_user');
    }
    expect(refused[0]![1].body).toMatchObject({ error: { status: 'RESOURCE_EXHAUSTED' } });
    for (const [, { body }] of refused.slice(1)) {
      expect(body).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32063 } });
    }
    // What a model asks for, it is told of.
    const asked = await client.call('POST', '/mcp', tool('n9e_assistant', { message: 'x' }), MCP);
    expect(asked.status).toBe(200);
    expect(Number(asked.headers['retry-after'])).toBeGreaterThan(0);
    expect(asked.body).toMatchObject({ result: { isError: true } });
    expect(asked.text).toMatch(/Too many requests of this user. Try again in \d+ s/);
    const counted = await Promise.all(
      [a, b].map((one) => one.metric('nightjar_quota_refusals_total{quota="requests_user"}')),
    );
    expect(counted[0]! + counted[1]!).toBe(14 + 5);
  });

  it('should hold one tenant back and not the other', async () => {
    const before = performance.now();
    const flood = spread(200, (gateway) => on(gateway, noisy).call('GET', '/a2a/tasks'));
    const calls = spread(60, (gateway) => on(gateway, quiet).sendRaw('instant'));
    const [loud, calm] = await Promise.all([flood, calls]);
    const seconds = (performance.now() - before) / 1000;
    expect(count(calm, 200)).toBe(60);
    expect(count(loud, 200) + count(loud, 429)).toBe(200);
    expect(count(loud, 200)).toBeGreaterThanOrEqual(5);
    // One a second comes in beside the burst; on a machine so busy that Redis is given up for a
    // moment, by each instance's own count, too.
    const local = await Promise.all([a, b].map((one) => one.metric('nightjar_local_rates_total')));
    const counts = 1 + local.filter((one) => one > 0).length;
    expect(count(loud, 200)).toBeLessThanOrEqual(counts * (5 + Math.ceil(seconds)));
  });
});

describe('limits of a token', () => {
  it('should hold for each token of a user by itself', async () => {
    const mine = await on(a, first).start('hang');
    const again = await on(b, first).sendRaw('hang', NOW);
    expect([again.status, again.headers['ratelimit-policy']]).toEqual([
      ...[429, '"active_token";q=1;qu="concurrent-requests"'],
    ]);
    const other = await on(b, second).start('hang');

    const stream = await on(a, first).subscribe(mine.id);
    const refused = on(b, first).subscribe(mine.id);
    await expect(refused).rejects.toBeInstanceOf(RefusedStream);
    await expect(refused).rejects.toMatchObject({ status: 429 });
    (await on(b, second).subscribe(mine.id)).disconnect();
    stream.disconnect();
    await on(a, first).cancel(mine.id);
    await on(a, second).cancel(other.id);
    expect((await on(b, first).sendRaw('instant')).status).toBe(200);
    await eventually('the place is free again', async () => {
      const next = await on(a, first).start(`hang ${randomUUID()}`);
      try {
        (await on(b, first).subscribe(next.id)).disconnect();
        return true;
      } finally {
        await on(b, first).cancel(next.id);
      }
    });
  });
});

describe('a rotated token', () => {
  it('should go on where the one before it was, and count beside it', async () => {
    const env = { REDIS_URL: redis.url };
    const make = (...args: string[]): Promise<string> =>
      nightjarOk(['token', ...args], env).then((text) => text.trim());
    const old = { token: await make('create', '--tenant', 'lines', '--user', 'ann') };
    const task = await on(a, old).start('hang');
    const stream = await on(a, old).subscribe(task.id);
    const next = { token: await make('rotate', old.token) };
    const last = { token: await make('rotate', next.token) };

    const quota = async (reply: Promise<Reply<unknown>>): Promise<unknown> => {
      const { status, headers } = await reply;
      return [status, /"(\w+)"/.exec(String(headers['ratelimit-policy']))?.[1]];
    };
    expect(await quota(on(b, last).sendRaw('hang', NOW))).toEqual([429, 'active_token']);
    await expect(on(b, last).subscribe(task.id)).rejects.toMatchObject({ status: 429 });
    stream.disconnect();
    await on(b, last).cancel(task.id);
    expect((await on(b, next).sendRaw('instant')).status).toBe(200);
    expect((await on(a, last).sendRaw('instant')).status).toBe(200);
    expect(await quota(on(b, last).sendRaw('instant'))).toEqual([429, 'tasks_token']);

    // 8 requests until now.
    const replies = await spread(8, (gateway) => on(gateway, last).call('GET', '/a2a/tasks'));
    expect([count(replies, 200), count(replies, 429)]).toEqual([4, 4]);
    expect(await quota(on(a, old).call('GET', '/a2a/tasks'))).toEqual([429, 'requests_token']);
    const fresh = { token: await make('create', '--tenant', 'lines', '--user', 'ann') };
    expect((await on(a, fresh).sendRaw('instant')).status).toBe(200);
  });
});

describe('tool calls a day', () => {
  it('should end with a clear answer, for the assistant and for direct calls', async () => {
    const client = on(a, tools);
    const invoke = tool('invoke', { tool: 'list_alerts' });
    for (const gateway of [a, b]) {
      const reply = await on(gateway, tools).call('POST', '/mcp', invoke, MCP);
      expect(reply.body).toMatchObject({ result: { structuredContent: { success: true } } });
    }
    const refused = await client.call('POST', '/mcp', invoke, MCP);
    expect(refused.body).toMatchObject({ result: { isError: true } });
    expect(refused.text).toMatch(/tools of this user were called today .* Try again in \d+ s/);
    const task = await on(b, tools).send('what is firing?');
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(task.status.message)).toContain(
      'Today’s allowance of tool calls for this user is used up; more from 00:00 UTC.',
    );
    expect((await on(b, tools).send('你好，现在有哪些告警？')).status.state).toBe(
      'TASK_STATE_FAILED',
    );
    expect((await on(b, tools).send('help')).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('active tasks', () => {
  it('should be exact over both instances, also after kill -9 of one', async () => {
    const starts = (howMany: number): Promise<Reply<unknown>[]> =>
      spread(howMany, (gateway) => on(gateway, places).sendRaw('hang', NOW));
    const begun = await starts(17);
    expect([count(begun, 200), count(begun, 429)]).toEqual([16, 1]);

    await b.kill9();
    b = a;
    // Nothing is given up by the death: what ran there is still active.
    expect(count(await starts(4), 429)).toBe(4);
    await eventually(
      'all of them run here',
      async () => (await a.metric('nightjar_active_runs')) >= 16,
      20_000,
    );
    expect(count(await starts(4), 429)).toBe(4);
    const { tasks } = await on(a, places).list('?status=TASK_STATE_WORKING');
    await Promise.all(tasks.slice(0, 3).map(({ id }) => on(a, places).cancel(id)));
    const more = await starts(10);
    expect([count(more, 200), count(more, 429)]).toEqual([3, 7]);
    const { headers } = more.find(({ status }) => status === 429)!;
    expect(headers['retry-after']).toBe('5');
    expect(headers['ratelimit']).toBe('"active_user";r=0');
  });
});

describe('while Redis does not answer', () => {
  it('should hold requests to their rate by its own count', async () => {
    await redis.kill9();
    const replies = await spread(100, () => on(a, noisy).call('GET', '/a2a/tasks'));
    // What the rate lets through finds no store behind it.
    expect(count(replies, 503) + count(replies, 429)).toBe(100);
    expect(count(replies, 503)).toBeGreaterThanOrEqual(1);
    expect(count(replies, 429)).toBeGreaterThan(50);
    expect(await a.metric('nightjar_local_rates_total')).toBeGreaterThan(0);
  });
});
