import { randomBytes, randomUUID } from 'node:crypto';
import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import * as sdk03 from 'a2a-sdk-03/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/a2a/exit-code.js';
import type { JsonObject, JsonValue } from '../../src/domain/a2a.js';
import { A2aClient, type Reply, userMessage } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { HookServer, isOver, stateIn, textOf } from '../support/hook-server.js';
import { RedisServer } from '../support/redis-server.js';
import { runA2aCli } from './a2a-cli-process.js';

const ann = caller('acme', 'ann');
const bob = caller('acme', 'bob');
const eve = caller('globex', 'eve');
const SECRETS = { token: 'the-token', credentials: 'the-credentials' };
const AUTH = { scheme: 'Bearer', credentials: SECRETS.credentials };

let redis: RedisServer;
let hook: HookServer;
let fleet: Fleet;
let gateway: Gateway;
let client: A2aClient;

beforeAll(async () => {
  redis = await RedisServer.start();
  hook = await HookServer.start();
  fleet = await Fleet.start(1, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }, { id: 'globex' }],
    callers: [ann, bob, eve],
    env: { PUSH_KEY: randomBytes(32).toString('hex'), NIGHTJAR_LOG_LEVEL: 'debug' },
    config: {
      push: {
        enabled: true,
        encryptionKey: { env: 'PUSH_KEY' },
        allowHttp: true,
        allowPrivate: ['127.0.0.1'],
        pollMs: 100,
      },
    },
  });
  gateway = fleet.gateways[0]!;
  client = new A2aClient(gateway.baseUrl, ann.token);
});
afterAll(async () => {
  await fleet.stop();
  await hook.stop();
  await redis.stop();
});

async function runningTask(): Promise<string> {
  return (await client.start('hang')).id;
}

function rpc(
  path: string,
  method: string,
  params: JsonValue,
  as = client,
): Promise<Reply<{ result?: JsonObject; error?: { code: number; message: string } }>> {
  return as.call('POST', path, { jsonrpc: '2.0', id: 1, method, params });
}

const configsOf = (taskId: string): string => `/a2a/tasks/${taskId}/pushNotificationConfigs`;

describe('the agent card', () => {
  it.each([{}, { 'a2a-version': '1.0' }])(
    'should declare push notifications: %j',
    async (headers) => {
      const path = '/.well-known/agent-card.json';
      const { body } = await client.call('GET', path, undefined, headers);
      expect(body).toMatchObject({ capabilities: { pushNotifications: true } });
    },
  );
});

describe('REST 1.0', () => {
  it('should create, get, list and delete, and never show a secret', async () => {
    const taskId = await runningTask();
    const path = configsOf(taskId);
    const created = await client.call('POST', path, {
      id: 'mine',
      url: hook.url('/crud?q=1'),
      token: SECRETS.token,
      authentication: AUTH,
    });
    const shown = {
      id: 'mine',
      taskId,
      url: hook.url('/crud?q=1'),
      authentication: { scheme: 'Bearer' },
    };
    expect([created.status, created.body]).toEqual([201, shown]);
    expect(created.headers['content-type']).toMatch(/^application\/a2a\+json/);
    const got = await client.call('GET', `${path}/mine`);
    expect([got.status, got.body]).toEqual([200, shown]);
    const listed = await client.call('GET', path);
    expect([listed.status, listed.body]).toEqual([200, { configs: [shown], nextPageToken: '' }]);
    for (let time = 0; time < 2; time += 1) {
      const deleted = await client.call('DELETE', `${path}/mine`);
      expect([deleted.status, deleted.text]).toEqual([204, '']);
    }
    expect((await client.call('GET', `${path}/mine`)).status).toBe(404);
    expect((await client.call('GET', path)).body).toEqual({ configs: [], nextPageToken: '' });
    for (const { text } of [created, got, listed]) {
      for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
    }
  });

  it('should give an id of its own to each that has none, and page through them', async () => {
    const taskId = await runningTask();
    const path = configsOf(taskId);
    const ids = new Set<string>();
    for (let n = 0; n < 3; n += 1) {
      const { body } = await client.call<{ id: string }>('POST', path, { url: hook.url('/none') });
      ids.add(body.id);
    }
    expect(ids.size).toBe(3);
    const seen: string[] = [];
    for (let token = '', page = 0; page < 5; page += 1) {
      const { body } = await client.call<{ configs: { id: string }[]; nextPageToken: string }>(
        'GET',
        `${path}?pageSize=2&pageToken=${token}`,
      );
      seen.push(...body.configs.map(({ id }) => id));
      token = body.nextPageToken;
      if (token === '') break;
    }
    expect(seen).toEqual([...ids].sort());
  });

  it('should replace the one of the same id, and refuse the eleventh', async () => {
    const path = configsOf(await runningTask());
    for (let n = 0; n < 10; n += 1) {
      const { status } = await client.call('POST', path, { id: `h${n}`, url: hook.url('/none') });
      expect(status).toBe(201);
    }
    const eleventh = await client.call('POST', path, { id: 'h10', url: hook.url('/none') });
    expect([eleventh.status, eleventh.text]).toEqual([429, expect.stringContaining('QUOTA')]);
    const again = await client.call('POST', path, { id: 'h9', url: hook.url('/other') });
    expect([again.status, again.body]).toMatchObject([201, { url: hook.url('/other') }]);
  });

  it('should not know a task of somebody else, whatever is asked of it', async () => {
    const taskId = await runningTask();
    await client.call('POST', configsOf(taskId), { id: 'h', url: hook.url('/none') });
    for (const { token } of [bob, eve]) {
      const stranger = new A2aClient(gateway.baseUrl, token);
      for (const [method, suffix, body] of [
        ['POST', '', { url: hook.url('/stolen') }],
        // A guard that looked first would tell whether the task exists.
        ['POST', '', { url: 'http://10.0.0.1/' }],
        ['GET', '', undefined],
        ['GET', '/h', undefined],
        ['DELETE', '/h', undefined],
      ] as const) {
        const real = await stranger.call(method, configsOf(taskId) + suffix, body);
        const unknown = randomUUID();
        const random = await stranger.call(method, configsOf(unknown) + suffix, body);
        expect(real.status).toBe(404);
        expect(real.text.replaceAll(taskId, 'x')).toBe(random.text.replaceAll(unknown, 'x'));
      }
    }
    expect((await client.call('GET', `${configsOf(taskId)}/h`)).status).toBe(200);
  });

  it('should not take another task from the body than from the path', async () => {
    const [mine, other] = [await runningTask(), await runningTask()];
    const body = { id: 'h', url: hook.url('/none') };
    const wrong = await client.call('POST', configsOf(mine), { ...body, taskId: other });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('taskId')]);
    const right = await client.call('POST', configsOf(mine), { ...body, taskId: mine });
    expect(right.status).toBe(201);
    expect((await client.call('GET', configsOf(other))).body).toMatchObject({ configs: [] });
  });

  it.each([
    [{}, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 7 }, 'url'],
    [{ url: 'nonsense' }, 'url'],
    [{ url: 'ftp://hooks.example.com/' }, 'url'],
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ url: 'https://user:pw@hooks.example.com/' }, 'url'],
    [{ url: 'http://127.0.0.2/' }, 'url'],
    [{ url: 'http://0x7f000001/' }, 'url'],
    [{ url: 'http://2130706433/' }, 'url'],
    [{ url: 'http://[::1]/' }, 'url'],
    [{ url: 'http://[::ffff:10.0.0.1]/' }, 'url'],
    [{ url: 'http://localhost/' }, 'url'],
    [{ url: 'http://localhost./' }, 'url'],
    [{ url: 'http://169.254.169.254/latest/meta-data' }, 'url'],
    [{ url: 'https://metadata.google.internal/' }, 'url'],
    [{ url: 'https://hooks.example.com/', token: 'a\r\nX-Evil: y' }, 'token'],
    [{ url: 'https://hooks.example.com/', token: ['x'] }, 'token'],
    [{ url: 'https://hooks.example.com/', token: 'x'.repeat(2000) }, 'token'],
    [{ url: 'https://h.example.com/', authentication: { scheme: 'Bearer' } }, 'credentials'],
    [{ url: 'https://h.example.com/', authentication: { credentials: 'x' } }, 'scheme'],
    [{ url: 'https://h.example.com/', authentication: { ...AUTH, scheme: 'a b' } }, 'scheme'],
    [{ url: 'https://h.example.com/', authentication: { ...AUTH, credentials: 'a\nb' } }, 'cred'],
    [{ url: 'https://h.example.com/', authentication: 'Bearer x' }, 'authentication'],
    [{ url: 'https://hooks.example.com/', id: ' ' }, 'id'],
    [{ url: 'https://hooks.example.com/', id: 'x'.repeat(257) }, 'id'],
  ])('should refuse %j', async (body, field) => {
    const taskId = await runningTask();
    const { status, text } = await client.call('POST', configsOf(taskId), body);
    expect([status, text]).toEqual([400, expect.stringContaining(field)]);
    expect(text).not.toMatch(/X-Evil|user:pw/);
    await client.cancel(taskId);
  });
});

describe('JSON-RPC 1.0', () => {
  it('should create, get, list and delete', async () => {
    const taskId = await runningTask();
    const config = { taskId, id: 'mine', url: hook.url('/none'), token: SECRETS.token };
    const shown = { taskId, id: 'mine', url: hook.url('/none') };
    const created = await rpc('/a2a/v1', 'CreateTaskPushNotificationConfig', config);
    expect(created.body.result).toEqual(shown);
    const one = { taskId, id: 'mine' };
    const got = await rpc('/a2a/v1', 'GetTaskPushNotificationConfig', one);
    expect(got.body.result).toEqual(shown);
    const listed = await rpc('/a2a/v1', 'ListTaskPushNotificationConfigs', { taskId });
    expect(listed.body.result).toEqual({ configs: [shown], nextPageToken: '' });
    const deleted = await rpc('/a2a/v1', 'DeleteTaskPushNotificationConfig', one);
    expect(deleted.body).toEqual({ jsonrpc: '2.0', id: 1, result: null });
    const gone = await rpc('/a2a/v1', 'GetTaskPushNotificationConfig', one);
    expect(gone.body.error).toMatchObject({ code: -32001 });
  });

  it.each([
    ['CreateTaskPushNotificationConfig', { url: 'https://hooks.example.com/' }, -32602],
    ['CreateTaskPushNotificationConfig', { taskId: 'nope', url: 'http://10.0.0.1/' }, -32001],
    ['GetTaskPushNotificationConfig', { taskId: 'nope', id: 'h' }, -32001],
    ['GetTaskPushNotificationConfig', { taskId: 'nope' }, -32602],
    ['ListTaskPushNotificationConfigs', { taskId: 'nope' }, -32001],
    ['ListTaskPushNotificationConfigs', { taskId: 'nope', pageSize: -1 }, -32602],
    ['DeleteTaskPushNotificationConfig', { taskId: 'nope', id: 'h' }, -32001],
    ['DeleteTaskPushNotificationConfig', { taskId: 'nope' }, -32602],
  ])('should refuse %s of %j', async (method, params, code) => {
    expect((await rpc('/a2a/v1', method, params)).body.error).toMatchObject({ code });
  });
});

describe('JSON-RPC 0.3', () => {
  const method = (verb: string): string => `tasks/pushNotificationConfig/${verb}`;

  it('should set, get, list and delete', async () => {
    const id = await runningTask();
    const pushNotificationConfig = {
      url: hook.url('/none'),
      token: SECRETS.token,
      authentication: { schemes: ['Basic', 'Bearer'], credentials: SECRETS.credentials },
    };
    const shown = {
      taskId: id,
      pushNotificationConfig: {
        id,
        url: hook.url('/none'),
        authentication: { schemes: ['Bearer'] },
      },
    };
    const set = await rpc('/a2a', method('set'), { taskId: id, pushNotificationConfig });
    expect(set.body.result).toEqual(shown);
    // Without an id it is the task's one, set twice as well as once.
    await rpc('/a2a', method('set'), { taskId: id, pushNotificationConfig });
    for (const params of [{ id }, { id, pushNotificationConfigId: id }]) {
      expect((await rpc('/a2a', method('get'), params)).body.result).toEqual(shown);
    }
    expect((await rpc('/a2a', method('list'), { id })).body.result).toEqual([shown]);
    const params = { id, pushNotificationConfigId: id };
    expect((await rpc('/a2a', method('delete'), params)).body).toMatchObject({ result: null });
    expect((await rpc('/a2a', method('get'), { id })).body.error).toMatchObject({ code: -32001 });
  });

  it.each([
    ['set', {}, -32602],
    ['set', { taskId: 'x' }, -32602],
    ['set', { taskId: 'x', pushNotificationConfig: {} }, -32602],
    ['set', { taskId: 'x', pushNotificationConfig: { url: 5 } }, -32602],
    ['set', { taskId: 'x', pushNotificationConfig: { url: 'https://h.example.com/' } }, -32001],
    ['get', { id: 'x' }, -32001],
    ['get', {}, -32602],
    ['list', { id: 'x' }, -32001],
    ['delete', { id: 'x', pushNotificationConfigId: 'y' }, -32001],
  ])('should refuse %s of %j', async (verb, params, code) => {
    expect((await rpc('/a2a', method(verb), params)).body.error).toMatchObject({ code });
  });
});

describe('a webhook in a message', () => {
  it('should be told all of a task that is sent, from its first event on', async () => {
    const path = `/${randomUUID()}`;
    const taskPushNotificationConfig = { url: hook.url(path), token: SECRETS.token };
    const task = await client.send('deltas count=5 every=10', {
      configuration: { taskPushNotificationConfig },
    });
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const accepted = await hook.until('the end', isOver, path);
    expect(stateIn(accepted[0])).toBe('TASK_STATE_SUBMITTED');
    expect(textOf(accepted)).toBe('1.1 1.2 1.3 1.4 1.5 ');
    expect(accepted[0]?.headers['x-a2a-notification-token']).toBe(SECRETS.token);
    const { body } = await client.call('GET', configsOf(task.id));
    expect(body).toMatchObject({ configs: [{ id: task.id, url: hook.url(path) }] });
  });

  it('should be told of a task that is streamed', async () => {
    const path = `/${randomUUID()}`;
    const stream = await client.open(
      'POST',
      '/a2a/message:stream',
      {},
      {
        message: userMessage('deltas count=5 every=10') as unknown as JsonObject,
        configuration: { taskPushNotificationConfig: { url: hook.url(path) } },
      },
    );
    await stream.ended;
    expect(textOf(await hook.until('the end', isOver, path))).toBe('1.1 1.2 1.3 1.4 1.5 ');
  });

  it('should be told in the shape of 0.3 when that has registered it', async () => {
    const path = `/${randomUUID()}`;
    const message = {
      kind: 'message',
      messageId: randomUUID(),
      role: 'user',
      parts: [{ kind: 'text', text: 'deltas count=3 every=10' }],
    };
    const configuration = { pushNotificationConfig: { url: hook.url(path) } };
    const { body } = await rpc('/a2a', 'message/send', { message, configuration });
    const accepted = await hook.until('the end', isOver, path);
    expect(accepted[0]?.headers['content-type']).toBe('application/json');
    const last = JSON.parse(accepted.at(-1)!.text) as JsonObject;
    expect(last).toEqual(body.result);
    expect(last).toMatchObject({ kind: 'task', status: { state: 'completed' } });
  });

  it('should not start again when the message is sent again', async () => {
    const path = `/${randomUUID()}`;
    const options = {
      messageId: randomUUID(),
      configuration: {
        returnImmediately: true,
        taskPushNotificationConfig: { url: hook.url(path) },
      },
    };
    const { id } = await client.send('hang', options);
    await hook.until('it runs', (all) => textOf(all) === 'waiting', path);
    const told = hook.accepted(path).length;
    expect((await client.send('hang', options)).id).toBe(id);
    await client.cancel(id);
    const accepted = await hook.until('the end', isOver, path);
    expect(accepted.slice(told).map(stateIn)).toEqual(['TASK_STATE_CANCELED']);
  });

  it('should be refused before anything runs', async () => {
    const before = (await client.list()).totalSize;
    for (const webhook of [
      { url: 'http://10.0.0.1/' },
      { url: hook.url(), token: 'a\nb' },
      {},
      7,
    ]) {
      const reply = await client.sendRaw('instant', {
        configuration: { taskPushNotificationConfig: webhook },
      });
      expect(reply.status).toBe(400);
    }
    expect((await client.list()).totalSize).toBe(before);
  });
});

/** Adds the token to each call, as a client of the SDK has to do itself. */
const withToken: typeof fetch = (input, init) =>
  fetch(input, {
    ...init,
    headers: { ...(init?.headers as Record<string, string>), 'X-User-Token': ann.token },
  });

function sdkConfig(taskId: string, id: string): TaskPushNotificationConfig {
  return {
    tenant: '',
    taskId,
    id,
    url: hook.url('/none'),
    token: SECRETS.token,
    authentication: AUTH,
  };
}

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('the SDK’s client 1.3 over %s', (transport) => {
  let sdk: Client;
  beforeAll(async () => {
    const options = { fetchImpl: withToken };
    const factory = new ClientFactory({
      transports: [
        transport === 'JSONRPC'
          ? new JsonRpcTransportFactory(options)
          : new RestTransportFactory(options),
      ],
      cardResolver: new DefaultAgentCardResolver(options),
    });
    sdk = await factory.createFromUrl(`${gateway.baseUrl}/`);
  });

  it('should create, get, list and delete', async () => {
    const taskId = await runningTask();
    const shown = {
      ...sdkConfig(taskId, 'with spaces/and slash'),
      token: '',
      authentication: { scheme: 'Bearer', credentials: '' },
    };
    const { id } = shown;
    expect(await sdk.createTaskPushNotificationConfig(sdkConfig(taskId, id))).toEqual(shown);
    const one = { tenant: '', taskId, id };
    expect(await sdk.getTaskPushNotificationConfig(one)).toEqual(shown);
    const all = { tenant: '', taskId, pageSize: 0, pageToken: '' };
    const { configs } = await sdk.listTaskPushNotificationConfig(all);
    expect(configs).toEqual([shown]);
    await sdk.deleteTaskPushNotificationConfig(one);
    await expect(sdk.getTaskPushNotificationConfig(one)).rejects.toMatchObject({
      name: 'TaskNotFoundError',
    });
  });
});

describe('the SDK’s client 0.3.14', () => {
  it('should set and get', async () => {
    const factory = new sdk03.ClientFactory({
      transports: [new sdk03.JsonRpcTransportFactory({ fetchImpl: withToken })],
      cardResolver: new sdk03.DefaultAgentCardResolver({ fetchImpl: withToken }),
    });
    const sdk = await factory.createFromUrl(gateway.baseUrl);
    const taskId = await runningTask();
    const config = { id: 'mine', url: hook.url('/none') };
    const set = await sdk.setTaskPushNotificationConfig({
      taskId,
      pushNotificationConfig: { ...config, token: SECRETS.token },
    });
    expect(set).toEqual({ taskId, pushNotificationConfig: config });
    const params = { id: taskId, pushNotificationConfigId: 'mine' };
    expect(await sdk.getTaskPushNotificationConfig(params)).toEqual(set);
    expect(await sdk.listTaskPushNotificationConfig({ id: taskId })).toEqual([set]);
    await sdk.deleteTaskPushNotificationConfig(params);
    await expect(sdk.getTaskPushNotificationConfig(params)).rejects.toThrow();
  });
});

describe('the log', () => {
  it('should hold nothing of the webhooks above but their names', () => {
    for (const secret of [...Object.values(SECRETS), 'X-Evil', hook.url('')]) {
      expect(gateway.logs).not.toContain(secret);
    }
  });
});

describe('a2a-cli webhook', () => {
  const run = async (...args: readonly string[]) => {
    const target = ['--server', gateway.baseUrl, '--token', ann.token];
    return await runA2aCli([...target, ...args]).ended;
  };

  it.each(['1.0', '0.3'])('should add, list and remove in %s', async (version) => {
    const taskId = await runningTask();
    const path = `/cli-${version}`;
    const spoken = ['--protocol', version, 'webhook'];
    const secret = ['--notify-token', SECRETS.token];
    const added = await run(...spoken, 'add', taskId, hook.url(path), '--id', 'h1', ...secret);
    expect([added.stderr, added.code]).toEqual(['', 0]);
    await hook.until('it is told', (accepted) => accepted.length > 0, path);
    expect(hook.accepted(path)[0]?.headers['x-a2a-notification-token']).toBe(SECRETS.token);

    const listed = await run(...spoken, 'list', taskId);
    expect(listed.stdout).toBe(`h1  ${hook.url(path)}\n`);
    expect((await run(...spoken, 'remove', taskId, 'h1')).code).toBe(0);
    expect((await run(...spoken, 'list', taskId)).stdout).toBe('No webhooks\n');
    const refused = await run(...spoken, 'add', taskId, 'http://169.254.169.254/latest');
    expect(refused.code).toBe(EXIT.refused);
    await client.cancel(taskId);
  });
});
