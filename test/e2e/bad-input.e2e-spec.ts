import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Task } from '../../src/domain/a2a.js';
import { A2aClient, type Reply } from '../support/a2a-client.js';
import { caller, Fleet } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { Truth } from '../support/task-log.js';
import { eventually } from '../support/wait.js';

const ann = caller('acme', 'ann');
let redis: RedisServer;
let truth: Truth;
let fleet: Fleet;
let client: A2aClient;
let nobody: A2aClient;
let wrong: A2aClient;
let done: Task;
let running: Task;

beforeAll(async () => {
  redis = await RedisServer.start();
  truth = Truth.open(redis.url);
  fleet = await Fleet.start(1, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme', limits: { a2aBodyBytes: 64 * 1024 } }],
    callers: [ann],
  });
  const { baseUrl } = fleet.gateways[0]!;
  client = new A2aClient(baseUrl, ann.token);
  nobody = new A2aClient(baseUrl, undefined);
  wrong = new A2aClient(baseUrl, `${ann.token.slice(0, -4)}AAAA`);
  done = await client.send('instant');
  running = await client.start('hang');
});
afterAll(async () => {
  truth.close();
  await fleet.stop();
  await redis.stop();
});

interface Case {
  readonly name: string;
  /** REST: HTTP status and reason; JSON-RPC: its code. */
  readonly status: number;
  readonly reason: string;
  readonly code: number;
  /** Of a message that is fine otherwise; a function for ids that are known late. */
  readonly message: () => JsonObject;
}

function base(): JsonObject {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'instant' }] };
}
function without(key: string): JsonObject {
  return Object.fromEntries(Object.entries(base()).filter(([name]) => name !== key));
}

const invalid = { status: 400, reason: 'INVALID_PARAMS', code: -32602 };
const MESSAGES: readonly Case[] = [
  { name: 'no messageId', ...invalid, message: () => without('messageId') },
  { name: 'an empty messageId', ...invalid, message: () => ({ ...base(), messageId: '' }) },
  { name: 'no role', ...invalid, message: () => without('role') },
  { name: 'the agent’s role', ...invalid, message: () => ({ ...base(), role: 'ROLE_AGENT' }) },
  { name: 'no parts', ...invalid, message: () => without('parts') },
  { name: 'empty parts', ...invalid, message: () => ({ ...base(), parts: [] }) },
  { name: 'a part without content', ...invalid, message: () => ({ ...base(), parts: [{}] }) },
  { name: 'a blank text', ...invalid, message: () => ({ ...base(), parts: [{ text: ' \n\t ' }] }) },
  {
    name: 'a file for an assistant that reads text',
    status: 400,
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    code: -32005,
    message: () => ({ ...base(), parts: [{ raw: 'aGk=', mediaType: 'image/png' }] }),
  },
  {
    name: 'an unknown task',
    status: 404,
    reason: 'TASK_NOT_FOUND',
    code: -32001,
    message: () => ({ ...base(), taskId: randomUUID() }),
  },
  {
    name: 'a context that is not the task’s',
    ...invalid,
    message: () => ({ ...base(), taskId: running.id, contextId: randomUUID() }),
  },
  {
    name: 'a task that has ended',
    status: 400,
    reason: 'UNSUPPORTED_OPERATION',
    code: -32004,
    message: () => ({ ...base(), taskId: done.id }),
  },
  {
    name: 'a busy context',
    status: 409,
    reason: 'CONTEXT_BUSY',
    code: -32062,
    message: () => ({ ...base(), contextId: running.contextId }),
  },
  {
    name: 'a running task',
    status: 409,
    reason: 'CONTEXT_BUSY',
    code: -32062,
    message: () => ({ ...base(), taskId: running.id }),
  },
];

function reasonOf(reply: Reply): unknown {
  const error = reply.body['error'] as { details?: { reason?: string }[] } | undefined;
  return error?.details?.find(({ reason }) => reason !== undefined)?.reason;
}

describe('a message with', () => {
  it.each(MESSAGES)('$name should be refused on every binding, and start nothing', async (row) => {
    const before = (await client.list('?pageSize=1')).totalSize;
    for (const path of ['/a2a/message:send', '/a2a/message:stream']) {
      const reply = await client.call('POST', path, { message: row.message() });
      expect([reply.status, reasonOf(reply)], `${path} ${reply.text}`).toEqual([
        row.status,
        row.reason,
      ]);
      expect(reply.headers['content-type']).toMatch(/^application\/(a2a\+)?json/);
    }
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const params = { message: row.message() };
      const reply = await client.call('POST', '/a2a/v1', { jsonrpc: '2.0', id: 7, method, params });
      const body = reply.body as { id: number; error: { code: number; message: string } };
      expect([body.id, body.error.code], `${method} ${reply.text}`).toEqual([7, row.code]);
      expect(body.error.message.length).toBeGreaterThan(10);
    }
    expect((await client.list('?pageSize=1')).totalSize).toBe(before);
    expect((await truth.active('acme', 'ann')).user).toBe(1);
  });
});

describe('a request with', () => {
  const good = JSON.stringify({ message: base() });

  it('no token or a wrong one should be refused in the caller’s protocol', async () => {
    for (const who of [nobody, wrong]) {
      const rest = await who.call('GET', '/a2a/tasks');
      expect([rest.status, reasonOf(rest)]).toEqual([401, 'UNAUTHENTICATED']);
      expect(rest.headers['www-authenticate']).toBeTruthy();
      for (const path of ['/a2a', '/a2a/v1', '/a2a/v03']) {
        const rpc = await who.call('POST', path, { jsonrpc: '2.0', id: 1, method: 'x' });
        expect([rpc.status, (rpc.body['error'] as { code: number }).code]).toEqual([401, -32060]);
      }
      expect((await who.call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'x' })).status).toBe(
        401,
      );
      expect((await who.call('GET', '/.well-known/agent-card.json')).status).toBe(200);
    }
  });

  it('two tokens that differ should be refused, the same twice accepted', async () => {
    const differ = { authorization: `Bearer ${ann.token}x` };
    expect((await client.call('GET', '/a2a/tasks', undefined, differ)).status).toBe(401);
    const same = { authorization: `Bearer ${ann.token}` };
    expect((await client.call('GET', '/a2a/tasks', undefined, same)).status).toBe(200);
    expect((await nobody.call('GET', '/a2a/tasks', undefined, same)).status).toBe(200);
  });

  it('malformed JSON should be a parse error', async () => {
    const rest = await client.call('POST', '/a2a/message:send', '{"message":');
    expect([rest.status, reasonOf(rest)]).toEqual([400, 'PARSE_ERROR']);
    const rpc = await client.call('POST', '/a2a/v1', '{"jsonrpc":');
    expect((rpc.body['error'] as { code: number }).code).toBe(-32700);
  });

  it('a body that breaks off should be no fault in the log', async () => {
    const gateway = fleet.gateways[0]!;
    const before = gateway.logs.length;
    const socket = connect(gateway.port, '127.0.0.1').resume();
    await once(socket, 'connect');
    const head = [
      'POST /a2a/message:send HTTP/1.1',
      `host: 127.0.0.1:${gateway.port}`,
      `x-user-token: ${ann.token}`,
      'content-type: application/json',
      'content-length: 1000',
      'x-request-id: breaks-off',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n{"message":`);
    await once(socket, 'close');
    // In the log by now: whatever there was to say of the one before this one.
    await eventually('the next request is in the log', async () => {
      await client.call('GET', '/a2a/tasks', undefined, { 'x-request-id': 'the-next' });
      return gateway.logs.slice(before).includes('the-next');
    });
    expect(gateway.logs.slice(before)).not.toContain('"level":"error"');
  });

  it('a wrong method should be 405 with Allow, an unknown path 404, both in JSON', async () => {
    const method = await client.call('GET', '/a2a/message:send');
    expect(method.status).toBe(405);
    expect(method.headers.allow).toContain('POST');
    expect(reasonOf(method)).toBe('METHOD_NOT_ALLOWED');
    const path = await client.call('GET', '/a2a/nothing/here/at/all');
    expect(path.status).toBe(404);
    expect(path.headers['content-type']).toContain('json');
  });

  it('a wrong content type should be 415, a body over the limit 413', async () => {
    const type = await client.call('POST', '/a2a/message:send', good, {
      'content-type': 'text/plain',
    });
    expect([type.status, reasonOf(type)]).toEqual([415, 'MEDIA_TYPE']);
    const text = 'x'.repeat(70 * 1024);
    const large = await client.call('POST', '/a2a/message:send', {
      message: { ...base(), parts: [{ text }] },
    });
    expect([large.status, reasonOf(large)]).toEqual([413, 'TOO_LARGE']);
    const words = 'x'.repeat(40 * 1024);
    const long = await client.call('POST', '/a2a/message:send', {
      message: { ...base(), parts: [{ text: words }] },
    });
    expect([long.status, reasonOf(long)]).toEqual([413, 'TOO_LARGE']);
  });

  it('an unknown task should be not found for get, cancel and subscribe', async () => {
    const id = randomUUID();
    for (const [verb, path] of [
      ['GET', `/a2a/tasks/${id}`],
      ['POST', `/a2a/tasks/${id}:cancel`],
      ['GET', `/a2a/tasks/${id}:subscribe`],
    ] as const) {
      const reply = await client.call(verb, path, verb === 'POST' ? {} : undefined);
      expect([reply.status, reasonOf(reply)], path).toEqual([404, 'TASK_NOT_FOUND']);
    }
  });

  it('a task that has ended should be refused for cancel and subscribe', async () => {
    const cancel = await client.call('POST', `/a2a/tasks/${done.id}:cancel`, {});
    expect([cancel.status, reasonOf(cancel)]).toEqual([400, 'TASK_NOT_CANCELABLE']);
    const subscribe = await client.call('GET', `/a2a/tasks/${done.id}:subscribe`);
    expect([subscribe.status, reasonOf(subscribe)]).toEqual([400, 'UNSUPPORTED_OPERATION']);
  });

  it('a page size out of bounds or a made-up page token should be refused', async () => {
    for (const query of ['?pageSize=0', '?pageSize=101', '?pageSize=x', '?pageToken=made-up']) {
      const reply = await client.call('GET', `/a2a/tasks${query}`);
      expect([reply.status, reasonOf(reply)], query).toEqual([400, 'INVALID_PARAMS']);
    }
  });
});
