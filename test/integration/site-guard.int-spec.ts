import { request } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeTasks as McpTasks } from './mcp-fake-tasks.js';
import { startMcpApp, type McpApp } from './mcp-harness.js';
import { createHttpAdapter } from '../../src/protocols/http/http-adapter.js';
import { type A2aApp, a2aConfig, rpc, sendRequest, startA2aApp } from './a2a-harness.js';

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** Node's own client: fetch keeps Host and Origin to itself. */
function ask(
  base: string,
  path: string,
  options: { method?: string; headers?: Record<string, string | string[]>; body?: string } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, base),
      {
        method,
        headers: {
          'x-user-token': 'alice-token',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const CONSOLE = 'https://console.example.com';
const SEND = JSON.stringify(sendRequest('hello'));

let gateway: A2aApp;
let mcp: McpApp;

beforeAll(async () => {
  const config = { allowedOrigins: [CONSOLE], allowedHosts: ['gw.internal', 'gw_1'] };
  gateway = await startA2aApp(config);
  mcp = await startMcpApp(new McpTasks(() => undefined), config);
});
afterAll(async () => {
  await gateway.close();
  await mcp.close();
});

describe('a Host that is not allowed', () => {
  const headers = { host: 'evil.example' };

  it.each([
    ['GET', '/a2a/tasks', undefined],
    ['POST', '/a2a/message:send', SEND],
    ['DELETE', '/a2a/tasks/x', undefined],
    ['GET', '/.well-known/agent-card.json', undefined],
    ['GET', '/no/such/path', undefined],
    ['GET', '/%612a/tasks', undefined],
  ])('should be 403 in REST: %s %s', async (method, path, body) => {
    const { status, text } = await ask(gateway.url, path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    expect(status).toBe(403);
    const { error } = JSON.parse(text) as { error: { status: string; message: string } };
    expect(error.status).toBe('PERMISSION_DENIED');
    expect(error.message).toContain('Host');
  });

  it.each(['/a2a', '/a2a/v1', '/a2a/v03'])('should be 403 in JSON-RPC: %s', async (path) => {
    const options = { method: 'POST', headers, body: rpc('GetTask', { id: 'x' }, 7) };
    const { status, text } = await ask(gateway.url, path, options);
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { code: -32061 } });
  });

  it('should be 403 in MCP', async () => {
    const options = { method: 'POST', headers, body: rpc('ping') };
    const { status, text } = await ask(mcp.url, '/mcp', options);
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { code: -32061 } });
  });

  it('should be told before whether the token is good', async () => {
    const options = { headers: { ...headers, 'x-user-token': 'nobody' } };
    expect((await ask(gateway.url, '/a2a/tasks', options)).status).toBe(403);
  });

  it('should not be helped by what a page can set', async () => {
    const forwarded = { ...headers, 'x-forwarded-host': 'localhost' };
    expect((await ask(gateway.url, '/a2a/tasks', { headers: forwarded })).status).toBe(403);
  });

  it('should not matter to a probe', async () => {
    expect((await ask(gateway.url, '/livez', { headers })).status).toBe(404);
  });
});

it.each(['localhost:1', '127.0.0.1', 'gw.internal:99'])('should let in Host %s', async (host) => {
  expect((await ask(gateway.url, '/a2a/tasks', { headers: { host } })).status).toBe(200);
});

it('should name a Host that is let in in the card, one of a container network too', async () => {
  const { text } = await ask(gateway.url, '/.well-known/agent-card.json', {
    headers: { host: 'gw_1:17000' },
  });
  expect(JSON.parse(text)).toMatchObject({ url: 'http://gw_1:17000/a2a' });
});

describe('an Origin', () => {
  it.each(['http://evil.example', 'null', 'https://console.example.com:8443', 'http://[::1].evil'])(
    'should be 403 when it is %s',
    async (origin) => {
      const headers = { origin };
      for (const [app, path, method, body] of [
        [gateway, '/a2a/message:send', 'POST', SEND],
        [gateway, '/a2a', 'POST', rpc('tasks/get', { id: 'x' })],
        [gateway, '/a2a/tasks', 'GET', undefined],
        [gateway, '/.well-known/agent-card.json', 'GET', undefined],
        [mcp, '/mcp', 'POST', rpc('ping')],
        [mcp, '/mcp', 'GET', undefined],
        [mcp, '/mcp', 'DELETE', undefined],
        [mcp, '/mcp', 'OPTIONS', undefined],
      ] as const) {
        const options = { method, headers, ...(body === undefined ? {} : { body }) };
        const answer = await ask(app.url, path, options);
        expect(answer.status, `${method} ${path}`).toBe(403);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    },
  );

  it('should be 403 when there are two', async () => {
    const headers = { origin: [CONSOLE, 'http://evil.example'] };
    expect((await ask(gateway.url, '/a2a/tasks', { headers })).status).toBe(403);
  });

  it('should be let in when it is absent, the own one, or listed', async () => {
    expect((await ask(gateway.url, '/a2a/tasks')).status).toBe(200);
    for (const origin of [gateway.url, CONSOLE]) {
      const { status, headers } = await ask(gateway.url, '/a2a/tasks', { headers: { origin } });
      expect(status).toBe(200);
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers['vary']).toContain('Origin');
      expect(headers['access-control-expose-headers']).toContain('content-disposition');
    }
    const body = rpc('ping');
    const headers = { origin: CONSOLE, accept: 'application/json, text/event-stream' };
    const answer = await ask(mcp.url, '/mcp', { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe(CONSOLE);
  });

  it('should be named on streams and refusals, too', async () => {
    const headers = { origin: CONSOLE };
    const stream = await ask(gateway.url, '/a2a/message:stream', {
      method: 'POST',
      headers,
      body: SEND,
    });
    expect(stream.headers['content-type']).toBe('text/event-stream');
    expect(stream.headers['access-control-allow-origin']).toBe(CONSOLE);
    const refused = await ask(gateway.url, '/a2a/tasks', {
      headers: { ...headers, 'x-user-token': 'nobody' },
    });
    expect(refused.status).toBe(401);
    expect(refused.headers['access-control-allow-origin']).toBe(CONSOLE);
  });

  it('should vary a cached card', async () => {
    const { headers } = await ask(gateway.url, '/.well-known/agent-card.json');
    expect(headers['vary']).toMatch(/Origin.*A2A-Version/);
  });
});

describe('a preflight', () => {
  const preflight = { origin: CONSOLE, 'access-control-request-method': 'POST' };

  it.each(['/a2a', '/a2a/message:send', '/a2a/tasks/x', '/mcp'])(
    'should be answered without a token: %s',
    async (path) => {
      const app = path === '/mcp' ? mcp : gateway;
      const headers = { ...preflight, 'x-user-token': '' };
      const answer = await ask(app.url, path, { method: 'OPTIONS', headers });
      expect(answer.status).toBe(204);
      expect(answer.headers['access-control-allow-origin']).toBe(CONSOLE);
      expect(answer.headers['access-control-allow-methods']).toContain('POST');
      expect(answer.headers['access-control-allow-headers']).toContain('x-user-token');
      expect(answer.headers['access-control-allow-headers']).toContain('idempotency-key');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  it('should leave other OPTIONS as they are', async () => {
    const { status, headers } = await ask(gateway.url, '/a2a/tasks', { method: 'OPTIONS' });
    expect(status).toBe(405);
    expect(headers['allow']).toContain('GET');
  });
});

describe('a path that is written in another way', () => {
  let app: FastifyInstance;
  let url: string;

  beforeAll(async () => {
    const management = { host: '127.0.0.1', port: 1, probesOnMain: true };
    app = createHttpAdapter({ ...a2aConfig(), management }).getInstance();
    app.get('/admin/v1/tenants', () => 'secrets');
    app.post('/a2a/v1', (request) => `${String(request.body).length} bytes`);
    url = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => app.close());

  /** The target as it is: a URL object would change it. */
  function send(target: string, options: { host?: string; bytes?: number } = {}): Promise<Answer> {
    const { host, bytes } = options;
    return new Promise((resolve, reject) => {
      const headers = {
        ...(host === undefined ? {} : { host }),
        ...(bytes === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const method = bytes === undefined ? 'GET' : 'POST';
      const sent = request(url, { path: target, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      sent.on('error', reject);
      sent.end(bytes === undefined ? undefined : ' '.repeat(bytes));
    });
  }

  it.each([
    '/admin/v1/tenants',
    '/%61dmin/v1/tenants',
    '/admin/v1/tenants#x',
    'http://localhost/admin/v1/tenants',
    'http://localhost/%61dmin/v1/tenants/',
  ])('should not lead from the public listener to the admin API: %s', async (target) => {
    const { status, text } = await send(target);
    expect([status, text.includes('secrets')]).toEqual([404, false]);
  });

  it.each(['/a2a/v1', '/%612a/v1', '/a2a/v1#x', 'http://localhost/a2a/v1'])(
    'should have the limits and the errors of its surface: %s',
    async (target) => {
      expect((await send(target, { bytes: 5 })).text).toBe('5 bytes');
      const refused = await send(target, { host: 'evil.example', bytes: 5 });
      expect(refused.status).toBe(403);
      expect(JSON.parse(refused.text)).toMatchObject({ jsonrpc: '2.0', error: { code: -32061 } });
      expect((await send(target, { bytes: 1024 * 1024 + 1 })).text).toContain('too large');
    },
  );

  it('should be held to the host of its own, also where Host is a right one', async () => {
    expect((await send('http://evil.example/a2a/v1', { bytes: 5 })).status).toBe(403);
  });
});

describe('a preflight of the admin API', () => {
  it('should allow what its pages send', async () => {
    const app = createHttpAdapter(a2aConfig({ allowedOrigins: [CONSOLE] })).getInstance();
    const headers = { host: 'localhost', origin: CONSOLE, 'access-control-request-method': 'PUT' };
    const { statusCode, headers: got } = await app.inject({
      ...{ method: 'OPTIONS', url: '/admin/v1/tenants/acme', headers },
    });
    expect(statusCode).toBe(204);
    expect(got['access-control-allow-methods']).toContain('PUT');
    expect(got['access-control-allow-headers']).toContain('if-match');
    expect(got['access-control-allow-credentials']).toBeUndefined();
    await app.close();
  });
});
