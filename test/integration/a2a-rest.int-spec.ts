import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.js';
import {
  type Answer,
  call,
  parseSse,
  rpc,
  sendParams03,
  sendRequest,
  startA2aApp,
  type A2aApp,
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
  gateway.tasks.queries.length = 0;
});

type Init = { headers?: Record<string, string>; token?: string };

function post(path: string, body?: unknown, init: Init = {}): Promise<Answer> {
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  return call(`${gateway.url}${path}`, {
    method: 'POST',
    ...init,
    ...(text === undefined ? {} : { body: text }),
  });
}

function get(path: string, init: Init = {}): Promise<Answer> {
  return call(`${gateway.url}${path}`, init);
}

async function startTask(text: string, extra: Record<string, unknown> = {}): Promise<string> {
  const request = sendRequest(text, extra, { configuration: { returnImmediately: true } });
  const { json } = await post('/a2a/message:send', request);
  return (json as { task: { id: string } }).task.id;
}

function refusal(answer: Answer) {
  const { error } = answer.json as {
    error: { code: number; status: string; message: string; details: Record<string, unknown>[] };
  };
  return { http: answer.status, ...error, info: error.details[0]! };
}

function violations(answer: Answer): string[] {
  const detail = refusal(answer).details.find((one) => String(one['@type']).endsWith('BadRequest'));
  return (detail?.['fieldViolations'] as { field: string }[]).map(({ field }) => field);
}

describe('REST 1.0 send', () => {
  it('should answer the seed’s curl, which has no version header, with the finished task', async () => {
    const answer = await post('/a2a/message:send', {
      message: {
        messageId: 'req-0001',
        role: 'ROLE_USER',
        parts: [{ text: '查看 prod 业务组当前正在告警的事件' }],
      },
      metadata: { lang: 'zh_CN' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/a2a\+json/);
    expect(answer.json).toMatchObject({
      task: {
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [{ artifactId: 'answer', parts: [{ text: 'Hello world' }] }],
        metadata: { 'n9e.seq_id': 1 },
      },
    });
    expect(gateway.tasks.submissions).toMatchObject([
      {
        ctx: { tenant: 'acme', user: 'alice' },
        submission: { metadata: { lang: 'zh_CN' }, message: { messageId: 'req-0001' } },
      },
    ]);
  });

  it('should return the working task at once with returnImmediately', async () => {
    const id = await startTask('slow');
    expect((await get(`/a2a/tasks/${id}`)).json).toMatchObject({
      status: { state: 'TASK_STATE_WORKING' },
    });
    gateway.tasks.release(id);
  });

  it('should return the unfinished task when maxBlockingSeconds have passed', async () => {
    const began = performance.now();
    const answer = await post('/a2a/message:send', sendRequest('slow'));
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(answer.json).toMatchObject({ task: { status: { state: 'TASK_STATE_WORKING' } } });
  });

  it('should return a parked task and continue it by taskId', async () => {
    const parked = (await post('/a2a/message:send', sendRequest('ask'))).json as {
      task: { id: string; contextId: string };
    };
    expect(parked).toMatchObject({
      task: { status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { role: 'ROLE_AGENT' } } },
    });
    const { id: taskId } = parked.task;
    const answer = await post('/a2a/message:send', sendRequest('prod-1', { taskId }));
    expect(answer.json).toMatchObject({
      task: { id: taskId, status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  it('should hand on a clean message: known fields only, empty ids as none', async () => {
    const message = {
      contextId: 'ctx-1',
      taskId: '',
      extensions: ['https://example.org/x'],
      referenceTaskIds: [],
      metadata: { page: 'dashboard' },
      kind: 'message',
      unknown: 1,
      parts: [{ text: 'hello', mediaType: 'text/plain', x: 1 }],
      messageId: 'm-1',
    };
    await post('/a2a/message:send', sendRequest('', message));
    expect(gateway.tasks.submissions[0]!.submission).toEqual({
      message: {
        messageId: 'm-1',
        role: 'ROLE_USER',
        parts: [{ text: 'hello', mediaType: 'text/plain' }],
        contextId: 'ctx-1',
        metadata: { page: 'dashboard' },
        extensions: ['https://example.org/x'],
      },
    });
  });

  it('should accept a data part that carries action_param, and no other', async () => {
    const approve = {
      parts: [{ text: 'yes' }, { data: { action_param: { approval: 'approve' } } }],
    };
    expect((await post('/a2a/message:send', sendRequest('', approve))).status).toBe(200);
    for (const part of [
      { data: { a: 1 } },
      { data: null },
      { raw: 'aGk=' },
      { url: 'https://example.org/f' },
    ]) {
      const parts = [{ text: 'look' }, part];
      const answer = refusal(await post('/a2a/message:send', sendRequest('', { parts })));
      expect(answer).toMatchObject({
        http: 400,
        status: 'INVALID_ARGUMENT',
        info: { reason: 'CONTENT_TYPE_NOT_SUPPORTED', domain: 'a2a-protocol.org' },
      });
      expect(answer.message).toContain('message.parts[1]');
    }
  });

  it.each([
    ['no message', {}, 'message'],
    ['no messageId', sendRequest('x', { messageId: undefined }), 'message.messageId'],
    ['an empty messageId', sendRequest('x', { messageId: '' }), 'message.messageId'],
    ['a blank messageId', sendRequest('x', { messageId: '  ' }), 'message.messageId'],
    ['a messageId that is a number', sendRequest('x', { messageId: 7 }), 'message.messageId'],
    [
      '257 bytes of messageId',
      sendRequest('x', { messageId: 'é'.repeat(129) }),
      'message.messageId',
    ],
    ['no role', sendRequest('x', { role: undefined }), 'message.role'],
    ['an unknown role', sendRequest('x', { role: 'ROLE_ROOT' }), 'message.role'],
    ['ROLE_AGENT', sendRequest('x', { role: 'ROLE_AGENT' }), 'message.role'],
    ['no parts', sendRequest('x', { parts: undefined }), 'message.parts'],
    ['parts: []', sendRequest('x', { parts: [] }), 'message.parts'],
    ['parts: {}', sendRequest('x', { parts: {} }), 'message.parts'],
    ['parts: [null]', sendRequest('x', { parts: [null] }), 'message.parts[0]'],
    ['parts: [{}]', sendRequest('x', { parts: [{}] }), 'message.parts[0]'],
    ['two contents', sendRequest('x', { parts: [{ text: 'a', url: 'b' }] }), 'message.parts[0]'],
    [
      'an empty one beside',
      sendRequest('x', { parts: [{ text: 'a', raw: '' }] }),
      'message.parts[0]',
    ],
    ['text: 5', sendRequest('x', { parts: [{ text: 5 }] }), 'message.parts[0].text'],
    ['blank text', sendRequest(' \n\t '), 'message.parts'],
    ['a blank contextId', sendRequest('x', { contextId: ' ' }), 'message.contextId'],
    ['a taskId that is a list', sendRequest('x', { taskId: ['a'] }), 'message.taskId'],
    ['metadata: "x"', sendRequest('x', {}, { metadata: 'x' }), 'metadata'],
    ['message metadata: []', sendRequest('x', { metadata: [] }), 'message.metadata'],
    ['extensions: [1]', sendRequest('x', { extensions: [1] }), 'message.extensions'],
    [
      'returnImmediately: "false"',
      sendRequest('x', {}, { configuration: { returnImmediately: 'false' } }),
      'configuration.returnImmediately',
    ],
    [
      'historyLength: -1',
      sendRequest('x', {}, { configuration: { historyLength: -1 } }),
      'configuration.historyLength',
    ],
    [
      'historyLength: 1.5',
      sendRequest('x', {}, { configuration: { historyLength: 1.5 } }),
      'configuration.historyLength',
    ],
    ['configuration: 1', sendRequest('x', {}, { configuration: 1 }), 'configuration'],
    ['a body that is a list', [], 'request'],
    ['a body that is a string', '"str"', 'request'],
  ])('should refuse %s and name the field', async (_case, body, field) => {
    for (const path of ['/a2a/message:send', '/a2a/message:stream']) {
      const answer = await post(path, body);
      expect(refusal(answer)).toMatchObject({
        http: 400,
        code: 400,
        status: 'INVALID_ARGUMENT',
        info: { reason: 'INVALID_PARAMS' },
      });
      expect(violations(answer)).toEqual([field]);
    }
    expect(gateway.tasks.submissions).toEqual([]);
  });

  it('should name all wrong fields at once', async () => {
    const answer = await post('/a2a/message:send', {
      message: { role: 'ROLE_AGENT', parts: [] },
      configuration: { historyLength: 'x' },
    });
    expect(violations(answer)).toEqual([
      'message.messageId',
      'message.role',
      'message.parts',
      'configuration.historyLength',
    ]);
  });

  it('should refuse an inline push config, as the card says', async () => {
    const configuration = { taskPushNotificationConfig: { url: 'https://example.org/hook' } };
    expect(
      refusal(await post('/a2a/message:send', sendRequest('x', {}, { configuration }))),
    ).toMatchObject({
      http: 400,
      status: 'FAILED_PRECONDITION',
      info: { reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' },
    });
  });

  it.each([
    ['CONTEXT_BUSY', 409, 'ABORTED', undefined],
    ['QUOTA', 429, 'RESOURCE_EXHAUSTED', 7],
    ['TOO_LARGE', 413, 'INVALID_ARGUMENT', undefined],
    ['PERMISSION_DENIED', 403, 'PERMISSION_DENIED', undefined],
    ['UNAVAILABLE', 503, 'UNAVAILABLE', 2],
    ['TASK_NOT_FOUND', 404, 'NOT_FOUND', undefined],
    ['UNSUPPORTED_OPERATION', 400, 'FAILED_PRECONDITION', undefined],
  ] as const)('should answer %s of the core as HTTP %i', async (code, http, status, retryAfter) => {
    gateway.tasks.refuse = new DomainError(code, 'for the caller', {
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
    const answer = await post('/a2a/message:stream', sendRequest('x'));
    expect(refusal(answer)).toMatchObject({
      http,
      code: http,
      status,
      message: 'for the caller',
      info: { reason: code },
    });
    expect(answer.headers.get('retry-after')).toBe(retryAfter?.toString() ?? null);
  });

  it('should tell nothing of an unknown failure but the request id', async () => {
    const answer = await post('/a2a/message:send', sendRequest('boom'), {
      headers: { 'x-request-id': 'req-42' },
    });
    expect(answer.headers.get('x-request-id')).toBe('req-42');
    expect(refusal(answer)).toMatchObject({ http: 500, status: 'INTERNAL' });
    expect(refusal(answer).message).toContain('req-42');
    expect(answer.text).not.toContain('secret');
    expect(answer.text).not.toContain('redis');
  });
});

describe('REST 1.0 historyLength and acceptedOutputModes', () => {
  it.each([
    [undefined, 1],
    [0, undefined],
    [1, 1],
    [1_000_000, 1],
  ])(
    'should show historyLength %s as %s messages, on send, stream, get and list',
    async (n, want) => {
      const configuration = n === undefined ? {} : { historyLength: n };
      const query = n === undefined ? '' : `historyLength=${n}`;
      const count = (task: unknown) => (task as { history?: unknown[] }).history?.length;
      const sent = await post('/a2a/message:send', sendRequest('hello', {}, { configuration }));
      const task = (sent.json as { task: { id: string } }).task;
      expect(count(task)).toBe(want);
      const stream = await post('/a2a/message:stream', sendRequest('hello', {}, { configuration }));
      const first = JSON.parse(parseSse(stream.text)[0]!.data!) as { task: unknown };
      expect(count(first.task)).toBe(want);
      expect(count((await get(`/a2a/tasks/${task.id}?${query}`)).json)).toBe(want);
      const list = (await get(`/a2a/tasks?${query}`)).json as { tasks: unknown[] };
      expect(count(list.tasks[0])).toBe(want);
      // The stored task is not cut.
      expect(count((await get(`/a2a/tasks/${task.id}`)).json)).toBe(1);
    },
  );

  it.each(['-1', 'abc', '1.5', ''])('should refuse ?historyLength=%s', async (value) => {
    const id = await startTask('hello');
    for (const path of [`/a2a/tasks/${id}`, '/a2a/tasks']) {
      const answer = await get(`${path}?historyLength=${value}`);
      expect(violations(answer)).toEqual(['historyLength']);
    }
  });

  it('should drop data and files that are not accepted, never text, and no empty artifact', async () => {
    const configuration = { acceptedOutputModes: ['text'] };
    const sent = await post('/a2a/message:send', sendRequest('files', {}, { configuration }));
    const { artifacts } = (sent.json as { task: { artifacts: unknown[] } }).task;
    expect(artifacts).toEqual([
      { artifactId: 'mixed', parts: [{ text: 'a chart' }] },
      { artifactId: 'answer', parts: [{ text: 'Hello world' }] },
    ]);
    const stream = await post('/a2a/message:stream', sendRequest('files', {}, { configuration }));
    const events = parseSse(stream.text);
    expect(events.map(({ id }) => id)).toEqual(['1-1', '2-1', '3-1', '6-1', '7-1', '8-1']);
    expect(stream.text).not.toContain('aGk=');
  });

  it('should keep falsy values of a data part', async () => {
    const sent = await post('/a2a/message:send', sendRequest('files'));
    expect(sent.json).toMatchObject({
      task: {
        artifacts: [
          { parts: [{}, {}, { data: { a: 0, b: false, c: '', d: null, e: [] } }] },
          { parts: [{ data: null }] },
          {},
          {},
        ],
      },
    });
  });
});

describe('REST 1.0 streams', () => {
  it('should stream SUBMITTED, WORKING, deltas and the terminal status, each with its id', async () => {
    const answer = await post('/a2a/message:stream', sendRequest('hello'), {
      headers: { 'x-request-id': 'req-7' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('x-request-id')).toBe('req-7');
    const events = parseSse(answer.text);
    expect(events.map((event) => event.id)).toEqual(['1-1', '2-1', '3-1', '4-1', '5-1']);
    expect(events[0]?.retry).toMatch(/^\d{4}$/);
    const kinds = events.map((event) => Object.keys(JSON.parse(event.data!) as object)[0]);
    expect(kinds).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
  });

  it('should pass events on as the text they were stored as', async () => {
    const answer = await post('/a2a/message:stream', sendRequest('hello'));
    const [held] = [...gateway.tasks.tasks.values()].slice(-1);
    expect(parseSse(answer.text).map(({ data }) => data)).toEqual(
      held!.events.map(({ json }) => json),
    );
  });

  it.each(['GET', 'POST'])('should subscribe by %s, snapshot first', async (method) => {
    const id = await startTask('slow');
    setTimeout(() => {
      gateway.tasks.release(id);
    }, 20);
    const answer = await call(`${gateway.url}/a2a/tasks/${id}:subscribe`, { method });
    const events = parseSse(answer.text).map(({ data }) => JSON.parse(data!) as object);
    expect(events[0]).toMatchObject({ task: { id, status: { state: 'TASK_STATE_WORKING' } } });
    expect(events.at(-1)).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
    expect(events).toHaveLength(3);
  });

  it('should subscribe as SDK clients do: a JSON content type with no body', async () => {
    const id = await startTask('ask');
    const answer = await post(`/a2a/tasks/${id}:subscribe`, undefined, {
      headers: { 'content-type': 'application/json' },
    });
    expect(parseSse(answer.text)).toHaveLength(1);
  });

  it('should resume after Last-Event-ID, on a terminal task too', async () => {
    const id = await startTask('hello');
    const answer = await post(`/a2a/tasks/${id}:subscribe`, undefined, {
      headers: { 'last-event-id': '3-1' },
    });
    expect(parseSse(answer.text).map((event) => event.id)).toEqual(['4-1', '5-1']);
    const nothingLeft = await post(`/a2a/tasks/${id}:subscribe`, undefined, {
      headers: { 'last-event-id': '5-1' },
    });
    expect(nothingLeft.status).toBe(200);
    expect(parseSse(nothingLeft.text)).toEqual([]);
  });

  it.each(['ask', 'hello'])(
    'should start with a snapshot when Last-Event-ID is none: %s',
    async (text) => {
      const id = await startTask(text);
      const answer = await post(`/a2a/tasks/${id}:subscribe`, undefined, {
        headers: { 'last-event-id': 'garbage' },
      });
      expect(JSON.parse(parseSse(answer.text)[0]!.data!)).toHaveProperty('task');
    },
  );

  it('should refuse a terminal task before any head of a stream', async () => {
    const id = await startTask('hello');
    const answer = await post(`/a2a/tasks/${id}:subscribe`);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(refusal(answer)).toMatchObject({
      http: 400,
      info: { reason: 'UNSUPPORTED_OPERATION' },
    });
  });

  it('should stream the continuation of a parked task that is faster than the reader', async () => {
    const taskId = await startTask('ask');
    const answer = await post('/a2a/message:stream', sendRequest('prod', { taskId }));
    const events = parseSse(answer.text);
    expect(JSON.parse(events[0]!.data!)).toMatchObject({
      task: { id: taskId, status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  it('should write a heartbeat without an id', async () => {
    const id = await startTask('ask');
    gateway.tasks.heartbeat = { id: undefined, json: '{"statusUpdate":{}}', settled: false };
    const taskId = await startTask('hello');
    const answer = await post(`/a2a/tasks/${taskId}:subscribe`, undefined, {
      headers: { 'last-event-id': '4-1' },
    });
    expect(parseSse(answer.text)).toEqual([
      { retry: expect.stringMatching(/^\d{4}$/) as string, data: '{"statusUpdate":{}}' },
      { id: '5-1', data: expect.stringContaining('COMPLETED') as string },
    ]);
    expect(id).not.toBe(taskId);
  });
});

describe('REST 1.0 get, list, cancel', () => {
  it('should answer Task itself on get', async () => {
    const id = await startTask('hello');
    const answer = await get(`/a2a/tasks/${id}`);
    expect(answer.json).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('should list with the filters of the spec, without artifacts', async () => {
    await startTask('hello');
    const answer = await get(
      '/a2a/tasks?contextId=c-1&status=TASK_STATE_WORKING&pageSize=7&pageToken=abc&statusTimestampAfter=2026-11-30T12:00:00%2B01:00&historyLength=0',
    );
    expect(gateway.tasks.queries).toEqual([
      {
        contextId: 'c-1',
        state: 'TASK_STATE_WORKING',
        pageSize: 7,
        pageToken: 'abc',
        changedSince: Date.parse('2026-11-30T11:00:00Z'),
      },
    ]);
    const list = answer.json as { tasks: object[]; totalSize: number };
    expect(list).toMatchObject({ nextPageToken: '', pageSize: 7 });
    expect(list.totalSize).toBe(list.tasks.length);
    for (const task of list.tasks) expect(task).not.toHaveProperty('artifacts');
  });

  it('should list 50 by default, with artifacts when asked', async () => {
    await startTask('hello');
    const answer = await get('/a2a/tasks?includeArtifacts=true&status=&pageToken=&contextId=');
    expect(gateway.tasks.queries).toEqual([{ pageSize: 50 }]);
    const { tasks } = answer.json as { tasks: { artifacts?: unknown }[] };
    expect(tasks.some((task) => task.artifacts !== undefined)).toBe(true);
  });

  it.each([
    ['pageSize=0', 'pageSize'],
    ['pageSize=101', 'pageSize'],
    ['pageSize=5x', 'pageSize'],
    ['pageSize=1&pageSize=2', 'pageSize'],
    ['status=WORKING', 'status'],
    ['status=TASK_STATE_WORKING&status=TASK_STATE_FAILED', 'status'],
    ['statusTimestampAfter=yesterday', 'statusTimestampAfter'],
    ['statusTimestampAfter=2026-11-30', 'statusTimestampAfter'],
    ['includeArtifacts=1', 'includeArtifacts'],
    [`contextId=${'x'.repeat(257)}`, 'contextId'],
  ])('should refuse ?%s', async (query, field) => {
    expect(violations(await get(`/a2a/tasks?${query}`))).toEqual([field]);
  });

  it('should cancel with and without a body, and answer the task again', async () => {
    const id = await startTask('slow');
    const answer = await post(`/a2a/tasks/${id}:cancel`, { metadata: { why: 'late' } });
    expect(answer.json).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    const again = await post(`/a2a/tasks/${id}:cancel`);
    expect(again.json).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
  });

  it('should refuse to cancel a finished task with 400', async () => {
    const id = await startTask('hello');
    expect(refusal(await post(`/a2a/tasks/${id}:cancel`))).toMatchObject({
      http: 400,
      status: 'FAILED_PRECONDITION',
      info: { reason: 'TASK_NOT_CANCELABLE' },
    });
  });

  it('should answer another user’s, another tenant’s and a random id alike', async () => {
    const id = await startTask('slow');
    for (const token of ['bob-token', 'eve-token']) {
      for (const ask of [
        (ref: string) => get(`/a2a/tasks/${ref}`, { token }),
        (ref: string) => post(`/a2a/tasks/${ref}:cancel`, undefined, { token }),
        (ref: string) => post(`/a2a/tasks/${ref}:subscribe`, undefined, { token }),
        (ref: string) => get(`/a2a/tasks/${ref}:subscribe`, { token }),
        (taskId: string) => post('/a2a/message:send', sendRequest('x', { taskId }), { token }),
        (taskId: string) => post('/a2a/message:stream', sendRequest('x', { taskId }), { token }),
      ]) {
        const random = randomUUID();
        const [foreign, missing] = [await ask(id), await ask(random)];
        expect(foreign.status).toBe(404);
        expect(foreign.status).toBe(missing.status);
        expect(foreign.text.replaceAll(id, random)).toBe(missing.text);
      }
    }
    gateway.tasks.release(id);
  });

  it('should refuse push configs and the extended card, as the card says', async () => {
    const id = await startTask('hello');
    const push = `/a2a/tasks/${id}/pushNotificationConfigs`;
    for (const answer of [
      await post(push, { url: 'https://example.org' }),
      await get(push),
      await get(`${push}/c1`),
      await call(`${gateway.url}${push}/c1`, {
        method: 'DELETE',
        headers: { 'content-type': 'application/json' },
      }),
    ]) {
      expect(refusal(answer)).toMatchObject({
        http: 400,
        info: { reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' },
      });
    }
  });
});

describe('REST 1.0 routing', () => {
  it('should serve the same under the caller’s own tenant', async () => {
    const sent = await post('/a2a/acme/message:send', sendRequest('hello', {}, { tenant: 'acme' }));
    expect(sent.status).toBe(200);
    const { id } = (sent.json as { task: { id: string } }).task;
    expect((await get(`/a2a/acme/tasks/${id}`)).json).toMatchObject({ id });
    expect((await get('/a2a/acme/tasks')).status).toBe(200);
    expect((await post(`/a2a/acme/tasks/${id}:cancel`)).status).toBe(400);
    expect((await get('/a2a/acme/extendedAgentCard')).status).toBe(200);
    expect(gateway.tasks.submissions[0]!.submission).not.toHaveProperty('tenant');
  });

  it('should answer every other tenant alike, whether it exists or not', async () => {
    const id = await startTask('hello');
    const answers = await Promise.all(
      ['evil', 'nosuch'].flatMap((tenant) => [
        post(`/a2a/${tenant}/message:send`, sendRequest('x')),
        get(`/a2a/${tenant}/tasks/${id}`),
        get(`/a2a/tasks?tenant=${tenant}`),
        post('/a2a/message:send', sendRequest('x', {}, { tenant })),
      ]),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.text).toBe(answers[0]!.text);
    }
    expect(gateway.tasks.submissions).toHaveLength(1);
  });

  it.each(['1.0', '1.0.3', '1.0, 1.0'])('should accept A2A-Version %s', async (version) => {
    const answer = await get('/a2a/tasks', { headers: { 'a2a-version': version } });
    expect(answer.status).toBe(200);
  });

  it.each(['0.3', '0.3.0', '99.0', '1', 'one'])(
    'should refuse A2A-Version %s on every operation',
    async (version) => {
      const init = { headers: { 'a2a-version': version } };
      const id = await startTask('hello');
      for (const answer of [
        await post('/a2a/message:send', sendRequest('x'), init),
        await post('/a2a/message:stream', sendRequest('x'), init),
        await get('/a2a/tasks', init),
        await get(`/a2a/tasks/${id}`, init),
        await get(`/a2a/tasks?A2A-Version=${version}`),
        await post(`/a2a/tasks/${id}:cancel`, undefined, init),
        await post(`/a2a/tasks/${id}:subscribe`, undefined, init),
        await get('/a2a/extendedAgentCard', init),
      ]) {
        expect(refusal(answer)).toMatchObject({
          http: 400,
          info: { reason: 'VERSION_NOT_SUPPORTED', metadata: { supported: '1.0' } },
        });
      }
    },
  );

  it('should name /a2a to a client of 0.3 over REST', async () => {
    for (const answer of [
      await post('/a2a/v1/message:send', { request: {} }),
      await get('/a2a/v1/tasks/x'),
      await get('/a2a/v1/card'),
    ]) {
      expect(refusal(answer)).toMatchObject({
        http: 400,
        info: { reason: 'VERSION_NOT_SUPPORTED' },
      });
      expect(refusal(answer).message).toContain('/a2a');
    }
  });

  it('should answer plain JSON to a client that names only that', async () => {
    const answer = await get('/a2a/tasks', { headers: { accept: 'application/json' } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });
});

describe('Idempotency-Key', () => {
  const bodies = {
    '/a2a/message:send': JSON.stringify(sendRequest('hello')),
    '/a2a/message:stream': JSON.stringify(sendRequest('hello')),
    '/a2a/v1': rpc('SendMessage', sendRequest('hello')),
    '/a2a': rpc('message/send', sendParams03('hello')),
    '/a2a/v03': rpc('message/stream', sendParams03('hello')),
  };

  it.each(Object.entries(bodies))('should reach the core from %s', async (path, body) => {
    const headers = { 'idempotency-key': 'order 66' };
    const { status } = await call(`${gateway.url}${path}`, { method: 'POST', headers, body });
    expect(status).toBe(200);
    expect(gateway.tasks.submissions.at(-1)!.submission.idempotencyKey).toBe('order 66');
    await call(`${gateway.url}${path}`, { method: 'POST', body });
    expect(gateway.tasks.submissions.at(-1)!.submission).not.toHaveProperty('idempotencyKey');
  });
});
