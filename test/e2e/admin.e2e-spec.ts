import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/a2a.js';
import { A2aClient, type Reply } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, within } from '../support/wait.js';

const ADMIN = `adm_${randomBytes(32).toString('base64url')}`;
const ann = caller('acme', 'ann');
const bob = caller('acme', 'bob');
/** Every instance acts on a change within two seconds; a busy machine gets one more. */
const EVERYWHERE_MS = 3_000;
const DEMO = { sources: [{ type: 'demo', name: 'demo' }] };

let redis: RedisServer;
let store: Redis;
let fleet: Fleet;
let a: Gateway;
let b: Gateway;

beforeAll(async () => {
  redis = await RedisServer.start();
  store = new Redis(redis.url);
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }],
    callers: [ann, bob],
    env: { NIGHTJAR_ADMIN_TOKEN: ADMIN, OPEN_KEY: 'opened', SHUT_KEY: 'shut' },
    config: { admin: { secretEnv: ['OPEN_*'] } },
  });
  [a, b] = fleet.gateways as [Gateway, Gateway];
});
afterAll(async () => {
  store.disconnect();
  await fleet.stop();
  await redis.stop();
});

function admin<T = JsonObject>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  gateway = a,
): Promise<Reply<T>> {
  const client = new A2aClient(gateway.managementUrl, ADMIN);
  const text = body === undefined ? undefined : JSON.stringify(body);
  return client.call<T>(method, `/admin/v1${path}`, text, headers);
}

async function tokenFor(tenant: string, user: string): Promise<string> {
  const made = await admin<{ token: string }>('POST', '/tokens', { tenant, user });
  expect(made.status).toBe(200);
  return made.body.token;
}

const on = (gateway: Gateway, token: string): A2aClient => new A2aClient(gateway.baseUrl, token);

/** A task whose run has begun: `start` may answer before that. */
async function hanging(
  client: A2aClient,
  words = '',
): Promise<Awaited<ReturnType<A2aClient['start']>>> {
  const task = await client.start(`hang${words}`);
  await eventually('it works', async () => (await client.state(task.id)) === 'TASK_STATE_WORKING');
  return task;
}

describe('the admin API', () => {
  it('should be there for admins only, and on the management listener only', async () => {
    const shut = (reply: Reply): number => reply.status;
    const path = '/admin/v1/tenants';
    const ours = new A2aClient(a.managementUrl, ADMIN);
    expect(shut(await ours.call('GET', path))).toBe(200);
    expect(shut(await new A2aClient(a.managementUrl, undefined).call('GET', path))).toBe(401);
    expect(shut(await new A2aClient(a.managementUrl, ann.token).call('GET', path))).toBe(403);
    expect(shut(await on(a, ADMIN).call('GET', path))).toBe(404);
    expect(shut(await on(a, ADMIN).call('POST', path, {}))).toBe(404);
    expect(shut(await on(a, ADMIN).call('GET', '/%61dmin/v1/tenants'))).toBe(404);
    expect(shut(await on(a, ADMIN).call('GET', '/a2a/tasks'))).toBe(403);
    expect(shut(await ours.call('GET', path, undefined, { host: 'evil.example' }))).toBe(403);
    // Nothing but what is mounted there.
    expect(shut(await new A2aClient(a.managementUrl, ann.token).call('GET', '/a2a/tasks'))).toBe(
      404,
    );
    const wrong = await ours.call('GET', '/admin/v1/nothing');
    expect(wrong.body).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } });
  });

  it('should make a tenant that every instance serves within two seconds', async () => {
    const made = await admin('PUT', '/tenants/globex', DEMO, { 'if-none-match': '*' });
    expect(made.status).toBe(200);
    expect(made.headers.etag).toBe('"1"');
    const began = performance.now();
    const token = await tokenFor('globex', 'gus');
    for (const gateway of [b, a]) {
      const client = on(gateway, token);
      await eventually('it is served', async () => (await client.sendRaw('hello')).status === 200);
    }
    expect(performance.now() - began).toBeLessThan(EVERYWHERE_MS);
    // Narrower limits hold for the next call, on the other instance too.
    const narrow = { ...DEMO, limits: { textBytes: 10 } };
    const changed = await admin('PUT', '/tenants/globex', narrow, { 'if-match': '"1"' }, b);
    expect(changed.headers.etag).toBe('"2"');
    const long = 'what is firing in production?';
    await eventually(
      'the limit holds',
      async () => (await on(a, token).sendRaw(long)).status === 413,
      EVERYWHERE_MS,
    );
  });

  it('should give a tenant that came later the MCP tools of its document', async () => {
    await admin('PUT', '/tenants/later', { ...DEMO, mcp: { toolsets: ['direct'] } });
    const token = await tokenFor('later', 'lea');
    const params = { name: 'inspect', arguments: {} };
    for (const gateway of [a, b]) {
      const body = await eventually('it is served', async () => {
        const reply = await on(gateway, token).call(
          'POST',
          '/mcp',
          { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
          { accept: 'application/json' },
        );
        return reply.status === 403 ? undefined : reply.body;
      });
      expect(body).toMatchObject({
        result: { structuredContent: { tenant: 'later', toolsets: ['direct'] } },
      });
    }
  });

  it('should change only what the caller has seen', async () => {
    const put = async (headers: Record<string, string>): Promise<number> =>
      (await admin('PUT', '/tenants/globex', DEMO, headers)).status;
    expect(await put({ 'if-match': '"1"' })).toBe(412);
    expect(await put({ 'if-none-match': '*' })).toBe(409);
    expect(await put({})).toBe(409);
    expect(
      (await admin('DELETE', '/tenants/globex', undefined, { 'if-match': '"1"' })).status,
    ).toBe(412);
    expect((await admin('GET', '/tenants/globex')).body).toMatchObject({
      version: 2,
      origin: 'api',
    });
    expect((await admin('PUT', '/tenants/acme', DEMO)).body).toMatchObject({
      error: { status: 'FAILED_PRECONDITION' },
    });
    expect((await admin('DELETE', '/tenants/acme')).status).toBe(409);
    expect((await admin('DELETE', '/tenants/nobody')).status).toBe(404);
  });

  it('should tell every fault of a document, and open no secret or module to it', async () => {
    const source = (env: string): unknown => ({
      type: 'prometheus',
      name: 'p',
      url: 'http://127.0.0.1:1',
      auth: { kind: 'bearer', token: { env } },
    });
    const faults = async (document: unknown): Promise<string> => {
      const reply = await admin('PUT', '/tenants/newco', document);
      expect(reply.status).toBe(400);
      return JSON.stringify(reply.body['error']);
    };
    expect(await faults({ limits: { textBytes: 'many' }, soures: [] })).toMatch(
      /limits\.textBytes.*soures|soures.*limits\.textBytes/,
    );
    expect(await faults({ sources: [source('SHUT_KEY')] })).toContain('SHUT_KEY is not set');
    const file = {
      type: 'prometheus',
      name: 'p',
      url: 'http://127.0.0.1:1',
      auth: {
        kind: 'bearer',
        token: { file: '/etc/hostname' },
      },
    };
    expect(await faults({ sources: [file] })).toContain('admin.secretFolder');
    expect(await faults({ assistant: { backend: 'module', module: '/x.mjs' } })).toContain(
      'module',
    );
    expect((await admin('PUT', '/tenants/tasks', DEMO)).status).toBe(400);
    const made = await admin('PUT', '/tenants/newco', { sources: [source('OPEN_KEY')] });
    expect(made.status).toBe(200);
    expect(made.text).not.toContain('opened');
  });
});

describe('the YAML file', () => {
  it('should be read again when it changes, and the last good one stay when it is at fault', async () => {
    const path = join(fleet.dir, 'nightjar.yaml');
    const good = JSON.parse(await readFile(path, 'utf8')) as {
      tenants: unknown[];
      tokens: unknown[];
    };
    await writeFile(
      path,
      JSON.stringify({ ...good, tenants: [...good.tenants, { id: 'added', ...DEMO }] }),
    );
    const token = await eventually('the tenant is known', async () => {
      const made = await admin<{ token?: string }>('POST', '/tokens', {
        tenant: 'added',
        user: 'u',
      });
      return made.body.token;
    });
    for (const gateway of [a, b]) {
      await eventually(
        'it is served',
        async () => (await on(gateway, token).sendRaw('hello')).status === 200,
        EVERYWHERE_MS,
      );
    }
    await writeFile(path, '{"tenants": [{"id": "NOT AN ID"}]}');
    for (const gateway of [a, b]) {
      await eventually(
        'it is refused',
        async () => (await gateway.metric('nightjar_config_current')) === 0,
      );
      expect((await on(gateway, token).sendRaw('hello')).status).toBe(200);
      expect(gateway.logs).toContain('the last good one stays');
    }
    await writeFile(path, JSON.stringify(good));
    for (const gateway of [a, b]) {
      await eventually(
        'it is gone',
        async () => (await on(gateway, token).sendRaw('hello')).status === 403,
      );
      expect(await gateway.metric('nightjar_config_current')).toBe(1);
      expect((await on(gateway, ann.token).send('instant')).status.state).toBe(
        'TASK_STATE_COMPLETED',
      );
    }
  });
});

describe('suspending', () => {
  it('should end a user’s work everywhere, leave others alone, and be taken back', async () => {
    const running = await hanging(on(b, bob.token));
    const parked = await on(b, bob.token).send('ask');
    const stream = await on(a, bob.token).subscribe(running.id);
    const other = await hanging(on(b, ann.token));
    const reply = await admin('POST', '/tenants/acme/users/bob:suspend', { reason: 'left' });
    expect(reply.body).toMatchObject({ suspendedUsers: [{ user: 'bob', reason: 'left' }] });
    for (const gateway of [a, b]) {
      await eventually(
        'his calls are refused',
        async () => (await on(gateway, bob.token).sendRaw('instant')).status === 403,
        EVERYWHERE_MS,
      );
    }
    await within(
      'his stream is cut',
      5_000,
      stream.ended.catch(() => undefined),
    );
    for (const { id } of [running, parked]) {
      await eventually('his task is canceled', async () => {
        const { body } = await admin('GET', `/tenants/acme/tasks/${id}`);
        return body['state'] === 'TASK_STATE_CANCELED';
      });
    }
    expect(await on(a, ann.token).state(other.id)).toBe('TASK_STATE_WORKING');
    await admin('POST', '/tenants/acme/users/bob:resume');
    for (const gateway of [a, b]) {
      await eventually(
        'he may call again',
        async () => (await on(gateway, bob.token).sendRaw('instant')).status === 200,
      );
    }
    const text = JSON.stringify(await on(a, bob.token).get(running.id));
    expect(text).toContain('suspended');
    await on(a, ann.token).cancel(other.id);
  });

  it('should stop a whole tenant, its parked tasks too', async () => {
    const running = await hanging(on(a, ann.token));
    const parked = await on(b, bob.token).send('ask');
    await admin('POST', '/tenants/acme:suspend', {}, {}, b);
    for (const [gateway, who] of [
      [a, bob],
      [b, ann],
    ] as const) {
      await eventually(
        'calls are refused',
        async () => (await on(gateway, who.token).call('GET', '/a2a/tasks')).status === 403,
        EVERYWHERE_MS,
      );
    }
    for (const { id } of [running, parked]) {
      await eventually('the task is canceled', async () => {
        const { body } = await admin('GET', `/tenants/acme/tasks/${id}`);
        return body['state'] === 'TASK_STATE_CANCELED';
      });
    }
    await admin('POST', '/tenants/acme:resume');
    for (const gateway of [a, b]) {
      await eventually(
        'served again',
        async () => (await on(gateway, ann.token).sendRaw('instant')).status === 200,
      );
    }
  });
});

describe('deleting a tenant', () => {
  it('should leave no key of it, not even by an instance that slept through it', async () => {
    await admin('PUT', '/tenants/doomed', DEMO, { 'if-none-match': '*' });
    const token = await tokenFor('doomed', 'dan');
    await eventually('served', async () => (await on(b, token).sendRaw('hello')).status === 200);
    const task = await on(b, token).send('what is firing?', { contextId: 'c' });
    expect((await store.keys('nj:{doomed}:*')).length).toBeGreaterThan(5);

    b.sigstop();
    // Waits in the sleeping instance's socket: a create by one that still knows the old tenant.
    const late = on(b, token)
      .sendRaw('what is firing?')
      .catch(() => undefined);
    const removed = await admin<{ removedKeys: number }>('DELETE', '/tenants/doomed');
    expect(removed.status).toBe(200);
    expect(removed.body.removedKeys).toBeGreaterThan(5);
    expect(await store.keys('nj:{doomed}:*')).toEqual([]);
    expect(await store.hexists('nj:{admin}:tenants', 'doomed')).toBe(0);
    expect((await on(a, token).call('GET', `/a2a/tasks/${task.id}`)).status).toBe(401);

    // The same id again is another tenant.
    await admin('PUT', '/tenants/doomed', DEMO, { 'if-none-match': '*' });
    b.sigcont();
    const reply = await within('the late call is answered', 30_000, late);
    expect(reply?.status ?? 401).toBeGreaterThanOrEqual(401);
    const next = await tokenFor('doomed', 'dan');
    await eventually('served', async () => (await on(b, next).sendRaw('hello')).status === 200);
    expect((await on(b, next).call('GET', `/a2a/tasks/${task.id}`)).status).toBe(404);
    expect((await on(b, next).list('?contextId=c')).tasks).toEqual([]);
    expect((await on(b, next).send('hello', { contextId: 'c' })).metadata?.['n9e.seq_id']).toBe(1);
  });

  it('should be taken up by any instance when the one that was deleting is killed', async () => {
    await admin('PUT', '/tenants/halved', DEMO, { 'if-none-match': '*' });
    const token = await tokenFor('halved', 'hal');
    await eventually('served', async () => (await on(b, token).sendRaw('hello')).status === 200);
    // Enough for many steps: the kill falls between two of them.
    const names = Array.from({ length: 100_000 }, (_, n) => [`nj:{halved}:test:${n}`, '']);
    await store.mset(names.flat());
    const keys = async (): Promise<number> => (await store.keys('nj:{halved}:*')).length;
    const c = await fleet.add();
    const before = await store.dbsize();
    const broken = admin('DELETE', '/tenants/halved', undefined, {}, c).catch(() => undefined);
    const begun = async (): Promise<boolean> => (await store.dbsize()) < before - 1000;
    await eventually('the first keys are gone', begun, 10_000, 1);
    await c.kill9();
    expect((await broken)?.status).not.toBe(200);
    expect(await keys()).toBeGreaterThan(0);

    const left = await admin('GET', '/tenants/halved', undefined, {}, b);
    expect(left.body).toMatchObject({ state: 'deleting' });
    expect((await on(b, token).sendRaw('hello')).status).toBe(401);
    const again = await admin('PUT', '/tenants/halved', DEMO, { 'if-match': '"2"' }, b);
    expect(again.body).toMatchObject({ error: { status: 'FAILED_PRECONDITION' } });
    expect((await admin('DELETE', '/tenants/halved', undefined, {}, b)).status).toBe(200);
    expect(await keys()).toBe(0);
    expect(await store.hexists('nj:{admin}:tenants', 'halved')).toBe(0);
  });
});

describe('what is being done', () => {
  it('should show live tasks without their words, and end one wherever it runs', async () => {
    const task = await hanging(on(b, ann.token), '\nwith a secret word');
    const list = await admin<{ tasks: JsonObject[] }>('GET', '/tasks?tenant=acme&user=ann');
    const mine = list.body.tasks.find(({ id }) => id === task.id);
    expect(mine).toMatchObject({ tenant: 'acme', user: 'ann', state: 'TASK_STATE_WORKING' });
    expect(list.text).not.toContain('secret word');
    const ended = await admin('POST', `/tenants/acme/tasks/${task.id}:cancel`);
    expect(ended.body).toMatchObject({ state: 'TASK_STATE_CANCELED', cancel: 'operator' });
    expect(JSON.stringify(await on(a, ann.token).get(task.id))).toContain('by the operator');
  });

  it('should add up usage by user and day', async () => {
    const token = await tokenFor('globex', 'uma');
    await on(a, token).send('hello');
    await on(b, token).send('hi');
    const today = new Date().toISOString().slice(0, 10);
    await eventually('it is added up', async () => {
      const { body } = await admin<{ usage: JsonObject[] }>(
        'GET',
        '/tenants/globex/usage?user=uma',
      );
      return body.usage.some(({ day, tasks }) => day === today && tasks === 2);
    });
  });

  it('should keep who did what, with its outcome and request, and no words', async () => {
    const headers = { 'x-request-id': 'audit-me' };
    const sent = await on(b, ann.token).call(
      'POST',
      '/a2a/message:send',
      {
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'instant secret words' }] },
      },
      headers,
    );
    expect(sent.status).toBe(200);
    await on(a, ann.token).cancel('no-such-task');
    interface Page {
      entries: JsonObject[];
      next?: string;
    }
    const audit = async (query: string): Promise<Reply<Page>> =>
      admin<Page>('GET', `/audit${query}`);
    const entry = await eventually('it is noted', async () => {
      const { body } = await audit('?tenant=acme&actor=ann&action=task.send');
      return body.entries.find(({ requestId }) => requestId === 'audit-me');
    });
    expect(entry).toMatchObject({
      outcome: 'ok',
      target: expect.stringMatching(/^task\/./) as string,
    });
    await eventually('the refusal is noted', async () => {
      const { body } = await audit('?tenant=acme&target=task/no-such-task');
      return body.entries[0]?.['outcome'] === 'TASK_NOT_FOUND';
    });
    expect((await audit('?tenant=acme&action=user.')).body.entries.map((e) => e['action'])).toEqual(
      ['user.resume', 'user.suspend'],
    );
    expect(
      (await audit('?action=tenant.delete&target=tenant/doomed')).body.entries[0],
    ).toMatchObject({
      action: 'tenant.delete',
      target: 'tenant/doomed',
      actor: 'admin:admin',
      outcome: 'ok',
    });
    const first = (await audit('?tenant=acme&pageSize=2')).body;
    const second = (await audit(`?tenant=acme&pageSize=2&before=${first.next ?? ''}`)).body;
    expect(first.entries).toHaveLength(2);
    expect(second.entries[0]).not.toEqual(first.entries[1]);
    const all = (await audit('?tenant=acme&pageSize=1000')).text;
    expect(all).not.toContain('secret words');
    expect(all).not.toContain(ann.token);
  });
});
