import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.js';
import {
  type A2aApp,
  type Answer,
  call,
  parseSse,
  rpc,
  sendParams03,
  sendRequest,
  startA2aApp,
} from './a2a-harness.js';

let gateway: A2aApp;

beforeAll(async () => {
  gateway = await startA2aApp();
});
afterAll(async () => {
  await gateway.close();
});
beforeEach(() => {
  gateway.tasks.refuse = undefined;
  gateway.tasks.submissions.length = 0;
});

type Init = { headers?: Record<string, string>; token?: string; path?: string };

function raw(body: string, { path = '/a2a/v1', ...init }: Init = {}): Promise<Answer> {
  return call(`${gateway.url}${path}`, { method: 'POST', body, ...init });
}

function ask(method: string, params?: unknown, init: Init = {}): Promise<Answer> {
  return raw(rpc(method, params), init);
}

function resultOf(answer: Answer): Record<string, unknown> {
  return (answer.json as { result: Record<string, unknown> }).result;
}

function errorOf(answer: Answer) {
  const { id, error } = answer.json as {
    id: unknown;
    error: { code: number; message: string; data: Record<string, unknown>[] };
  };
  return { http: answer.status, id, ...error };
}

async function startTask(text: string): Promise<string> {
  const request = sendRequest(text, {}, { configuration: { returnImmediately: true } });
  const { task } = resultOf(await ask('SendMessage', request));
  return (task as { id: string }).id;
}

/** The two ways to speak 1.0. */
const ENDPOINTS: Init[] = [
  { path: '/a2a/v1' },
  { path: '/a2a', headers: { 'a2a-version': '1.0' } },
];

describe.each(ENDPOINTS)('JSON-RPC 1.0 on %j', (endpoint) => {
  it.each(['SendMessage', 'sendMessage'])('should answer %s with {task}', async (method) => {
    const answer = await ask(method, sendRequest('hello'), endpoint);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: {
        task: {
          status: { state: 'TASK_STATE_COMPLETED' },
          artifacts: [{ parts: [{ text: 'Hello world' }] }],
        },
      },
    });
  });

  it.each(['SendStreamingMessage', 'sendStreamingMessage'])(
    'should stream %s with the request’s id on every event',
    async (method) => {
      const answer = await raw(rpc(method, sendRequest('hello'), 'é"x'), endpoint);
      const events = parseSse(answer.text);
      expect(events.map(({ id }) => id)).toEqual(['1-1', '2-1', '3-1', '4-1', '5-1']);
      const envelopes = events.map(({ data }) => JSON.parse(data!) as { id: unknown });
      expect(new Set(envelopes.map(({ id }) => id))).toEqual(new Set(['é"x']));
      const held = [...gateway.tasks.tasks.values()].at(-1)!;
      expect(events.map(({ data }) => data)).toEqual(
        held.events.map(({ json }) => `{"jsonrpc":"2.0","id":"é\\"x","result":${json}}`),
      );
    },
  );

  it('should get, list, cancel and subscribe', async () => {
    const id = await startTask('slow');
    const got = await ask('GetTask', { id, historyLength: 0 }, endpoint);
    expect(resultOf(got)).toMatchObject({ id, status: { state: 'TASK_STATE_WORKING' } });
    expect(resultOf(got)).not.toHaveProperty('history');
    const list = resultOf(await ask('ListTasks', { pageSize: 100 }, endpoint));
    expect(list).toMatchObject({ nextPageToken: '', pageSize: 100 });
    expect(list['tasks']).toHaveLength(list['totalSize'] as number);
    const stream = ask('SubscribeToTask', { id }, endpoint);
    setTimeout(() => {
      void ask('CancelTask', { id, metadata: {} }, endpoint);
    }, 30);
    const events = parseSse((await stream).text).map(({ data }) => JSON.parse(data!) as object);
    expect(events[0]).toMatchObject({ result: { task: { id } } });
    expect(events.at(-1)).toMatchObject({
      result: { statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } },
    });
    const again = await ask('CancelTask', { id }, endpoint);
    expect(resultOf(again)).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
  });

  it('should resume after Last-Event-ID', async () => {
    const id = await startTask('hello');
    const headers = { ...endpoint.headers, 'last-event-id': '4-1' };
    const answer = await ask('SubscribeToTask', { id }, { ...endpoint, headers });
    expect(parseSse(answer.text).map((event) => event.id)).toEqual(['5-1']);
  });

  it.each([
    'CreateTaskPushNotificationConfig',
    'GetTaskPushNotificationConfig',
    'ListTaskPushNotificationConfigs',
    'DeleteTaskPushNotificationConfig',
  ])('should refuse %s', async (method) => {
    const answer = await ask(method, { taskId: 'x', url: 'https://example.org' }, endpoint);
    expect(errorOf(answer)).toMatchObject({ http: 200, code: -32003 });
  });

  it('should give the extended card, with and without params', async () => {
    for (const params of [undefined, {}]) {
      const answer = await ask('GetExtendedAgentCard', params, endpoint);
      expect(answer.json).toMatchObject({ result: { skills: [{ id: 'n9e-assistant' }] } });
    }
  });
});

describe('JSON-RPC 1.0 errors', () => {
  it.each([
    ['GetTask', { id: 'nope' }, -32001, 'TASK_NOT_FOUND'],
    ['CancelTask', { id: 'nope' }, -32001, 'TASK_NOT_FOUND'],
    ['SubscribeToTask', { id: 'nope' }, -32001, 'TASK_NOT_FOUND'],
    ['SendMessage', sendRequest('x', { taskId: 'nope' }), -32001, 'TASK_NOT_FOUND'],
    ['SendStreamingMessage', sendRequest('x', { taskId: 'nope' }), -32001, 'TASK_NOT_FOUND'],
    ['GetTask', {}, -32602, 'INVALID_PARAMS'],
    ['GetTask', { id: 5 }, -32602, 'INVALID_PARAMS'],
    ['GetTask', { id: 'x', historyLength: 'abc' }, -32602, 'INVALID_PARAMS'],
    ['GetTask', undefined, -32602, 'INVALID_PARAMS'],
    ['GetTask', null, -32602, 'INVALID_PARAMS'],
    ['GetTask', ['x'], -32602, 'INVALID_PARAMS'],
    ['ListTasks', { pageSize: '5' }, -32602, 'INVALID_PARAMS'],
    ['SendMessage', {}, -32602, 'INVALID_PARAMS'],
    [
      'SendMessage',
      sendRequest('x', { parts: [{ raw: 'aGk=' }] }),
      -32005,
      'CONTENT_TYPE_NOT_SUPPORTED',
    ],
    ['tasks/get', { id: 'x' }, -32601, 'METHOD_NOT_FOUND'],
    ['toString', {}, -32601, 'METHOD_NOT_FOUND'],
    ['__proto__', {}, -32601, 'METHOD_NOT_FOUND'],
  ])('should answer %s %j with %i', async (method, params, code, reason) => {
    const answer = errorOf(await ask(method, params));
    expect(answer).toMatchObject({ http: 200, id: 1, code });
    expect(answer.data[0]).toMatchObject({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason,
      domain: 'a2a-protocol.org',
    });
  });

  it.each([
    ['CONTEXT_BUSY', -32062, 409],
    ['QUOTA', -32063, 429],
    ['TOO_LARGE', -32064, 413],
    ['PERMISSION_DENIED', -32061, 403],
    ['UNAVAILABLE', -32065, 503],
    ['INVALID_AGENT_RESPONSE', -32006, 200],
  ] as const)('should answer %s of the core as %i with HTTP %i', async (code, rpcCode, http) => {
    gateway.tasks.refuse = new DomainError(code, 'for the caller');
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const answer = errorOf(await raw(rpc(method, sendRequest('x'), 0)));
      expect(answer).toMatchObject({ http, id: 0, code: rpcCode, message: 'for the caller' });
    }
  });

  it('should tell nothing of an unknown failure', async () => {
    const answer = await ask('SendMessage', sendRequest('boom'));
    expect(errorOf(answer)).toMatchObject({ http: 500, id: 1, code: -32603 });
    expect(answer.text).not.toContain('secret');
  });

  it.each([0, -7, 'a', '', null])('should echo the id %j with its type', async (id) => {
    expect((await raw(rpc('ListTasks', {}, id))).json).toMatchObject({ id });
    expect(errorOf(await raw(rpc('GetTask', {}, id)))).toMatchObject({ id, code: -32602 });
  });

  it('should answer a request without an id with id null', async () => {
    const answer = await raw('{"jsonrpc":"2.0","method":"ListTasks","params":{}}');
    expect(answer.json).toMatchObject({ id: null, result: { nextPageToken: '' } });
  });

  it.each([
    ['{', -32700],
    ['', -32700],
    ['hello', -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask","par', -32700],
    ['\ufeff{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}', -32700],
    ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ListTasks","params":{}}', -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"a":"\\ud800"}}', -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"__proto__":{"x":1}}}', -32700],
    [
      `{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      -32700,
    ],
    ['[]', -32600],
    ['[{"jsonrpc":"2.0","id":1,"method":"ListTasks"}]', -32600],
    ['5', -32600],
    ['null', -32600],
    [rpc('ListTasks', {}, 1.5), -32600],
    [rpc('ListTasks', {}, {}), -32600],
    [rpc('ListTasks', {}, []), -32600],
    [rpc('ListTasks', {}, true), -32600],
    [rpc('ListTasks', {}, 'x'.repeat(257)), -32600],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ListTasks"}', -32600],
  ])('should answer the body %.60j with %i and id null', async (body, code) => {
    const answer = await raw(body, { headers: { 'content-type': 'application/json' } });
    expect(errorOf(answer)).toMatchObject({ http: 200, id: null, code });
    expect(answer.text).not.toMatch(/position|SyntaxError|Unexpected/);
  });

  it.each([
    ['{"id":7,"method":"ListTasks"}', 7],
    ['{"jsonrpc":"1.0","id":"a","method":"ListTasks"}', 'a'],
    ['{"jsonrpc":"2.0","id":7}', 7],
    ['{"jsonrpc":"2.0","id":7,"method":""}', 7],
    ['{"jsonrpc":"2.0","id":7,"method":5}', 7],
  ])('should answer the envelope %j with -32600 under its id', async (body, id) => {
    expect(errorOf(await raw(body))).toMatchObject({ http: 200, id, code: -32600 });
  });

  it('should refuse a body that is not UTF-8', async () => {
    const answer = await call(`${gateway.url}/a2a/v1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    });
    expect(errorOf(answer)).toMatchObject({ http: 200, id: null, code: -32700 });
  });

  it('should treat a tenant in params as a hint: checked, then stripped', async () => {
    const own = await ask('SendMessage', sendRequest('hello', {}, { tenant: 'acme' }));
    expect(own.status).toBe(200);
    const answers = await Promise.all(
      ['evil', 'nosuch'].map((tenant) => ask('GetTask', { id: randomUUID(), tenant })),
    );
    expect(answers[0]!.text).toBe(answers[1]!.text);
    expect(errorOf(answers[0]!)).toMatchObject({ http: 404, code: -32600 });
  });
});

describe('A2A-Version on the JSON-RPC endpoints', () => {
  it.each([
    ['/a2a/v1', '1.0.9', 200],
    ['/a2a', '1.0.0', 200],
  ])('should take %s with %s for 1.0', async (path, version, http) => {
    const answer = await ask('ListTasks', {}, { path, headers: { 'a2a-version': version } });
    expect(answer.status).toBe(http);
    expect(answer.json).toHaveProperty('result');
  });

  it('should take the version from the query', async () => {
    const one = await ask('ListTasks', {}, { path: '/a2a?A2A-Version=1.0' });
    expect(one.json).toHaveProperty('result');
    const other = await ask('ListTasks', {}, { path: '/a2a/v1?A2A-Version=0.3' });
    expect(errorOf(other)).toMatchObject({ code: -32009 });
  });

  it.each([
    ['/a2a/v1', '0.3', 'ListTasks'],
    ['/a2a/v1', '2.0', 'SendMessage'],
    ['/a2a', '99.0', 'SendMessage'],
    ['/a2a', '1.1', 'SendMessage'],
    ['/a2a', 'x', 'message/send'],
    ['/a2a/v03', '1.0', 'message/send'],
  ])('should refuse on %s the version %s', async (path, version, method) => {
    const answer = await ask(method, {}, { path, headers: { 'a2a-version': version } });
    expect(errorOf(answer)).toMatchObject({ http: 200, id: 1, code: -32009 });
    expect(errorOf(answer).data[0]).toMatchObject({ metadata: { requested: version } });
  });

  it.each(['/a2a', '/a2a/v03'])('should tell a 1.0 method on %s how to be heard', async (path) => {
    for (const method of ['SendMessage', 'getTask']) {
      const answer = errorOf(await ask(method, {}, { path }));
      expect(answer.code).toBe(-32601);
      expect(answer.message).toContain('A2A-Version: 1.0');
      expect(answer.message).toContain('/a2a/v1');
    }
  });

  it('should tell a 0.3 method on /a2a/v1 where it is spoken', async () => {
    const answer = errorOf(await ask('message/send', sendParams03('x')));
    expect(answer.code).toBe(-32601);
    expect(answer.message).toContain('/a2a/v03');
  });

  it('should not route JSON-RPC on a tenant’s path', async () => {
    for (const path of ['/a2a/acme', '/a2a/evil']) {
      const answer = await ask('ListTasks', {}, { path });
      expect(answer.status).toBe(404);
      expect(answer.json).toMatchObject({ error: { status: 'NOT_FOUND' } });
    }
  });
});
