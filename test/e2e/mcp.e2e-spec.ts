import { join } from 'node:path';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient, type EventStream } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway, LEASE_MS } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';

const ROOT = join(import.meta.dirname, '../..');
const NAME = { name: 'nightjar-test', version: '1.0.0' };
const ann = caller('lab', 'ann');
const bob = caller('lab', 'bob');
const demo = caller('demo-data', 'ann');
const pictures = caller('pictures', 'ann');
const onlyMcp = caller('pictures', 'ann', { scopes: ['mcp'] });
const few = caller('few', 'ann');
const other = caller('few', 'bob');

let redis: RedisServer;
let fleet: Fleet;
let one: Gateway;
let two: Gateway;

beforeAll(async () => {
  redis = await RedisServer.start();
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    config: { mcp: { toolsets: ['assistant', 'tasks'] } },
    tenants: [
      { id: 'lab' },
      {
        id: 'demo-data',
        assistant: { backend: 'builtin' },
        sources: [{ type: 'demo', name: 'demo' }],
        mcp: { toolsets: ['direct', 'list_alerts'] },
      },
      {
        id: 'pictures',
        assistant: { backend: 'builtin' },
        sources: [{ type: 'demo', name: 'demo' }],
        mcp: { toolsets: ['assistant', 'tasks', 'direct', 'chart'] },
      },
      { id: 'few', limits: { streamsPerUser: 4, streamsPerTenant: 6 } },
    ],
    callers: [ann, bob, demo, pictures, onlyMcp, few, other],
  });
  [one, two] = fleet.gateways as [Gateway, Gateway];
});
afterAll(async () => {
  await fleet.stop();
  await redis.stop();
});

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

/** 2025-11-25 over HTTP, to one of the gateways. */
async function http(gateway: Gateway, token: string): Promise<Client> {
  const client = new Client(NAME);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const url = new URL('/mcp', gateway.baseUrl);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  open.push(client);
  return client;
}

const stdioServer = (url: string, token: string): ConstructorParameters<typeof ModernStdio>[0] => ({
  command: process.execPath,
  args: [join(ROOT, 'dist/cli/nightjar.js'), 'mcp-stdio'],
  env: { PATH: process.env['PATH'] ?? '', NIGHTJAR_URL: url, NIGHTJAR_TOKEN: token },
  stderr: 'pipe',
});

/** The same command, driven by the client of either era; `log` gets its standard error. */
const STDIO = {
  '2025-11-25': async (url: string, token: string, log: string[] = []) => {
    const client = new Client(NAME);
    const transport = new StdioClientTransport(stdioServer(url, token));
    transport.stderr?.on('data', (text: Buffer) => log.push(text.toString()));
    await client.connect(transport);
    open.push(client);
    return client;
  },
  '2026-07-28': async (url: string, token: string, log: string[] = []) => {
    const client = new ModernClient(NAME, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const transport = new ModernStdio(stdioServer(url, token));
    transport.stderr?.on('data', (text: Buffer) => log.push(text.toString()));
    await client.connect(transport);
    open.push(client);
    return client;
  },
};

interface Result {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

async function call(
  client: Client | ModernClient,
  name: string,
  args: Record<string, unknown> = {},
  options: { signal?: AbortSignal; onprogress?: (progress: { message?: string }) => void } = {},
): Promise<Result> {
  const request = { name, arguments: args };
  const result =
    client instanceof Client
      ? await client.callTool(request, undefined, options as never)
      : await client.callTool(request, options as never);
  return result as unknown as Result;
}

const stateOf = ({ structuredContent }: Result): string =>
  (structuredContent['status'] as { state: string }).state;

describe('pictures', () => {
  const QUESTION = 'cpu of 10.0.0.5 over the last 6 hours';

  function imagesOf({ content }: Awaited<ReturnType<typeof call>>): readonly string[] {
    const blocks = content as unknown as { type: string; mimeType?: string; data?: string }[];
    return blocks
      .filter(({ type, mimeType }) => type === 'image' && mimeType === 'image/png')
      .map(({ data = '' }) => Buffer.from(data, 'base64').subarray(1, 4).toString());
  }

  it('should be image content beside the answer, by whatever tool', async () => {
    const client = await http(one, pictures.token);
    const answered = await call(client, 'n9e_assistant', { message: QUESTION });
    expect(answered.content[0]!.text).toMatch(/CPU usage of 10\.0\.0\.5: [\d.]+ %/);
    expect(imagesOf(answered)).toEqual(['PNG']);
    expect(imagesOf(await call(client, 'ask', { message: QUESTION }))).toEqual(['PNG']);
    const expr = 'node_load1';
    const drawn = await call(client, 'chart', { expr });
    expect(imagesOf(drawn)).toEqual(['PNG']);
    expect(drawn.structuredContent).toMatchObject({ drawn: 4, picture: 'chart.png' });
    const args = { tool: 'chart', arguments: { expr } };
    expect(imagesOf(await call(client, 'invoke', args))).toEqual(['PNG']);
    const none = await call(client, 'n9e_assistant', { message: 'what is firing?' });
    expect(imagesOf(none)).toEqual([]);
  });

  it('should come with links to the files that are no pictures, for whom they open', async () => {
    const client = await http(one, pictures.token);
    const message = 'plot node_load1 over the last 6 hours';
    for (const tool of ['n9e_assistant', 'ask']) {
      const { content } = await call(client, tool, { message });
      const links = (content as unknown as Record<string, string>[]).filter(
        ({ type }) => type === 'resource_link',
      );
      expect(links.map(({ name, mimeType }) => [name, mimeType])).toEqual([
        ['chart.svg', 'image/svg+xml'],
        ['chart.csv', 'text/csv'],
      ]);
      const { uri = '', size } = links[1]!;
      const file = await fetch(uri, { headers: { authorization: `Bearer ${pictures.token}` } });
      const csv = await file.text();
      expect(csv).toMatch(/^time,"node_load1\{/);
      expect(csv.length).toBe(size);
      expect((await fetch(uri)).status).toBe(401);
    }
    const barred = await call(await http(two, onlyMcp.token), 'n9e_assistant', { message });
    expect(JSON.stringify(barred.content)).not.toContain('resource_link');
    expect(barred.content.at(-1)!.text).toMatch(/Files beside this answer: chart.svg, chart.csv/);
  });

  it('should not have the log warned of a leak of listeners', () => {
    for (const gateway of [one, two]) expect(gateway.logs).not.toContain('MaxListeners');
  });

  it('should be file parts over A2A, beside their numbers and the evidence', async () => {
    const client = new A2aClient(two.baseUrl, pictures.token);
    const { artifacts = [] } = await client.send(QUESTION);
    const parts = artifacts.find(({ name }) => name === 'chart')?.parts ?? [];
    expect(parts.map(({ filename, mediaType }) => [filename, mediaType])).toEqual([
      ['chart.png', 'image/png'],
      ['chart.svg', 'image/svg+xml'],
      [undefined, undefined],
    ]);
    expect(
      Buffer.from(parts[0]?.raw ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect(parts[2]?.data).toMatchObject({ kind: 'nightjar.chart/1', unit: 'percent' });
    const result = artifacts.find(({ name }) => name === 'result')?.parts[0]?.data;
    expect(result).toMatchObject({
      evidence: [{ tool: 'query_metrics' }, { tool: 'chart', outcome: 'success' }],
    });
    const texts = await client.send(QUESTION, { configuration: { acceptedOutputModes: ['text'] } });
    expect(texts.artifacts?.map(({ name }) => name)).not.toContain('chart');
  });
});

describe('the toolset tasks', () => {
  it('should ask, get, list and cancel tasks, from either instance', async () => {
    const [here, there] = [await http(one, ann.token), await http(two, ann.token)];
    const done = await call(here, 'ask', { message: 'instant' });
    expect(stateOf(done)).toBe('TASK_STATE_COMPLETED');
    expect(JSON.parse(done.content[0]!.text)).toEqual(done.structuredContent);
    const { id, contextId } = done.structuredContent as { id: string; contextId: string };
    const over = await new A2aClient(two.baseUrl, ann.token).get(id);
    expect(done.structuredContent).toMatchObject({ id, contextId, status: over.status });
    expect((await call(there, 'get_task', { task_id: id })).structuredContent).toMatchObject({
      id,
    });

    const started = await call(here, 'ask', {
      message: 'hang',
      context_id: contextId,
      wait: false,
    });
    const running = started.structuredContent['id'];
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(stateOf(started));
    const busy = await call(there, 'ask', { message: 'instant', context_id: contextId });
    expect([busy.isError, busy.content[0]!.text]).toEqual([
      true,
      expect.stringMatching(/list_tasks/),
    ]);
    const listed = await call(there, 'list_tasks', { context_id: contextId });
    expect(listed.structuredContent).toMatchObject({
      tasks: [{ id: running }, { id }],
      total_size: 2,
      next_page_token: '',
    });
    const ended = await call(there, 'cancel_task', { task_id: running });
    expect([stateOf(ended), ended.isError ?? false]).toEqual(['TASK_STATE_CANCELED', false]);
    const again = await call(there, 'cancel_task', { task_id: id });
    expect(again.isError).toBe(true);
  });

  it('should treat the task of another like one that does not exist', async () => {
    const mine = await call(await http(one, ann.token), 'ask', { message: 'instant' });
    const his = await http(two, bob.token);
    const task_id = mine.structuredContent['id'];
    const foreign = await call(his, 'get_task', { task_id });
    const missing = await call(his, 'get_task', { task_id: 'no-such-task' });
    expect([foreign.isError, foreign.content]).toEqual([true, missing.content]);
    expect((await call(his, 'cancel_task', { task_id })).isError).toBe(true);
    const list = await call(his, 'list_tasks');
    expect(JSON.stringify(list)).not.toContain(task_id as string);
  });

  it('should answer a failed task as an error, with the task', async () => {
    const failed = await call(await http(one, ann.token), 'ask', { message: 'fail out of luck' });
    expect([failed.isError, stateOf(failed)]).toEqual([true, 'TASK_STATE_FAILED']);
  });
});

describe('the toolset direct, and a read tool by itself', () => {
  it('should name the tools that this tenant was given, and no other', async () => {
    const names = async (token: string): Promise<string[]> =>
      (await (await http(one, token)).listTools()).tools.map(({ name }) => name);
    expect(await names(demo.token)).toEqual(['inspect', 'tools', 'invoke', 'list_alerts']);
    expect(await names(ann.token)).toEqual([
      'n9e_assistant',
      ...['ask', 'get_task', 'cancel_task', 'list_tasks'],
    ]);
  });

  it('should inspect, list and invoke', async () => {
    const client = await http(one, demo.token);
    const shown = await call(client, 'inspect');
    expect(shown.structuredContent).toMatchObject({
      version: expect.stringMatching(/^\d/) as string,
      tenant: 'demo-data',
      user: 'ann',
      backend: 'builtin',
      protocols: { a2a: ['1.0', '0.3'] },
      sources: [{ name: 'demo', type: 'demo', ok: true }],
      limits: { streamsPerUser: 64 },
    });
    const { tools } = (await call(client, 'tools')).structuredContent as {
      tools: { name: string; inputSchema: object; readOnly: boolean }[];
    };
    expect(tools.length).toBeGreaterThan(5);
    expect(tools.every(({ readOnly }) => readOnly)).toBe(true);
    const invoked = await call(client, 'invoke', {
      tool: 'list_alerts',
      arguments: { severity: ['critical'] },
    });
    expect(invoked.structuredContent).toMatchObject({ tool: 'list_alerts', success: true });
    const output = JSON.parse(invoked.structuredContent['output'] as string) as { total: number };
    const alone = await call(client, 'list_alerts', { severity: ['critical'] });
    expect(alone.structuredContent['total']).toBe(output.total);
    expect(output.total).toBeGreaterThan(0);
  });

  it('should refuse what is no tool and no argument in words', async () => {
    const client = await http(one, demo.token);
    const unknown = await call(client, 'invoke', { tool: 'drop_tables' });
    expect([unknown.isError, unknown.structuredContent['success']]).toEqual([true, false]);
    const wrong = await call(client, 'invoke', { tool: 'list_alerts', arguments: { limit: 0 } });
    expect([wrong.isError, wrong.content[0]!.text]).toEqual([true, expect.stringMatching(/limit/)]);
    expect((await call(client, 'list_alerts', { limit: 0 })).isError).toBe(true);
    await expect(call(client, 'n9e_assistant', { message: 'hi' })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe('notifications/cancelled of the 2025 era', () => {
  const cancelled = (gateway: Gateway, token: string, requestId: number): Promise<Response> =>
    fetch(new URL('/mcp', gateway.baseUrl), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId },
      }),
    });

  it('should end the run of that request, told to another instance', async () => {
    const client = await http(one, ann.token);
    let task = '';
    const stop = new AbortController();
    const waiting = call(
      client,
      'n9e_assistant',
      { message: 'hang' },
      {
        signal: stop.signal,
        onprogress: ({ message = '' }) => {
          task ||= /task_id ([\w-]+)/.exec(message)?.[1] ?? '';
        },
      },
    ).catch(() => undefined);
    await eventually('the call runs', () => task !== '');
    // What the client would send to its own gateway. Its ids count from 0: initialize was that.
    expect((await cancelled(two, bob.token, 1)).status).toBe(202);
    const mine = new A2aClient(two.baseUrl, ann.token);
    expect(await mine.state(task)).toBe('TASK_STATE_WORKING');
    expect((await cancelled(two, ann.token, 1)).status).toBe(202);
    expect(await mine.state(task)).toBe('TASK_STATE_CANCELED');
    await waiting;
    stop.abort();
  });

  it('should end none when two requests of that user have the id', async () => {
    const tasks: string[] = [];
    const noteTask = ({ message = '' }: { message?: string }): void => {
      const id = /task_id ([\w-]+)/.exec(message)?.[1];
      if (id !== undefined) tasks.push(id);
    };
    const clients = [await http(one, ann.token), await http(two, ann.token)];
    const waiting = clients.map((client) =>
      call(client, 'n9e_assistant', { message: 'hang' }, { onprogress: noteTask }),
    );
    await eventually('both run', () => tasks.length === 2);
    await cancelled(one, ann.token, 1);
    const mine = new A2aClient(one.baseUrl, ann.token);
    for (const id of tasks) expect(await mine.state(id)).toBe('TASK_STATE_WORKING');
    for (const id of tasks) await mine.cancel(id);
    await Promise.all(waiting);
  });
});

describe.each(Object.entries(STDIO))('nightjar mcp-stdio, by a client of %s', (_era, connect) => {
  it('should offer what the gateway offers, and answer with progress', async () => {
    const client = await connect(one.baseUrl, ann.token);
    const there = await (await http(one, ann.token)).listTools();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(
      there.tools.map(({ name }) => name),
    );
    const told: string[] = [];
    const answer = await call(
      client,
      'n9e_assistant',
      // Long enough: a client's SDK drops a progress that is read together with the result.
      { message: 'deltas count=40 every=50' },
      {
        onprogress: ({ message = '' }) => told.push(message),
      },
    );
    expect(answer.structuredContent).toMatchObject({ status: 'completed' });
    expect(told[0]).toContain('task_id');
    await expect(call(client, 'no_such_tool')).rejects.toMatchObject({ code: -32602 });
  });

  it('should cancel the run of a call that its client cancels', async () => {
    const client = await connect(one.baseUrl, ann.token);
    const stop = new AbortController();
    let task = '';
    const waiting = call(
      client,
      'n9e_assistant',
      { message: 'hang' },
      {
        signal: stop.signal,
        onprogress: ({ message = '' }) => {
          task ||= /task_id ([\w-]+)/.exec(message)?.[1] ?? '';
        },
      },
    ).catch((error: unknown) => error);
    await eventually('the call runs', () => task !== '');
    stop.abort();
    await waiting;
    const mine = new A2aClient(two.baseUrl, ann.token);
    await eventually(
      'it is canceled',
      async () => (await mine.state(task)) === 'TASK_STATE_CANCELED',
    );
  });
});

describe('nightjar mcp-stdio', () => {
  it('should tell a wrong token and a gateway that is not there, to the client and its log', async () => {
    const connect = STDIO['2025-11-25'];
    const log: string[] = [];
    const wrong = connect(one.baseUrl, `${ann.token}x`, log);
    await expect(wrong).rejects.toThrow('The token is not valid');
    await eventually('it is logged', () => log.join('').includes('The token is not valid'));
    const nowhere = connect('http://127.0.0.1:9', ann.token, log);
    await expect(nowhere).rejects.toThrow('the gateway at http://127.0.0.1:9: ');
    await eventually('it is logged', () =>
      log.join('').includes('gateway at http://127.0.0.1:9: '),
    );
  });
});

describe('nightjar mcp-stdio without a gateway', () => {
  it('should start one of its own, with demo data, and end it', async () => {
    const client = new Client(NAME);
    const server = stdioServer('', '');
    const transport = new StdioClientTransport(server);
    await client.connect(transport, { timeout: 60_000 });
    const answer = await call(client, 'n9e_assistant', { message: 'what is firing?' });
    expect(answer.structuredContent).toMatchObject({ status: 'completed' });
    await client.close();
  });
});

describe('the open streams of all instances', () => {
  const streamOn = (gateway: Gateway, token: string): Promise<EventStream> =>
    new A2aClient(gateway.baseUrl, token).stream('hang');

  it('should be limited together, MCP among them, and vanish with a dead instance', async () => {
    const third = await fleet.add();
    const held = [
      await streamOn(third, few.token),
      await streamOn(third, few.token),
      await streamOn(one, few.token),
    ];
    const client = await http(one, few.token);
    const waiting = call(client, 'n9e_assistant', { message: 'hang' });
    waiting.catch(() => undefined);
    const tasks = new A2aClient(one.baseUrl, few.token);
    await eventually('four run', async () => (await tasks.list()).totalSize === 4);

    await expect(streamOn(two, few.token)).rejects.toThrow(/429|Too many open streams/);
    const refused = await call(await http(two, few.token), 'n9e_assistant', { message: 'hang' });
    expect([refused.isError, refused.content[0]!.text]).toEqual([
      true,
      expect.stringMatching(/Too many open streams of this user.*Try again/),
    ]);
    held.push(await streamOn(two, other.token), await streamOn(one, other.token));
    await expect(streamOn(two, other.token)).rejects.toThrow(/429|in this tenant/);
    expect((await tasks.list()).totalSize).toBe(4);

    // One that ends makes room at once.
    held[2]!.disconnect();
    await eventually('there is room', async () => {
      try {
        held.push(await streamOn(two, few.token));
        return true;
      } catch {
        return false;
      }
    });

    await third.kill9();
    const killed = Date.now();
    await eventually(
      'the dead instance’s streams count no more',
      async () => {
        try {
          held.push(await streamOn(two, few.token));
          return true;
        } catch {
          return false;
        }
      },
      LEASE_MS + 8000,
      50,
    );
    expect(Date.now() - killed).toBeLessThan(LEASE_MS + 2000);
    held.forEach((stream) => {
      stream.disconnect();
    });
  });
});
