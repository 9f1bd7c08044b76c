import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.js';
import {
  type A2aApp,
  type Answer,
  call,
  parseSse,
  rpc,
  sendParams03,
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
  gateway.tasks.heartbeat = undefined;
  gateway.tasks.submissions.length = 0;
});

type Init = { headers?: Record<string, string>; token?: string; path?: string };

function ask(
  method: string,
  params?: unknown,
  { path = '/a2a', ...init }: Init = {},
  id?: unknown,
) {
  return call(`${gateway.url}${path}`, { method: 'POST', body: rpc(method, params, id), ...init });
}

function resultOf(answer: Answer): Record<string, unknown> {
  return (answer.json as { result: Record<string, unknown> }).result;
}

function errorOf(answer: Answer) {
  const { id, error } = answer.json as {
    id: unknown;
    error: { code: number; message: string; data?: Record<string, unknown>[] };
  };
  return { http: answer.status, id, ...error };
}

async function startTask(text: string): Promise<string> {
  const params = sendParams03(text, {}, { configuration: { blocking: false } });
  return resultOf(await ask('message/send', params))['id'] as string;
}

function resultsOf(answer: Answer): Record<string, unknown>[] {
  return parseSse(answer.text).map(
    ({ data }) => (JSON.parse(data!) as { result: Record<string, unknown> }).result,
  );
}

const ENDPOINTS: Init[] = [
  { path: '/a2a' },
  { path: '/a2a', headers: { 'a2a-version': '0.3' } },
  { path: '/a2a', headers: { 'a2a-version': '' } },
  { path: '/a2a?A2A-Version=0.3.0' },
  { path: '/a2a/v03' },
];

describe.each(ENDPOINTS)('JSON-RPC 0.3 on %j', (endpoint) => {
  it('should answer message/send with a 0.3 task', async () => {
    const answer = await ask('message/send', sendParams03('hello'), endpoint);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: {
        kind: 'task',
        status: { state: 'completed' },
        artifacts: [{ artifactId: 'answer', parts: [{ kind: 'text', text: 'Hello world' }] }],
        history: [{ kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'hello' }] }],
      },
    });
  });

  it('should stream message/stream with ids, and final on the last status', async () => {
    const answer = await ask('message/stream', sendParams03('hello'), endpoint, 'r-1');
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const events = parseSse(answer.text);
    expect(events.map(({ id }) => id)).toEqual(['1-1', '2-1', '3-1', '4-1', '5-1']);
    expect(events.map(({ data }) => (JSON.parse(data!) as { id: unknown }).id)).toEqual(
      Array(5).fill('r-1'),
    );
    expect(resultsOf(answer)).toMatchObject([
      { kind: 'task', status: { state: 'submitted' } },
      { kind: 'status-update', final: false, status: { state: 'working' } },
      { kind: 'artifact-update', append: false },
      { kind: 'artifact-update', append: true },
      { kind: 'status-update', final: true, status: { state: 'completed' } },
    ]);
  });
});

describe('0.3 blocking', () => {
  it.each([
    ['no configuration', {}],
    ['configuration: {}', { configuration: {} }],
    ['blocking absent', { configuration: { acceptedOutputModes: ['text'] } }],
    ['blocking: null', { configuration: { blocking: null } }],
    ['blocking: true', { configuration: { blocking: true } }],
  ])('should wait with %s', async (_case, rest) => {
    const pending = ask('message/send', sendParams03('slow', {}, rest));
    setTimeout(() => {
      gateway.tasks.release([...gateway.tasks.tasks.keys()].at(-1)!);
    }, 100);
    expect(resultOf(await pending)).toMatchObject({ status: { state: 'completed' } });
  });

  it('should not wait with blocking: false', async () => {
    const params = sendParams03('slow', {}, { configuration: { blocking: false } });
    expect(resultOf(await ask('message/send', params))).toMatchObject({
      status: { state: 'working' },
    });
  });
});

describe('0.3 operations', () => {
  it('should get with historyLength, cancel once and refuse to cancel again', async () => {
    const id = await startTask('slow');
    const got = await ask('tasks/get', { id, historyLength: 0 });
    expect(resultOf(got)).toMatchObject({ kind: 'task', id, status: { state: 'working' } });
    expect(resultOf(got)).not.toHaveProperty('history');
    const canceled = await ask('tasks/cancel', { id });
    expect(resultOf(canceled)).toMatchObject({ status: { state: 'canceled' } });
    expect(errorOf(await ask('tasks/cancel', { id }))).toMatchObject({ http: 200, code: -32002 });
  });

  it('should mark input-required as final and continue the task', async () => {
    const asked = await ask('message/stream', sendParams03('ask'));
    const last = resultsOf(asked).at(-1)!;
    expect(last).toMatchObject({
      kind: 'status-update',
      final: true,
      status: { state: 'input-required', message: { parts: [{ text: 'Which cluster?' }] } },
    });
    const answer = await ask('message/send', sendParams03('prod', { taskId: last['taskId'] }));
    expect(resultOf(answer)).toMatchObject({ id: last['taskId'], status: { state: 'completed' } });
  });

  it('should resubscribe with a snapshot, and after Last-Event-ID', async () => {
    const id = await startTask('slow');
    setTimeout(() => {
      gateway.tasks.release(id);
    }, 30);
    const live = await ask('tasks/resubscribe', { id });
    expect(resultsOf(live)).toMatchObject([
      { kind: 'task', status: { state: 'working' } },
      { kind: 'artifact-update' },
      { kind: 'status-update', final: true },
    ]);
    const rest = await ask('tasks/resubscribe', { id }, { headers: { 'last-event-id': '4-1' } });
    expect(parseSse(rest.text).map((event) => event.id)).toEqual(['5-1']);
  });

  it('should refuse to resubscribe to a finished task, in the form the client can read', async () => {
    const id = await startTask('hello');
    const plain = await ask('tasks/resubscribe', { id });
    expect(plain.headers.get('content-type')).toMatch(/^application\/json/);
    expect(errorOf(plain)).toMatchObject({ http: 200, id: 1, code: -32004 });
    const strict = await ask(
      'tasks/resubscribe',
      { id },
      { headers: { accept: 'text/event-stream' } },
    );
    expect(strict.headers.get('content-type')).toBe('text/event-stream');
    const [event] = parseSse(strict.text);
    expect(event).toMatchObject({ event: 'error' });
    expect(JSON.parse(event!.data!)).toMatchObject({ id: 1, error: { code: -32004 } });
  });

  it('should carry files and data in 0.3 parts, null data included', async () => {
    const answer = await ask('message/send', sendParams03('files'));
    expect(resultOf(answer)).toMatchObject({
      artifacts: [
        {
          parts: [
            { kind: 'text', text: 'a chart' },
            { kind: 'file', file: { bytes: 'aGk=', mimeType: 'image/png', name: 'c.png' } },
            { kind: 'data', data: { a: 0, b: false, c: '', d: null, e: [] } },
          ],
        },
        { parts: [{ kind: 'data', data: { value: null } }] },
        {},
        {},
      ],
    });
    const stream = await ask('message/stream', sendParams03('files'));
    expect(resultsOf(stream)).toHaveLength(8);
    const text = await ask(
      'message/send',
      sendParams03('files', {}, { configuration: { acceptedOutputModes: ['text/plain'] } }),
    );
    expect(text.text).not.toContain('aGk=');
  });

  it('should hand on metadata and action_param of 0.3', async () => {
    const parts = [
      { kind: 'text', text: 'yes' },
      { kind: 'data', data: { action_param: { approval: 'approve' } } },
    ];
    await ask('message/send', sendParams03('', { parts }, { metadata: { lang: 'zh_CN' } }));
    expect(gateway.tasks.submissions[0]!.submission).toMatchObject({
      metadata: { lang: 'zh_CN' },
      message: {
        role: 'ROLE_USER',
        parts: [{ text: 'yes' }, { data: { action_param: { approval: 'approve' } } }],
      },
    });
  });

  it('should pass a heartbeat without an id', async () => {
    const id = await startTask('hello');
    const json = JSON.stringify({
      statusUpdate: { taskId: id, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
    });
    gateway.tasks.heartbeat = { id: undefined, json, settled: false };
    const answer = await ask('tasks/resubscribe', { id }, { headers: { 'last-event-id': '4-1' } });
    expect(parseSse(answer.text).map((event) => event.id)).toEqual([undefined, '5-1']);
    expect(resultsOf(answer)[0]).toMatchObject({ final: false, status: { state: 'working' } });
  });

  it('should keep the id 0', async () => {
    expect((await ask('message/send', sendParams03('hello'), {}, 0)).json).toMatchObject({ id: 0 });
    const stream = await ask('message/stream', sendParams03('hello'), {}, 0);
    expect(JSON.parse(parseSse(stream.text)[0]!.data!)).toMatchObject({ id: 0 });
    expect(errorOf(await ask('tasks/get', { id: 'x' }, {}, 0))).toMatchObject({ id: 0 });
  });
});

describe('0.3 errors', () => {
  it.each([
    ['tasks/get', { id: 'nope' }, -32001],
    ['tasks/cancel', { id: 'nope' }, -32001],
    ['tasks/resubscribe', { id: 'nope' }, -32001],
    ['message/send', sendParams03('x', { taskId: 'nope' }), -32001],
    ['message/stream', sendParams03('x', { taskId: 'nope' }), -32001],
    ['tasks/get', {}, -32602],
    ['tasks/get', { id: 5 }, -32602],
    ['tasks/get', { id: 'x', historyLength: -1 }, -32602],
    ['tasks/get', undefined, -32602],
    ['tasks/get', [], -32602],
    ['tasks/list', {}, -32601],
    ['tasks/pushNotificationConfig/set', {}, -32003],
    ['tasks/pushNotificationConfig/get', { id: 'x' }, -32003],
    ['tasks/pushNotificationConfig/list', { id: 'x' }, -32003],
    ['tasks/pushNotificationConfig/delete', { id: 'x', pushNotificationConfigId: 'c' }, -32003],
  ])('should answer %s %j with %i', async (method, params, code) => {
    expect(errorOf(await ask(method, params))).toMatchObject({ http: 200, id: 1, code });
  });

  it.each([
    ['no message', {}],
    ['message: 5', { message: 5 }],
    ['no messageId', sendParams03('x', { messageId: undefined })],
    ['a blank messageId', sendParams03('x', { messageId: ' ' })],
    ['role agent', sendParams03('x', { role: 'agent' })],
    ['role ROLE_USER', sendParams03('x', { role: 'ROLE_USER' })],
    ['no parts', sendParams03('x', { parts: undefined })],
    ['parts: []', sendParams03('x', { parts: [] })],
    ['parts: [null]', sendParams03('x', { parts: [null] })],
    ['parts: [{}]', sendParams03('x', { parts: [{}] })],
    ['a 1.0 part', sendParams03('x', { parts: [{ text: 'x' }] })],
    ['text: 5', sendParams03('x', { parts: [{ kind: 'text', text: 5 }] })],
    ['no text', sendParams03('x', { parts: [{ kind: 'text' }] })],
    ['blank text', sendParams03(' \n')],
    ['a file part without a file', sendParams03('x', { parts: [{ kind: 'file' }] })],
    ['file: {}', sendParams03('x', { parts: [{ kind: 'file', file: {} }] })],
    ['data: "x"', sendParams03('x', { parts: [{ kind: 'data', data: 'x' }] })],
    ['contextId: 5', sendParams03('x', { contextId: 5 })],
    ['extensions: 5', sendParams03('x', { extensions: 5 })],
    ['referenceTaskIds: {}', sendParams03('x', { referenceTaskIds: {} })],
    ['metadata: []', sendParams03('x', {}, { metadata: [] })],
    ['configuration: 1', sendParams03('x', {}, { configuration: 1 })],
    ['blocking: "false"', sendParams03('x', {}, { configuration: { blocking: 'false' } })],
    ['historyLength: -1', sendParams03('x', {}, { configuration: { historyLength: -1 } })],
    ['historyLength: 1.5', sendParams03('x', {}, { configuration: { historyLength: 1.5 } })],
  ])('should refuse %s with -32602 on send and stream', async (_case, params) => {
    for (const method of ['message/send', 'message/stream']) {
      const answer = errorOf(await ask(method, params));
      expect(answer).toMatchObject({ http: 200, id: 1, code: -32602 });
      expect(answer.data?.[0]).toMatchObject({ reason: 'INVALID_PARAMS' });
    }
    expect(gateway.tasks.submissions).toEqual([]);
  });

  it('should refuse file parts and inline push configs', async () => {
    const parts = [
      { kind: 'text', text: 'x' },
      { kind: 'file', file: { uri: 'https://example.org/x' } },
    ];
    const file = errorOf(await ask('message/send', sendParams03('', { parts })));
    expect(file.code).toBe(-32005);
    expect(file.message).toContain('message.parts[1]');
    const configuration = { pushNotificationConfig: { url: 'https://example.org' } };
    const push = await ask('message/send', sendParams03('x', {}, { configuration }));
    expect(errorOf(push)).toMatchObject({ code: -32003 });
  });

  it.each([
    ['CONTEXT_BUSY', -32062, 409],
    ['QUOTA', -32063, 429],
    ['UNAVAILABLE', -32065, 503],
    ['TOO_LARGE', -32064, 413],
  ] as const)('should keep %s as %i with HTTP %i', async (code, rpcCode, http) => {
    gateway.tasks.refuse = new DomainError(code, 'for the caller', { retryAfter: 3 });
    for (const method of ['message/send', 'message/stream']) {
      const answer = await ask(method, sendParams03('x'));
      expect(errorOf(answer)).toMatchObject({ http, code: rpcCode, message: 'for the caller' });
      expect(answer.headers.get('retry-after')).toBe('3');
    }
  });

  it('should tell nothing of an unknown failure', async () => {
    const answer = await ask('message/send', sendParams03('boom'));
    expect(errorOf(answer)).toMatchObject({ http: 500, id: 1, code: -32603 });
    expect(answer.text).not.toContain('secret');
  });

  it('should refuse another user’s task like a random one', async () => {
    const id = await startTask('slow');
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/resubscribe']) {
      const foreign = await ask(method, { id }, { token: 'bob-token' });
      expect(errorOf(foreign)).toMatchObject({ http: 200, code: -32001 });
    }
  });
});
