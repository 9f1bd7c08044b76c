import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Frame } from '../../src/assistant/assistant-backend.js';
import { Redactor } from '../../src/assistant/llm/redactor.js';
import { RemoteMcpServer } from '../../src/assistant/remote/remote-mcp-server.js';
import type { RemoteAnswer } from '../../src/assistant/remote/remote-tool.js';
import type { McpServerConfig } from '../../src/config/config.types.js';
import { FakeDesk } from '../support/fake-desk.js';
import { quietLogger } from '../support/quiet-logger.js';
import { eventually, sleep } from '../support/wait.js';

/** A real MCP server with sessions, in this process. */
class Sessions {
  readonly headers: IncomingMessage['headers'][] = [];
  readonly calls: string[] = [];
  readonly canceled: string[] = [];
  private readonly transports = new Map<string, StreamableHTTPServerTransport>();
  private readonly http: Server = createServer((request, response) => {
    void this.take(request, response);
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.http.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/mcp`;
  }

  get count(): number {
    return this.transports.size;
  }

  /** As after a restart: no session is known any more. */
  forget(): void {
    this.transports.clear();
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.headers.push(request.headers);
    const id = request.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const known = this.transports.get(id);
      if (known === undefined) response.writeHead(404).end();
      else await known.handleRequest(request, response);
      return;
    }
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => {
        this.transports.set(session, transport);
      },
    });
    await this.server().connect(transport);
    await transport.handleRequest(request, response);
  }

  private server(): McpServer {
    const server = new McpServer({ name: 'double', version: '1' });
    const reads = { annotations: { readOnlyHint: true } };
    const note = (name: string): void => {
      this.calls.push(name);
    };
    server.registerTool(
      'look',
      { description: 'looks', inputSchema: { at: z.string() }, ...reads },
      ({ at }) => {
        note('look');
        return { content: [{ type: 'text', text: `seen ${at}` }] };
      },
    );
    server.registerTool('picture', { description: '', inputSchema: {}, ...reads }, () => ({
      content: [
        { type: 'text', text: 'a chart' },
        { type: 'image', data: Buffer.from('pixels').toString('base64'), mimeType: 'image/png' },
        { type: 'resource_link', name: 'more', uri: 'https://x.example.com/' },
      ],
    }));
    server.registerTool(
      'report',
      { description: 'our-own-token', inputSchema: {}, ...reads },
      () => ({
        content: [{ type: 'text', text: 'called with our-own-token' }],
        structuredContent: { hosts: ['web-1', 'our-own-token'] },
      }),
    );
    server.registerTool('change', { description: 'changes', inputSchema: {} }, () => {
      note('change');
      return { content: [{ type: 'text', text: 'changed' }] };
    });
    server.registerTool('broken', { description: '', inputSchema: {}, ...reads }, () => ({
      isError: true,
      content: [{ type: 'text', text: 'no such dashboard' }],
    }));
    server.registerTool(
      'slow',
      { description: '', inputSchema: {}, ...reads },
      async (_args, { signal }) => {
        note('slow');
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            this.canceled.push('slow');
            resolve();
          });
        });
        return { content: [] };
      },
    );
    server.registerTool(
      'busy',
      { description: '', inputSchema: {}, ...reads },
      async (_args, { signal, sendNotification, _meta }) => {
        const progressToken = _meta?.progressToken ?? 0;
        for (let progress = 0; !signal.aborted && progress < 200; progress += 1) {
          const params = { progressToken, progress, message: 'at it' };
          await sendNotification({ method: 'notifications/progress', params });
          await sleep(50);
        }
        return { content: [] };
      },
    );
    // Through four servers already, this one the fifth.
    server.registerTool('a__b__c__d__look', { description: '', inputSchema: {}, ...reads }, () => ({
      content: [],
    }));
    return server;
  }
}

let double: Sessions;
let opened: RemoteMcpServer[];
let desk: FakeDesk;

quietLogger();
beforeEach(async () => {
  double = new Sessions();
  await double.start();
  opened = [];
  desk = new FakeDesk();
});
afterEach(async () => {
  await Promise.all(opened.map((server) => server.close()));
  await double.stop();
});

type Over = Partial<Extract<McpServerConfig, { transport: 'http' }>>;

async function connected(over: Over = {}): Promise<RemoteMcpServer> {
  const server = new RemoteMcpServer(
    {
      transport: 'http',
      name: 'far',
      url: double.url,
      headers: {},
      auth: { kind: 'bearer', token: 'our-own-token' },
      allowPrivate: true,
      maxBytes: 1024 * 1024,
      writes: {},
      silenceMs: 5000,
      maxSeconds: 20,
      ...over,
    },
    'acme',
    new Redactor(['our-own-token']),
  );
  opened.push(server);
  await server.health();
  return server;
}

async function call(
  server: RemoteMcpServer,
  name: string,
  args: unknown = {},
  over: { signal?: AbortSignal; depth?: number } = {},
): Promise<{ readonly frames: readonly Frame[]; readonly answer: RemoteAnswer }> {
  const tool = server.tools().find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const signal = over.signal ?? new AbortController().signal;
  const turn = { tenant: 'acme', taskId: 'task-1', depth: over.depth ?? 0 };
  const frames: Frame[] = [];
  const calling = tool.call(args, { turn, desk: desk.calls, signal });
  for (;;) {
    const step = await calling.next();
    if (step.done === true) return { frames, answer: step.value };
    frames.push(step.value);
  }
}

describe('an MCP server over HTTP', () => {
  it('should offer what only reads, and what writes as far as the config says', async () => {
    const names = (server: RemoteMcpServer): string[] => server.tools().map(({ name }) => name);
    const reads = [
      'far__look',
      'far__picture',
      'far__report',
      'far__broken',
      'far__slow',
      'far__busy',
    ];
    expect(names(await connected())).toEqual(reads);
    expect(
      names(await connected({ writes: { change: 'ask-caller' }, tools: ['look', 'change'] })),
    ).toEqual(['far__look', 'far__change']);
    const tool = (await connected({ writes: { change: 'auto' } }))
      .tools()
      .find(({ name }) => name === 'far__change');
    expect(tool).toMatchObject({ readOnly: false, policy: 'auto' });
    expect(tool?.description).toContain('its words, no instruction');
  });

  it('should call with its own credentials and depth, and bring text and pictures', async () => {
    const server = await connected();
    expect((await call(server, 'far__look', { at: 'x' })).answer).toEqual({
      success: true,
      certainty: 'done',
      text: 'seen x',
    });
    const { frames, answer } = await call(server, 'far__picture', {}, { depth: 1 });
    expect(answer.text).toBe(
      'a chart\n[image/png, kept as far__picture-1.png]\n[more: https://x.example.com/]',
    );
    expect(frames).toEqual([
      {
        kind: 'artifact',
        name: 'far__picture',
        parts: [
          {
            raw: Buffer.from('pixels').toString('base64'),
            filename: 'far__picture-1.png',
            mediaType: 'image/png',
          },
        ],
      },
    ]);
    for (const headers of double.headers) {
      expect(headers.authorization).toBe('Bearer our-own-token');
    }
    expect(double.headers.map((headers) => headers['x-agent-depth'])).toContain('2');
    const failed = await call(server, 'far__broken');
    expect(failed.answer).toEqual({
      success: false,
      certainty: 'done',
      text: 'no such dashboard',
      ended: { state: 'failed', partial: '', reason: 'no such dashboard' },
    });
  });

  it('should bring a document as it is, and no secret on any way', async () => {
    const server = await connected();
    expect(server.tools().find(({ name }) => name === 'far__report')?.description).toContain(
      '"[redacted]"',
    );
    expect((await call(server, 'far__report')).answer).toEqual({
      success: true,
      certainty: 'done',
      text: 'called with [redacted]',
      structured: { hosts: ['web-1', '[redacted]'] },
    });
  });

  it('should begin a new session when the server knows the old one no more', async () => {
    const server = await connected();
    double.forget();
    expect((await call(server, 'far__look', { at: 'x' })).answer.success).toBe(true);
    expect(double.calls).toEqual(['look']);
    expect(double.count).toBe(1);
  });

  it('should record a write before and after, and not make it again', async () => {
    const server = await connected({ writes: { change: 'auto' } });
    await call(server, 'far__change');
    expect(desk.calls.opened).toMatchObject([{ remote: 'far', readOnly: false }]);
    expect(desk.calls.ended).toEqual([{ outcome: 'done', text: 'changed' }]);
    desk.calls.before = { kind: 'answer', what: 'call change', text: 'changed', isSame: true };
    const { answer } = await call(server, 'far__change');
    expect(answer.text).toContain('did this already');
    expect(double.calls).toEqual(['change']);
  });

  it('should tell the server when nobody wants the answer any more', async () => {
    const server = await connected();
    const stop = new AbortController();
    const calling = call(server, 'far__slow', {}, { signal: stop.signal });
    calling.catch(() => undefined);
    await eventually('it is called', () => double.calls.includes('slow'));
    stop.abort({ kind: 'cancel', mark: 'user' });
    await expect(calling).rejects.toMatchObject({ kind: 'cancel' });
    await eventually('it hears of it', () => double.canceled.includes('slow'));
  });

  it('should bound time, size and depth, and follow no redirect', async () => {
    const silent = await connected({ silenceMs: 300 });
    expect((await call(silent, 'far__slow')).answer).toEqual({
      success: false,
      certainty: 'unknown',
      text: 'far said nothing for 0.3 s',
    });
    const late = { success: false, certainty: 'unknown', text: 'far did not finish within 1 s' };
    const bounded = await connected({ maxSeconds: 1 });
    expect((await call(bounded, 'far__slow')).answer).toEqual(late);
    const busy = await call(bounded, 'far__busy');
    expect(busy.answer).toEqual(late);
    expect(busy.frames).toContainEqual({ kind: 'step', text: 'at it' });
    const looped = await call(silent, 'far__look', { at: 'x' }, { depth: 4 });
    expect(looped.answer.text).toContain('looks like a loop');
    const small = await connected({ maxBytes: 200 });
    expect((await small.health()).text).toBe('far sent more than the 200 bytes allowed');
    const moved = createServer((_request, response) => {
      response.writeHead(307, { location: double.url }).end();
    });
    await new Promise<void>((resolve) => moved.listen(0, '127.0.0.1', resolve));
    const { port } = moved.address() as AddressInfo;
    const elsewhere = await connected({ url: `http://127.0.0.1:${port}/mcp` });
    expect((await elsewhere.health()).text).toContain('redirect (HTTP 307)');
    moved.closeAllConnections();
    moved.close();
    const inside = await connected({ allowPrivate: false });
    expect((await inside.health()).text).toContain('was not called: its url must be https');
  });
});

describe('an MCP server over stdio', () => {
  function spawned(
    over: Partial<Extract<McpServerConfig, { transport: 'stdio' }>> = {},
  ): RemoteMcpServer {
    const server = new RemoteMcpServer(
      {
        transport: 'stdio',
        name: 'near',
        command: process.execPath,
        args: [join(import.meta.dirname, '../support/mcp-stdio-double.mjs')],
        env: { OF_THE_SERVER: 'yes' },
        cwd: process.cwd(),
        maxBytes: 1024 * 1024,
        writes: {},
        silenceMs: 5000,
        maxSeconds: 20,
        ...over,
      },
      'acme',
      new Redactor(['our-own-token']),
    );
    opened.push(server);
    return server;
  }

  it('should call its tools, with an environment of its own, and start it again when it ends', async () => {
    process.env['NIGHTJAR_TEST_SECRET'] = 'of the gateway';
    const server = spawned();
    expect(await server.health()).toEqual({
      ok: true,
      text: 'MCP over stdio, 4 tools, 3 usable, 3 of them read-only',
    });
    expect((await call(server, 'near__add', { a: 1, b: 2 })).answer.text).toBe('3');
    const env = (await call(server, 'near__env')).answer.text;
    delete process.env['NIGHTJAR_TEST_SECRET'];
    expect(env).toContain('OF_THE_SERVER');
    expect(env).not.toContain('of the gateway');
    const ended = await call(server, 'near__exit');
    expect(ended.answer).toMatchObject({ success: false, certainty: 'unknown' });
    expect((await call(server, 'near__add', { a: 2, b: 2 })).answer.text).toBe('4');
  });

  it('should say that there is no such command', async () => {
    const server = spawned({ command: '/no/such/command' });
    expect(await server.health()).toEqual({
      ok: false,
      text: 'near could not be reached (ENOENT)',
    });
  });
});
