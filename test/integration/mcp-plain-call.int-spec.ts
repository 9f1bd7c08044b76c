import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Part, Task } from '../../src/domain/a2a.js';
import { DomainError } from '../../src/domain/errors.js';
import { fileUrl } from '../../src/domain/file-ref.js';
import { McpEndpoint } from '../../src/protocols/mcp/mcp-endpoint.js';
import { FakeTasks, type Script } from './mcp-fake-tasks.js';
import { type McpApp, mcpConfig, startMcpApp } from './mcp-harness.js';
import { call2026, post } from './mcp-wire.js';

/** What a message makes the assistant do. */
const SCRIPTS: Readonly<Record<string, Script>> = {
  fine: (run) => {
    run.thought('a thought');
    run.step('a step');
    run.content('fine – 很好 "\\\n\u2028 <b>');
    run.status('TASK_STATE_COMPLETED');
  },
  silent: (run) => {
    run.status('TASK_STATE_COMPLETED');
  },
  failed: (run) => {
    run.content('half of');
    run.status('TASK_STATE_FAILED', 'The model is away');
  },
  rejected: (run) => {
    run.status('TASK_STATE_REJECTED', 'No');
  },
  question: (run) => {
    run.status('TASK_STATE_INPUT_REQUIRED', 'Which one?');
  },
  login: (run) => {
    run.status('TASK_STATE_AUTH_REQUIRED');
  },
  long: (run) => {
    run.content('word '.repeat(20_000));
    run.status('TASK_STATE_COMPLETED');
  },
  file: (run) => {
    const { id: taskId, contextId } = run.task;
    const table: Part = {
      mediaType: 'text/csv',
      filename: 'a.csv',
      url: fileUrl({ name: 'a', bytes: 3, mediaType: 'text/csv' }),
    };
    const artifact = { artifactId: '1-chart', parts: [table] };
    run.emit({ artifactUpdate: { taskId, contextId, artifact } });
    run.status('TASK_STATE_COMPLETED');
  },
  picture: (run) => {
    const { id: taskId, contextId } = run.task;
    const picture = { raw: 'aGk=', mediaType: 'image/png', filename: 'a.png' };
    const artifact = { artifactId: '1-chart', parts: [picture] };
    run.emit({ artifactUpdate: { taskId, contextId, artifact } });
    run.status('TASK_STATE_COMPLETED');
  },
};

interface Row {
  readonly about: string;
  readonly tool?: string;
  readonly args?: object | null;
  readonly id?: string | number;
  readonly meta?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly refuse?: DomainError;
  /** The SDK answers it however it is sent. */
  readonly sdk?: true;
}

const ROWS: readonly Row[] = [
  ...Object.keys(SCRIPTS).map((message) => ({ about: message, args: { message } })),
  ...['json', 'event-stream', '*'].map((accept) => ({
    about: `an Accept with ${accept}`,
    args: { message: 'fine' },
    headers: { accept: accept === 'event-stream' ? 'text/event-stream' : `application/${accept}` },
  })),
  ...['', 'a"\n', 'x'.repeat(200), 0, -3].map((id) => ({
    ...{ about: `the id ${JSON.stringify(id).slice(0, 20)}`, id, args: { message: 'fine' } },
  })),
  ...['p', '', 5].map((progressToken) => ({
    about: `progress under ${JSON.stringify(progressToken)}`,
    args: { message: 'fine' },
    meta: { progressToken },
  })),
  {
    about: 'no progress for JSON alone',
    args: { message: 'fine' },
    meta: { progressToken: 1 },
    headers: { accept: 'application/json' },
  },
  { about: 'other _meta', args: { message: 'fine' }, meta: { traceparent: 'x', a: [1] } },
  { about: 'arguments that no tool has', args: { message: 'fine', more: 1, constructor: 2 } },
  { about: 'a chat_id', args: { message: 'fine', chat_id: 'somewhere' } },
  { about: 'a blank message', args: { message: ' ' } },
  { about: 'a chat_id that is too long', args: { message: 'x', chat_id: 'c'.repeat(500) } },
  { about: 'a quota', args: { message: 'x' }, refuse: new DomainError('QUOTA', 'Too many。') },
  { about: 'a busy chat', args: { message: 'x' }, refuse: new DomainError('CONTEXT_BUSY', 'Busy') },
  { about: 'an outage', args: { message: 'x' }, refuse: new DomainError('UNAVAILABLE', 'Later') },
  { about: 'another media type of JSON', args: { message: 'fine' }, headers: charset('utf-8') },
  { about: 'ask', tool: 'ask', args: { message: 'fine', wait: true } },
  { about: 'ask without waiting', tool: 'ask', args: { message: 'silent', wait: false } },
  { about: 'a task that is not there', tool: 'get_task', args: { task_id: 'none' } },
  { about: 'cancel of none', tool: 'cancel_task', args: { task_id: 'none' } },
  { about: 'a list', tool: 'list_tasks', args: { context_id: 'nowhere' } },
  { about: 'a list without arguments', tool: 'list_tasks' },
  { about: 'inspect', tool: 'inspect', args: {} },
  { about: 'tools', tool: 'tools' },
  { about: 'invoke of none', tool: 'invoke', args: { tool: 'none', arguments: { a: 1 } } },
  { about: 'no message', args: {}, sdk: true },
  { about: 'a message that is none', args: { message: 1 }, sdk: true },
  { about: 'arguments null', args: null, sdk: true },
  { about: 'a page of nothing', tool: 'list_tasks', args: { page_size: 0 }, sdk: true },
  {
    about: 'an argument that it does not know',
    tool: 'list_tasks',
    args: { limit: -5 },
    sdk: true,
  },
  { about: 'an unknown tool', tool: 'none', args: {}, sdk: true },
  { about: 'a tool called like a method', tool: 'constructor', args: {}, sdk: true },
  { about: 'a progress token that is none', args: {}, meta: { progressToken: 1.5 }, sdk: true },
  {
    about: 'another JSON type',
    args: {},
    headers: { 'content-type': 'application/a2a+json' },
    sdk: true,
  },
];

function charset(name: string): Readonly<Record<string, string>> {
  return { 'content-type': `application/json; charset=${name}` };
}

const LEGACY_VERSIONS = ['', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

let app: McpApp;
let tasks: FakeTasks;
const serve = vi.spyOn(McpEndpoint.prototype, 'serve');

beforeAll(async () => {
  tasks = new FakeTasks((run, message) => SCRIPTS[message]?.(run, message));
  const tenants = mcpConfig().tenants.map((tenant) => ({
    ...tenant,
    toolsets: ['assistant', 'tasks', 'direct'] as const,
  }));
  app = await startMcpApp(tasks, { tenants });
});
afterAll(() => app.close());
afterEach(() => {
  serve.mockClear();
});

interface Message {
  readonly jsonrpc: string;
  readonly id: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> & { readonly _meta?: object };
}

interface Answer {
  readonly status: number;
  readonly messages: readonly string[];
  readonly origins: readonly (string | undefined)[];
  readonly bySdk: boolean;
}

/** Ids and times are another each time. */
function steady(json: string): string {
  return json
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/request [\w-]+\)/g, 'request ID)');
}

async function send(
  body: object,
  headers: Readonly<Record<string, string>>,
  refuse?: DomainError,
): Promise<Answer> {
  tasks.runs.clear();
  tasks.refuse = refuse;
  serve.mockClear();
  const response = await post(app.url, body, { headers });
  const text = await response.text();
  // Not by a regular expression: its lines end at U+2028 too.
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  const data = lines.map((line) => line.slice('data: '.length));
  return {
    status: response.status,
    messages: (data.length > 0 ? data : [text]).map(steady),
    origins: [...tasks.runs.values()].map(({ submission }) => submission.origin),
    bySdk: serve.mock.calls.length > 0,
  };
}

/** A key that this knows nothing of leaves the whole call to the SDK, which does not mind it. */
function forSdk({ params, ...rest }: Message): Message {
  return { ...rest, params: { ...params, unknownToAll: true } };
}

function legacy({ tool = 'n9e_assistant', args, id = 7, meta }: Row): Message {
  const params = {
    name: tool,
    ...(args === undefined ? {} : { arguments: args }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

function modern(row: Row): Message {
  const plain = legacy(row);
  const { params } = call2026({}).body as { params: { _meta: object } };
  return { ...plain, params: { ...plain.params, _meta: { ...row.meta, ...params._meta } } };
}

describe.each(['2025', '2026'])('a plain call of %s', (era) => {
  const headersOf = (row: Row): Readonly<Record<string, string>> =>
    era === '2025'
      ? { ...row.headers }
      : { ...call2026({}).headers, 'mcp-name': row.tool ?? 'n9e_assistant', ...row.headers };

  it.each(ROWS)('should be answered as by the SDK: $about', async (row) => {
    const body = era === '2025' ? legacy(row) : modern(row);
    const ours = await send(body, headersOf(row), row.refuse);
    const theirs = await send(forSdk(body), headersOf(row), row.refuse);
    expect([ours.bySdk, theirs.bySdk]).toEqual([row.sdk === true, true]);
    expect({ ...ours, bySdk: true }).toEqual(theirs);
  });
});

describe('what a plain call is', () => {
  const row = { about: 'fine', args: { message: 'fine' } };

  it.each(LEGACY_VERSIONS)('should be every version of the older era: %j', async (version) => {
    const headers = version === '' ? {} : { 'mcp-protocol-version': version };
    expect(await send(legacy(row), headers)).toMatchObject({ status: 200, bySdk: false });
  });

  it.each([
    ['an unknown version', legacy(row), { 'mcp-protocol-version': '1999-01-01' }],
    ['a new version without an envelope', legacy(row), { 'mcp-protocol-version': '2026-07-28' }],
    ['an envelope without headers', modern(row), {}],
    ['an envelope and an old version', modern(row), { 'mcp-protocol-version': '2025-11-25' }],
    ['another name', modern(row), { ...call2026({}).headers, 'mcp-name': 'other' }],
    ['another method', modern(row), { ...call2026({}).headers, 'mcp-method': 'tools/list' }],
    ['no id', { jsonrpc: '2.0', method: 'tools/call', params: {} }, {}],
    ['an id that is a fraction', { ...legacy(row), id: 1.5 }, {}],
    ['a batch', [legacy(row)], {}],
    ['another JSON-RPC', { ...legacy(row), jsonrpc: '1.0' }, {}],
    ['a field beside the params', { ...legacy(row), more: 1 }, {}],
  ] as const)('should not be one with %s', async (_about, body, headers) => {
    expect((await send(body, headers)).bySdk).toBe(true);
  });

  it('should not be an envelope that the SDK refuses', async () => {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': 'none' };
    const plain = modern(row);
    const params = { ...plain.params, _meta: { ...plain.params._meta, ...meta } };
    const answer = await send({ ...plain, params }, call2026({}).headers);
    expect(answer).toMatchObject({ status: 400, bySdk: true });
  });
});

describe('a fault of ours in a plain call', () => {
  const settled = (change: (task: Task) => Task): void => {
    const real = tasks.waitSettled.bind(tasks);
    vi.spyOn(tasks, 'waitSettled').mockImplementationOnce(async (...args) =>
      change(await real(...args)),
    );
  };

  it('should not let out a result that its schema forbids', async () => {
    settled((task) => ({ ...task, metadata: { 'n9e.seq_id': -1 } }));
    const { messages } = await send(legacy({ about: '', args: { message: 'fine' } }), {});
    expect(JSON.parse(messages[0]!)).toMatchObject({
      result: { content: [{ text: 'Internal error (request ID).' }], isError: true },
    });
  });

  it('should be an error of JSON-RPC once the stream is open, and of HTTP before', async () => {
    const raw = {
      length: 1,
      toJSON: () => {
        throw new Error('redis://:pw@10.0.0.1');
      },
    } as unknown as string;
    const part = { raw, mediaType: 'image/png' };
    const broken = (task: Task): Task => ({
      ...task,
      artifacts: [{ artifactId: '1-chart', parts: [part] }],
    });
    settled(broken);
    const before = await send(legacy({ about: '', args: { message: 'fine' } }), {});
    expect(before.status).toBe(500);
    settled(broken);
    const meta = { progressToken: 1 };
    const { status, messages } = await send(
      legacy({ about: '', args: { message: 'fine' }, meta }),
      {},
    );
    expect(status).toBe(200);
    expect(JSON.parse(messages.at(-1)!)).toEqual({
      ...{ jsonrpc: '2.0', id: 7 },
      error: { code: -32603, message: 'Internal error' },
    });
    expect([...before.messages, ...messages].join()).not.toContain('pw@');
  });
});
