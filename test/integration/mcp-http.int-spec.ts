import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PROTOCOLS } from '../../src/config/build-identity.js';
import type { GatewayConfig } from '../../src/config/config.types.js';
import { DEFAULT_LIMITS } from '../../src/config/limits.js';
import { DomainError } from '../../src/domain/errors.js';
import { FakeTasks } from './mcp-fake-tasks.js';
import { mcpConfig, type McpApp, startMcpApp } from './mcp-harness.js';
import { call2025, call2026, messageOf, post } from './mcp-wire.js';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

function initialize(protocolVersion: string): object {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } },
  };
}

let app: McpApp;
let tasks: FakeTasks;

async function start(config: Partial<GatewayConfig> = {}): Promise<void> {
  tasks = new FakeTasks((run) => {
    run.content('fine');
    run.status('TASK_STATE_COMPLETED');
  });
  app = await startMcpApp(tasks, config);
}

afterEach(() => app.close());

describe('POST /mcp over bare HTTP', () => {
  beforeEach(() => start());

  it('should answer 405 with Allow to every other method', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      const response = await fetch(`${app.url}/mcp`, {
        method,
        headers: { 'x-user-token': 'alice-token', accept: 'text/event-stream' },
      });
      expect([method, response.status, response.headers.get('allow')]).toEqual([
        method,
        405,
        'POST',
      ]);
    }
  });

  it('should answer 401 without a token, whatever the era', async () => {
    const modern = call2026({ message: 'x' });
    expect((await post(app.url, PING, { token: 'wrong' })).status).toBe(401);
    expect((await post(app.url, modern.body, { ...modern, token: 'wrong' })).status).toBe(401);
  });

  it('should answer a JSON 404 below /mcp', async () => {
    const response = await fetch(`${app.url}/mcp/sse`);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('application/json');
  });

  it.each(PROTOCOLS.mcp.filter((version) => version < '2026'))(
    'should negotiate %s, which it lists',
    async (version) => {
      const response = await post(app.url, initialize(version));
      expect((await messageOf(response)).result).toMatchObject({ protocolVersion: version });
    },
  );

  // The SDK itself would speak 2024-10-07, a draft.
  it.each(['1900-01-01', '2024-10-07'])(
    'should answer %s in initialize, which it does not list, with one it speaks',
    async (version) => {
      const response = await post(app.url, initialize(version), {
        headers: { 'mcp-protocol-version': version },
      });
      expect(response.status).toBe(200);
      expect((await messageOf(response)).result).toMatchObject({ protocolVersion: '2025-11-25' });
    },
  );

  it.each(['1900-01-01', '2024-10-07', 'not-a-version', ''])(
    'should answer 400 to MCP-Protocol-Version %j and start nothing',
    async (version) => {
      const response = await post(app.url, call2025({ message: 'x' }), {
        headers: { 'mcp-protocol-version': version },
      });
      expect(response.status).toBe(400);
      expect(tasks.calls).toEqual([]);
    },
  );

  it('should take a 2025 call without a version header or session, and ignore a session id', async () => {
    const response = await post(app.url, call2025({ message: 'x' }), {
      headers: { 'mcp-session-id': 'whatever' },
    });
    expect((await messageOf(response)).result?.content[0]?.text).toBe('fine');
  });

  it('should answer -32020 and 400 when header and body of 2026-07-28 disagree', async () => {
    const { body, headers } = call2026({ message: 'x' });
    const response = await post(app.url, body, {
      headers: { ...headers, 'mcp-name': 'something_else' },
    });
    expect(response.status).toBe(400);
    expect((await messageOf(response)).error?.code).toBe(-32020);
    expect(tasks.calls).toEqual([]);
  });

  it('should answer 202 without a body to a notification', async () => {
    const response = await post(app.url, {
      jsonrpc: '2.0',
      method: 'notifications/initialized',
    });
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
  });

  it('should refuse a subscription, as the tools never change', async () => {
    const { body, headers } = call2026({});
    const response = await post(
      app.url,
      { ...body, method: 'subscriptions/listen' },
      { headers: { ...headers, 'mcp-method': 'subscriptions/listen' } },
    );
    expect(response.status).toBe(404);
    expect((await messageOf(response)).error?.code).toBe(-32601);
  });

  it.each([
    [7, 7],
    ['x', 'x'],
    [{ a: 1 }, null],
    [[7], null],
    [true, null],
  ])('should answer a subscription of id %j under %j', async (id, shown) => {
    const { body, headers } = call2026({});
    const response = await post(
      app.url,
      { ...body, id, method: 'subscriptions/listen' },
      { headers: { ...headers, 'mcp-method': 'subscriptions/listen' } },
    );
    expect(await messageOf(response)).toMatchObject({ id: shown, error: { code: -32601 } });
  });

  it.each([
    ['{"jsonrpc":', -32700],
    ['', -32700],
    ['{"hello":1}', -32600],
    ['null', -32600],
  ])('should answer 400 to the body %j', async (body, code) => {
    const response = await post(app.url, body);
    expect(response.status).toBe(400);
    expect((await messageOf(response)).error?.code).toBe(code);
  });

  it('should parse the content type, not look for a substring', async () => {
    const charset = { 'content-type': 'application/json; charset=utf-8' };
    const disguised = { 'content-type': 'text/plain; x=application/json' };
    expect((await post(app.url, PING, { headers: charset })).status).toBe(200);
    expect((await post(app.url, PING, { headers: disguised })).status).toBe(415);
  });

  it.each([
    ['application/json, text/event-stream', 'application/json'],
    ['*/*', 'application/json'],
    ['APPLICATION/JSON, TEXT/EVENT-STREAM', 'application/json'],
    ['application/*;q=0.5, text/*', 'text/event-stream'],
    ['text/event-stream', 'text/event-stream'],
    ['application/json', 'application/json'],
    ['application/json, text/event-stream;q=0.1', 'application/json'],
  ])('should answer a call that accepts %s with %s in both eras', async (accept, type) => {
    const modern = call2026({ message: 'x' });
    const responses = [
      await post(app.url, call2025({ message: 'x' }), { headers: { accept } }),
      await post(app.url, modern.body, { headers: { ...modern.headers, accept } }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain(type);
      expect((await messageOf(response)).result?.content[0]?.text).toBe('fine');
    }
  });

  it('should answer 406 when neither form is accepted', async () => {
    expect((await post(app.url, PING, { headers: { accept: 'text/html' } })).status).toBe(406);
  });

  it('should answer what needs no stream as JSON', async () => {
    const response = await post(app.url, PING);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  it('should allow the own origin and refuse any other', async () => {
    const own = { origin: app.url };
    expect((await post(app.url, PING, { headers: own })).status).toBe(200);
    for (const origin of ['http://evil.example', 'null', 'http://[::1].evil.example']) {
      expect((await post(app.url, PING, { headers: { origin } })).status).toBe(403);
    }
  });

  it('should answer 413 to arguments over 16 KiB in UTF-8, and take what is just below', async () => {
    const overhead = JSON.stringify({ message: '' }).length;
    const most = '汉'.repeat(Math.floor((16 * 1024 - overhead) / 3));
    expect((await post(app.url, call2025({ message: most }))).status).toBe(200);
    expect((await post(app.url, call2025({ message: `${most}汉` }))).status).toBe(413);
  });

  it.each([
    [new DomainError('UNAVAILABLE', 'Try later'), 503],
    [new DomainError('PERMISSION_DENIED', 'Suspended'), 403],
    [new DomainError('TOO_LARGE', 'Too long'), 413],
    [new Error('redis://:pw@10.0.0.1'), 500],
  ])('should answer %s of the core as an HTTP status in both eras', async (error, status) => {
    tasks.refuse = error;
    const modern = call2026({ message: 'x' });
    const responses = [
      await post(app.url, call2025({ message: 'x' })),
      await post(app.url, modern.body, modern),
      await post(app.url, call2025({ message: 'x' }), { headers: { accept: 'application/json' } }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(status);
      expect(await response.text()).not.toContain('pw@');
    }
  });

  it('should answer a batch of the older revisions with an array', async () => {
    const response = await post(app.url, [PING, { ...call2025({ message: 'x' }), id: 2 }]);
    const answers = (await response.json()) as { id: number }[];
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
  });
});

describe('a client that goes away', () => {
  beforeEach(() => start());

  it('should leave the task running in the 2025 era', async () => {
    tasks.script = () => undefined;
    const controller = new AbortController();
    await post(app.url, call2025({ message: 'slow' }), { signal: controller.signal });
    const ended = vi.spyOn(tasks, 'cancel');
    controller.abort();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(ended).not.toHaveBeenCalled();
    expect(tasks.last.state).toBe('TASK_STATE_WORKING');
  });

  it.each(['application/json, text/event-stream', 'application/json'])(
    'should cancel the task in 2026-07-28 (accepting %s)',
    async (accept) => {
      tasks.script = () => undefined;
      const controller = new AbortController();
      const { body, headers } = call2026({ message: 'slow' });
      const sent = post(app.url, body, {
        headers: { ...headers, accept },
        signal: controller.signal,
      }).catch(() => undefined);
      await vi.waitFor(() => {
        expect(tasks.calls).toContain('submit');
      });
      controller.abort();
      await sent;
      await vi.waitFor(() => {
        expect(tasks.last.state).toBe('TASK_STATE_CANCELED');
      });
    },
  );

  it('should not cancel when the call was answered, working or done', async () => {
    await app.close();
    await start({ mcp: { enabled: true, maxWaitSeconds: 0.05, toolsets: [] } });
    const { body, headers } = call2026({ message: 'x' });
    await (await post(app.url, body, { headers })).text();
    tasks.script = () => undefined;
    await (await post(app.url, body, { headers })).text();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(tasks.calls).not.toContain('cancel');
    expect(tasks.last.state).toBe('TASK_STATE_WORKING');
  });
});

describe('a gateway that stops', () => {
  it('should answer waiting calls with the ids, and cancel none', async () => {
    await start();
    tasks.script = () => undefined;
    const modern = call2026({ message: 'slow' });
    const waiting = [
      post(app.url, call2025({ message: 'slow' })),
      post(app.url, modern.body, modern),
      post(app.url, modern.body, { headers: { ...modern.headers, accept: 'application/json' } }),
    ];
    await vi.waitFor(() => {
      expect(app.streams.size).toBe(3);
      expect(tasks.runs.size).toBe(3);
    });
    app.streams.closeAll();
    for (const response of await Promise.all(waiting)) {
      const { result } = await messageOf(response);
      expect(result).toMatchObject({ structuredContent: { status: 'working' } });
    }
    expect(tasks.calls).not.toContain('cancel');
    await vi.waitFor(() => {
      expect(app.streams.size).toBe(0);
    });
    expect((await post(app.url, modern.body, modern)).status).toBe(503);
  });
});

describe('the switches and limits of the configuration', () => {
  it.each([
    { mcp: { enabled: false, maxWaitSeconds: 240, toolsets: [] } },
    { a2a: { enabled: false } },
  ])('should answer 404 with %j', async (config) => {
    await start(config);
    expect((await post(app.url, PING)).status).toBe(404);
    expect((await post(app.url, PING, { token: 'wrong' })).status).toBe(404);
  });

  it('should answer 413 to a body over the tenant’s bound', async () => {
    const limits = { ...DEFAULT_LIMITS, mcpBodyBytes: 300 };
    const tenants = mcpConfig().tenants.map((tenant) => ({ ...tenant, limits }));
    await start({ tenants });
    expect((await post(app.url, call2025({ message: 'x'.repeat(100) }))).status).toBe(200);
    expect((await post(app.url, call2025({ message: 'x'.repeat(300) }))).status).toBe(413);
  });

  it('should send the head of a stream soon, though nothing is to be said', async () => {
    await start();
    tasks.script = () => undefined;
    const modern = call2026({ message: 'slow' });
    const signal = AbortSignal.timeout(5000);
    const heads = await Promise.all([
      post(app.url, call2025({ message: 'slow' }), { signal }),
      post(app.url, modern.body, { ...modern, signal }),
    ]);
    expect(heads.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('should send a comment while a call waits', async () => {
    const { execution } = mcpConfig();
    await start({ execution: { ...execution, sseCommentMs: 20 } });
    tasks.script = (run) => {
      setTimeout(() => {
        run.status('TASK_STATE_COMPLETED');
      }, 500);
    };
    const modern = call2026({ message: 'slow' });
    for (const response of [
      await post(app.url, call2025({ message: 'slow' })),
      await post(app.url, modern.body, modern),
    ]) {
      expect(response.headers.get('x-accel-buffering')).toBe('no');
      expect(await response.text()).toMatch(/^: keep-alive/m);
    }
  });
});
