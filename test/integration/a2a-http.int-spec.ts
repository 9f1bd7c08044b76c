import { gzipSync } from 'node:zlib';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { AgentCard } from '@a2a-js/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, within } from '../support/wait.js';
import {
  type A2aApp,
  type Answer,
  call,
  a2aConfig,
  parseSse,
  rpc,
  sendParams03,
  sendRequest,
  startA2aApp,
  tenantConfig,
} from './a2a-harness.js';

let gateway: A2aApp;

beforeAll(async () => {
  gateway = await startA2aApp();
});
afterAll(async () => {
  await gateway.close();
});
beforeEach(() => {
  gateway.tasks.submissions.length = 0;
});

function portOf(app: A2aApp): number {
  return Number(new URL(app.url).port);
}

async function startTask(app: A2aApp, text: string): Promise<string> {
  const request = sendRequest(text, {}, { configuration: { returnImmediately: true } });
  const { json } = await call(`${app.url}/a2a/message:send`, {
    method: 'POST',
    body: JSON.stringify(request),
  });
  return (json as { task: { id: string } }).task.id;
}

/** Sends raw bytes and returns the socket, for what fetch would not do. */
function open(app: A2aApp, text: string): Socket {
  const socket = connect(portOf(app), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}

async function exchange(app: A2aApp, text: string): Promise<string> {
  const socket = open(app, text);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await within('the server closes', 5000, once(socket, 'close'));
  return Buffer.concat(chunks).toString();
}

/** The error of either JSON-RPC or REST. */
function errorOf({ status, json }: Answer) {
  const { error } = json as { error: { code: number; message: string; status?: string } };
  return { http: status, ...error };
}

describe('authentication in the caller’s protocol', () => {
  it.each([
    ['/a2a', rpc('message/send', sendParams03('x'), 5)],
    ['/a2a/v1', rpc('SendMessage', sendRequest('x'), 5)],
    ['/a2a/v03', rpc('message/send', sendParams03('x'), 5)],
  ])('should answer 401 on %s as JSON-RPC, under the request’s id', async (path, body) => {
    for (const token of [null, 'wrong']) {
      const answer = await call(`${gateway.url}${path}`, { method: 'POST', body, token });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="nightjar"');
      expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: 5, error: { code: -32060 } });
    }
  });

  it.each(['/a2a/message:send', '/a2a/tasks/x:cancel', '/a2a/acme/message:send', '/a2a/v1/x'])(
    'should answer 401 on %s as AIP-193',
    async (path) => {
      const body = JSON.stringify(sendRequest('x'));
      const answer = await call(`${gateway.url}${path}`, { method: 'POST', body, token: null });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="nightjar"');
      expect(errorOf(answer)).toMatchObject({ http: 401, code: 401, status: 'UNAUTHENTICATED' });
    },
  );

  it('should take a bearer token', async () => {
    const answer = await call(`${gateway.url}/a2a/tasks`, {
      token: null,
      headers: { authorization: 'Bearer alice-token' },
    });
    expect(answer.status).toBe(200);
  });
});

describe('bodies', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/a2a+json',
    'application/a2a+json; charset=utf-8; v=1',
    'APPLICATION/JSON',
    'application/json; charset="UTF-8"',
  ])('should accept %s', async (type) => {
    for (const [path, body] of [
      ['/a2a/message:send', JSON.stringify(sendRequest('hello'))],
      ['/a2a/v1', rpc('ListTasks', {})],
    ] as const) {
      const headers = { 'content-type': type };
      const answer = await call(`${gateway.url}${path}`, { method: 'POST', body, headers });
      expect(answer.status).toBe(200);
    }
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'nonsense',
    'application/json; charset=utf-16',
    'application/json; charset="iso-8859-1"',
    'application/json;charset=utf-8; CHARSET = utf-16le',
    'application/json; charset=',
  ])('should refuse %s with 415 in the caller’s protocol', async (type) => {
    const init = { method: 'POST', body: '{}', headers: { 'content-type': type } };
    const rest = await call(`${gateway.url}/a2a/message:send`, init);
    expect(errorOf(rest)).toMatchObject({ http: 415, code: 415, status: 'INVALID_ARGUMENT' });
    const json = await call(`${gateway.url}/a2a`, init);
    expect(json.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
    expect(json.status).toBe(415);
  });

  it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, identity'])(
    'should refuse a body in %s with 415: nothing is unpacked',
    async (encoding) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      const init = { method: 'POST', body: gzipSync('{}'), headers };
      const rest = await call(`${gateway.url}/a2a/message:send`, init);
      expect(errorOf(rest)).toMatchObject({ http: 415, code: 415, status: 'INVALID_ARGUMENT' });
      expect(rest.text).toContain('without a Content-Encoding');
      expect(rest.headers.get('accept-encoding')).toBe('identity');
      const json = await call(`${gateway.url}/a2a/v1`, init);
      expect(json.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
      const identity = { ...headers, 'content-encoding': 'identity' };
      const plain = { ...init, body: rpc('ListTasks', {}), headers: identity };
      expect((await call(`${gateway.url}/a2a/v1`, plain)).status).toBe(200);
    },
  );

  it('should refuse an empty or broken body of a send', async () => {
    for (const body of ['', '{', 'hello', '{"message":', '{"a":1,"a":2}']) {
      const answer = await call(`${gateway.url}/a2a/message:send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(errorOf(answer)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
      expect(answer.text).not.toMatch(/at |position|SyntaxError/);
    }
  });

  it('should refuse a body over the widest limit with 413, before it is parsed', async () => {
    const body = JSON.stringify(sendRequest('x'.repeat(1024 * 1024)));
    const rest = await call(`${gateway.url}/a2a/message:send`, { method: 'POST', body });
    expect(errorOf(rest)).toMatchObject({ http: 413, code: 413 });
    const json = await call(`${gateway.url}/a2a`, { method: 'POST', body });
    expect(json.json).toMatchObject({ id: null, error: { code: -32064 } });
    expect(json.status).toBe(413);
  });

  it('should hold each tenant to its own limit, in bytes and to the byte', async () => {
    const strict = await startA2aApp({
      tenants: [tenantConfig('acme', { a2aBodyBytes: 1000 }), tenantConfig('evil')],
    });
    try {
      const sizes = async (bytes: number, token: string) => {
        const empty = JSON.stringify(sendRequest(''));
        const body = empty.replace('"text":""', `"text":"${'é'.repeat(30)}"`);
        const padded = body + ' '.repeat(bytes - Buffer.byteLength(body));
        for (const path of ['/a2a/message:send', '/a2a/v1', '/a2a', '/a2a/v03']) {
          const answer = await call(`${strict.url}${path}`, {
            method: 'POST',
            body: padded,
            token,
          });
          expect([bytes, path, answer.status === 413]).toEqual([
            bytes,
            path,
            token === 'alice-token' && bytes > 1000,
          ]);
        }
      };
      await sizes(1000, 'alice-token');
      await sizes(1001, 'alice-token');
      await sizes(1001, 'eve-token');
    } finally {
      await strict.close();
    }
  });
});

describe('paths and methods', () => {
  it.each([
    ['DELETE', '/a2a/message:send', 'POST'],
    ['GET', '/a2a/message:stream', 'POST'],
    ['PUT', '/a2a/tasks', 'GET, HEAD'],
    ['PATCH', '/a2a/acme/tasks/x', 'DELETE, GET, HEAD, POST'],
    ['POST', '/.well-known/agent-card.json', 'GET, HEAD'],
    ['DELETE', '/a2a/tasks/x/pushNotificationConfigs', 'GET, HEAD, POST'],
    ['POST', '/a2a/tasks/x', 'GET'],
    ['POST', '/a2a/tasks/x:unknown', 'GET'],
  ])('should answer %s %s with 405 and Allow: %s', async (method, path, allow) => {
    const answer = await call(`${gateway.url}${path}`, { method });
    expect(errorOf(answer)).toMatchObject({ http: 405, code: 405, status: 'UNIMPLEMENTED' });
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it.each([
    ['PUT', '/a2a', 'GET, HEAD, POST'],
    ['GET', '/a2a/v1', 'POST'],
    ['DELETE', '/a2a/v03', 'POST'],
    ['PATCH', '/%612a', 'GET, HEAD, POST'],
    ['PUT', '/a2a/%76%31?x=/', 'POST'],
  ])('should answer %s %s as JSON-RPC', async (method, path, allow) => {
    const answer = await call(`${gateway.url}${path}`, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
  });

  it('should not subscribe by HEAD', async () => {
    const id = await startTask(gateway, 'slow');
    const answer = await call(`${gateway.url}/a2a/tasks/${id}:subscribe`, { method: 'HEAD' });
    expect(answer.status).toBe(405);
    expect(gateway.tasks.readers).toBe(0);
    const task = await call(`${gateway.url}/a2a/tasks/${id}`, { method: 'HEAD' });
    expect(task.status).toBe(200);
    gateway.tasks.release(id);
  });

  it.each(['/nope', '/', '/a2a/tasks/x/y', '/a2a/nope', '/message:send', '/a2a/acme/v1'])(
    'should answer %s with 404 and the right URLs, never HTML',
    async (path) => {
      const answer = await call(`${gateway.url}${path}`, { token: null });
      expect(errorOf(answer)).toMatchObject({ http: 404, status: 'NOT_FOUND' });
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.text).toContain('/a2a/message:send');
      expect(answer.text).toContain('/.well-known/agent-card.json');
      expect(answer.text).not.toContain(path === '/' ? 'Cannot' : `Cannot GET ${path}`);
    },
  );

  it('should answer GET /a2a with a hint', async () => {
    const answer = await call(`${gateway.url}/a2a`, { token: null });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      agentCard: `${gateway.url}/.well-known/agent-card.json`,
      authentication: expect.stringContaining('X-User-Token') as string,
    });
  });

  it('should not mind a trailing slash', async () => {
    const answer = await call(`${gateway.url}/a2a/`, {
      method: 'POST',
      body: rpc('tasks/get', {}),
    });
    expect(answer.json).toMatchObject({ error: { code: -32602 } });
  });

  it('should answer URLs that cannot be read, too', async () => {
    for (const path of ['/a2a/tasks/%zz', `/a2a/tasks/${'x'.repeat(2000)}`]) {
      const answer = await call(`${gateway.url}${path}`);
      expect(errorOf(answer)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
      expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    }
  });

  it('should answer what is no HTTP, and headers without end', async () => {
    expect(await exchange(gateway, 'HELLO\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*\{"error"/s);
    const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await exchange(gateway, head)).toMatch(/^HTTP\/1.1 431 .*\{"error"/s);
  });

  it('should send headers that suit data of one caller', async () => {
    const answer = await call(`${gateway.url}/a2a/tasks`);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  });

  it.each([
    ['abc-123', true],
    ['x'.repeat(129), false],
    ['a b', false],
    ['<script>', false],
  ])('should echo the request id %.20s: %s', async (id, echoed) => {
    const answer = await call(`${gateway.url}/a2a/tasks`, { headers: { 'x-request-id': id } });
    expect(answer.headers.get('x-request-id') === id).toBe(echoed);
  });

  it('should have no A2A route at all when it is switched off', async () => {
    const off = await startA2aApp({ a2a: { enabled: false } });
    try {
      for (const path of ['/a2a', '/a2a/tasks', '/.well-known/agent-card.json', '/a2a/v1']) {
        const answer = await call(`${off.url}${path}`);
        expect(answer.status).toBe(404);
        expect(answer.text).not.toContain('message:send');
      }
    } finally {
      await off.close();
    }
  });
});

describe('the agent card', () => {
  const card = (headers: Record<string, string> = {}, app = gateway, path = 'agent-card.json') =>
    call(`${app.url}/.well-known/${path}`, { token: null, headers });

  it('should be the 0.3 card without a version, at both paths', async () => {
    for (const path of ['agent-card.json', 'agent.json']) {
      const answer = await card({}, gateway, path);
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({
        protocolVersion: '0.3.0',
        url: `${gateway.url}/a2a`,
        preferredTransport: 'JSONRPC',
        additionalInterfaces: [{ url: `${gateway.url}/a2a`, transport: 'JSONRPC' }],
        capabilities: { streaming: true, pushNotifications: false },
        securitySchemes: {
          'x-user-token': { type: 'apiKey', in: 'header', name: 'X-User-Token' },
          bearer: { type: 'http', scheme: 'bearer' },
        },
        security: [{ 'x-user-token': [] }, { bearer: [] }],
        defaultInputModes: ['text/plain'],
        skills: [{ id: 'n9e-assistant' }],
      });
    }
  });

  it('should embed the 1.0 interfaces in it, both JSON-RPC versions at /a2a', async () => {
    const { supportedInterfaces } = (await card()).json as { supportedInterfaces: unknown };
    expect(supportedInterfaces).toEqual([
      { url: `${gateway.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${gateway.url}/a2a`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: `${gateway.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ]);
  });

  it('should be pure ProtoJSON of 1.0 with A2A-Version: 1.0', async () => {
    const { json } = await card({ 'a2a-version': '1.0' });
    // What the SDK's own codec drops is no field of 1.0; an empty list it writes as {}.
    const emptied = JSON.stringify(json).replaceAll('{"list":[]}', '{}');
    expect(AgentCard.toJSON(AgentCard.fromJSON(json as object))).toEqual(JSON.parse(emptied));
    expect(json).toMatchObject({
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
      securitySchemes: {
        'x-user-token': { apiKeySecurityScheme: { location: 'header', name: 'X-User-Token' } },
        bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } },
      },
    });
    expect(json).not.toHaveProperty('url');
  });

  it('should have English and Chinese examples', async () => {
    const { skills } = (await card()).json as { skills: { examples: string[] }[] };
    expect(skills[0]!.examples.some((text) => /^[\x20-\x7e]+$/.test(text))).toBe(true);
    expect(skills[0]!.examples.some((text) => /[\u4e00-\u9fff]/.test(text))).toBe(true);
  });

  it('should follow the configured header and publicUrl', async () => {
    const publicUrl = 'https://ops.example.org/nightjar';
    const other = await startA2aApp({
      auth: { failuresPerMinute: 30, oidc: [], headerName: 'X-Ops-Key' },
      publicUrl,
    });
    try {
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
      const answer = await card(headers, other);
      expect(answer.json).toMatchObject({
        url: `${publicUrl}/a2a`,
        securitySchemes: { 'x-user-token': { name: 'X-Ops-Key' } },
      });
      expect(answer.headers.get('vary')).toBe('Origin, A2A-Version');
    } finally {
      await other.close();
    }
  });

  it('should be cacheable and answer 304', async () => {
    const first = await card();
    const etag = first.headers.get('etag')!;
    expect(first.headers.get('vary')).toMatch(/^Origin, A2A-Version/);
    expect(first.headers.get('cache-control')).toMatch(/^public, max-age=/);
    expect(Date.parse(first.headers.get('last-modified')!)).toBeLessThanOrEqual(Date.now());
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await card({ 'if-none-match': value });
      expect([again.status, again.text]).toEqual([304, '']);
    }
    expect((await card({ 'if-none-match': '"x"' })).status).toBe(200);
    const newer = await card({ 'a2a-version': '1.0', 'if-none-match': etag });
    expect(newer.status).toBe(200);
    expect(newer.headers.get('etag')).not.toBe(etag);
  });

  it('should believe X-Forwarded-* of a trusted proxy', async () => {
    const headers = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'ops.example.org',
      'x-forwarded-port': '8443',
      'x-forwarded-prefix': '/nightjar/',
    };
    const url = ({ json }: Answer) => (json as { url: string }).url;
    expect(url(await card(headers))).toBe('https://ops.example.org:8443/nightjar/a2a');
    expect(url(await card({ ...headers, 'x-forwarded-port': '443' }))).toBe(
      'https://ops.example.org/nightjar/a2a',
    );
    const distant = await startA2aApp({ trustedProxies: ['10.0.0.0/8'] });
    try {
      expect(url(await card(headers, distant))).toBe(`${distant.url}/a2a`);
    } finally {
      await distant.close();
    }
  });

  it.each([
    ['x-forwarded-host', 'a"><script>'],
    ['x-forwarded-host', 'host/path'],
    ['x-forwarded-prefix', '/../x'],
    ['x-forwarded-prefix', '//evil.example'],
    ['x-forwarded-proto', 'javascript'],
    ['x-forwarded-port', '99999999'],
  ])('should not put %s: %s into a URL', async (name, value) => {
    const { text } = await card({ [name]: value });
    expect(text).not.toContain(JSON.stringify(value).slice(1, -1));
    expect(() => new URL((JSON.parse(text) as { url: string }).url)).not.toThrow();
  });
});

describe('streams and their ends', () => {
  const request = (id: string) =>
    `POST /a2a/tasks/${id}:subscribe HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User-Token: alice-token\r\nContent-Length: 0\r\n\r\n`;

  it('should end the reader, not the run, when the client goes away', async () => {
    const id = await startTask(gateway, 'slow');
    const socket = open(gateway, request(id));
    await once(socket, 'data');
    expect(gateway.tasks.readers).toBe(1);
    expect(gateway.streams.size).toBe(1);
    socket.destroy();
    await eventually('the reader is gone', () => gateway.tasks.readers === 0);
    expect(gateway.streams.size).toBe(0);
    gateway.tasks.release(id);
    const task = await call(`${gateway.url}/a2a/tasks/${id}`);
    expect(task.json).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('should end the reader of a stream that a POST with a body began', async () => {
    const abort = new AbortController();
    const response = await fetch(`${gateway.url}/a2a/message:stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user-token': 'alice-token' },
      body: JSON.stringify(sendRequest('slow')),
      signal: abort.signal,
    });
    await response.body!.getReader().read();
    // Fastify's own request.signal would have ended it here.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(gateway.tasks.readers).toBe(1);
    abort.abort();
    await eventually('the reader is gone', () => gateway.tasks.readers === 0);
  });

  it('should not let a client that does not read make the gateway buffer', async () => {
    const id = await startTask(gateway, 'slow');
    const socket = open(gateway, request(id));
    await once(socket, 'data');
    socket.pause();
    const held = gateway.tasks.held(id);
    const before = gateway.tasks.taken;
    for (let n = 0; n < 400; n += 1) gateway.tasks.text(held, 'x'.repeat(100_000), true);
    await new Promise((resolve) => setTimeout(resolve, 300));
    // 40 MB wait in the log; taken from it is what fits into the kernel's socket buffers.
    expect(gateway.tasks.taken - before).toBeLessThan(200);
    gateway.tasks.release(id);
    let length = 0;
    socket.on('data', (chunk: Buffer) => (length += chunk.length));
    socket.resume();
    await eventually('all of it arrives', () => length > 40_000_000, 20_000);
    socket.destroy();
  });

  it('should write a comment between events', async () => {
    const { execution } = a2aConfig();
    const talkative = await startA2aApp({ execution: { ...execution, sseCommentMs: 20 } });
    try {
      const id = await startTask(talkative, 'slow');
      setTimeout(() => {
        talkative.tasks.release(id);
      }, 150);
      const answer = await call(`${talkative.url}/a2a/tasks/${id}:subscribe`, { method: 'POST' });
      expect(answer.text.match(/^: keep-alive$/gm)!.length).toBeGreaterThan(2);
      expect(parseSse(answer.text)).toHaveLength(3);
    } finally {
      await talkative.close();
    }
  });

  it('should end all streams with a hint when the instance stops, and close fast', async () => {
    const stopping = await startA2aApp();
    const id = await startTask(stopping, 'slow');
    const streams = Promise.all(
      Array.from({ length: 5 }, () =>
        call(`${stopping.url}/a2a/tasks/${id}:subscribe`, { method: 'POST' }),
      ),
    );
    await eventually('all are open', () => stopping.streams.size === 5);
    stopping.streams.closeAll();
    for (const { text } of await within('the streams end', 2000, streams)) {
      expect(text).toMatch(/retry: \d{4}\n\n$/);
      expect(text).not.toContain('TASK_STATE_COMPLETED');
    }
    expect(stopping.streams.size).toBe(0);
    const late = await call(`${stopping.url}/a2a/tasks/${id}:subscribe`, { method: 'POST' });
    expect(errorOf(late)).toMatchObject({ http: 503, status: 'UNAVAILABLE' });
    expect(late.headers.get('retry-after')).toBe('2');
    // Keep-alive connections of fetch are idle now: closing must not wait for their time-out.
    await within('the server closes', 3000, stopping.app.close());
  });

  it('should end a stream that breaks with an error event in its binding', async () => {
    for (const [path, body, shape] of [
      ['/a2a/message:stream', JSON.stringify(sendRequest('slow')), { error: { code: 500 } }],
      [
        '/a2a/v1',
        rpc('SendStreamingMessage', sendRequest('slow'), 9),
        { jsonrpc: '2.0', id: 9, error: { code: -32603 } },
      ],
      [
        '/a2a',
        rpc('message/stream', sendParams03('slow'), 9),
        { jsonrpc: '2.0', id: 9, error: { code: -32603 } },
      ],
    ] as const) {
      const pending = call(`${gateway.url}${path}`, { method: 'POST', body });
      await eventually('it is read', () => gateway.tasks.readers === 1);
      const held = [...gateway.tasks.tasks.values()].at(-1)!;
      Object.defineProperty(held.events, held.events.length, {
        get: () => {
          throw new Error('connect redis://:secret@10.0.0.1 failed');
        },
      });
      held.wake.forEach((wake) => {
        wake();
      });
      const answer = await within('the stream ends', 2000, pending);
      const last = parseSse(answer.text).at(-1)!;
      expect(last.event).toBe('error');
      expect(JSON.parse(last.data!)).toMatchObject(shape);
      expect(answer.text).not.toContain('secret');
    }
  });
});
