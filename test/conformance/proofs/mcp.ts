import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { JsonObject, Task } from '../../../src/domain/a2a.js';
import { within } from '../../support/wait.js';
import { MCP } from '../support/cells.js';
import { MCP_WAIT_SECONDS } from '../support/deployment.js';
import { messagesOf, MODERN, resultOf, TOOL } from '../support/mcp-wire.js';
import { prove } from '../support/registry.js';
import { asText } from '../support/text.js';
import { isDocument } from '../support/v03.js';
import type { Headers } from '../support/wire.js';
import type { World } from '../support/world.js';

const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

function initialize(protocolVersion: string): JsonObject {
  const clientInfo = { name: 'conformance', version: '1' };
  return { protocolVersion, capabilities: {}, clientInfo };
}

/** What the server says of itself: the answer of the era's first call. */
function begin(world: World): Promise<JsonObject> {
  return world.cell === 'mcp-2025'
    ? world.mcp().rpc('initialize', initialize('2025-11-25'))
    : world.mcp().rpc('server/discover');
}

async function tasksOf(world: World, who = world.me): Promise<readonly Task[]> {
  const { body } = await world.http(who).call<{ tasks: Task[] }>('GET', '/a2a/tasks');
  return body.tasks;
}

prove('MCP-BEGIN', MCP, async (world) => {
  const said = await begin(world);
  const { _meta: meta } = said;
  const info = isDocument(meta) ? meta['io.modelcontextprotocol/serverInfo'] : said['serverInfo'];
  expect(info).toMatchObject({ name: 'nightjar' });
  expect(asText(said['instructions'])).toContain(TOOL);
  if (world.cell === 'mcp-2026') {
    expect(JSON.stringify(said)).toContain(MODERN);
    return;
  }
  for (const version of LEGACY) {
    expect(await world.mcp().rpc('initialize', initialize(version))).toMatchObject({
      protocolVersion: version,
    });
  }
  for (const version of ['1900-01-01', 'not-a-version', '2099-01-01']) {
    const { protocolVersion } = await world.mcp().rpc('initialize', initialize(version));
    expect(LEGACY).toContain(protocolVersion);
  }
});

interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly required: readonly string[];
    readonly properties: Readonly<Record<string, { readonly description: string }>>;
  };
  readonly outputSchema: object;
}

prove('MCP-TOOL', MCP, async (world) => {
  const { tools } = (await world.mcp().rpc('tools/list')) as unknown as {
    tools: readonly ListedTool[];
  };
  const tool = tools.find(({ name }) => name === TOOL);
  expect(tool?.description.length).toBeGreaterThan(40);
  expect(tool?.inputSchema.required).toEqual(['message']);
  expect(Object.keys(tool!.inputSchema.properties).sort()).toEqual(['chat_id', 'message']);
  for (const { description } of Object.values(tool!.inputSchema.properties)) {
    expect(description.length).toBeGreaterThan(20);
  }
  expect(tool?.outputSchema).toBeTypeOf('object');
});

prove('MCP-CALL', MCP, async (world) => {
  const { texts, structured, isError } = await world.mcp().ask('steps');
  expect(isError).toBe(false);
  expect(texts[0]).toBe('seen');
  expect(structured).toEqual({
    content: 'seen',
    chat_id: expect.any(String) as unknown,
    seq_id: 1,
    task_id: expect.any(String) as unknown,
    status: 'completed',
  });
  expect(texts.join('\n')).toContain(asText(structured['chat_id']));
  expect(texts.join('\n')).not.toMatch(/thinking|looking/);
});

prove('MCP-CHAT', MCP, async (world) => {
  const first = await world.mcp().ask('instant');
  const chat = asText(first.structured['chat_id']);
  const second = await world.mcp(world.me, world.site.b).ask('steps', chat);
  expect(second.structured).toMatchObject({ chat_id: chat, seq_id: 2, content: 'seen' });
  const task = await world.wire().get(asText(second.structured['task_id']));
  expect(task).toMatchObject({ contextId: chat, status: { state: 'TASK_STATE_COMPLETED' } });
  expect((await tasksOf(world)).map(({ id }) => id)).toEqual([
    second.structured['task_id'],
    first.structured['task_id'],
  ]);
});

prove('MCP-FOREIGN-CHAT', MCP, async (world) => {
  const first = await world.mcp().ask('ask');
  const chat = asText(first.structured['chat_id']);
  for (const who of [world.colleague, world.stranger]) {
    const mine = await world.mcp(who).ask('instant', chat);
    expect(mine.structured).toMatchObject({ chat_id: chat, seq_id: 1, content: 'done' });
    const joined = await world.mcp(who).ask('continue', chat);
    expect(joined.texts.join()).not.toContain('Which one');
    expect(await tasksOf(world, who)).toHaveLength(1);
  }
  expect((await tasksOf(world))[0]?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
});

prove('MCP-QUESTION', MCP, async (world) => {
  const asked = await world.mcp().ask('ask');
  expect(asked.isError).toBe(false);
  expect(asked.structured).toMatchObject({ status: 'input_required' });
  expect(asked.texts[0]).toContain('Which one?');
  const chat = asText(asked.structured['chat_id']);
  const answered = await world.mcp(world.me, world.site.b).ask('the second', chat);
  expect(answered.structured).toMatchObject({
    status: 'completed',
    content: 'you said the second',
    task_id: asked.structured['task_id'],
  });
});

prove('MCP-FAILED', MCP, async (world) => {
  const failed = await world.mcp().ask('fail');
  expect([failed.isError, failed.texts[0]]).toEqual([
    true,
    expect.stringContaining('the reason for the user') as unknown,
  ]);
  expect(failed.structured).toMatchObject({ status: 'failed' });
  const rejected = await world.mcp().ask('reject');
  expect([rejected.isError, rejected.structured['status']]).toEqual([true, 'rejected']);
  const broken = await world.mcp().ask('throw');
  expect(broken.isError).toBe(true);
  expect(JSON.stringify(broken)).not.toMatch(/internal matter|scripted\.mjs|\bat /);
});

prove('MCP-WRONG-CALL', MCP, async (world) => {
  const mcp = world.mcp();
  const params = { name: 'no_such_tool', arguments: {} };
  expect((await mcp.refusal('tools/call', params)).code).toBe(-32602);
  const [body, headers] = mcp.request('no/such/method');
  const reply = await mcp.post(body, headers);
  expect(messagesOf(reply)[0]).toMatchObject({ id: 1, error: { code: -32601 } });
  for (const args of [
    {},
    { message: 7 },
    { message: '' },
    { message: ' \n' },
    { message: 'x', chat_id: 7 },
  ]) {
    try {
      const { isError, texts } = await mcp.tool(TOOL, args);
      expect([args, isError]).toEqual([args, true]);
      expect(texts[0]).toMatch(/message|chat_id/);
    } catch (error) {
      expect(error).toMatchObject({ name: 'McpError', code: -32602 });
    }
  }
  expect(await tasksOf(world)).toEqual([]);
});

prove('MCP-CONTINUE', MCP, async (world) => {
  const rounds = Math.ceil((MCP_WAIT_SECONDS * 1000 + 2500) / 250);
  const early = await within(
    'the answer of a long call',
    world.patience,
    world.mcp().ask(`deltas count=${rounds} every=250`),
  );
  expect(early.structured).toMatchObject({ status: 'working' });
  const chat = asText(early.structured['chat_id']);
  expect(early.texts[0]).toContain(chat);
  for (const word of ['continue', ' 继续\n']) {
    const late = await world.mcp(world.me, world.site.b).ask(word, chat);
    expect(late.structured).toMatchObject({
      status: 'completed',
      task_id: early.structured['task_id'],
    });
    expect(late.texts[0]).toContain(`1.${rounds} `);
  }
  expect(await tasksOf(world)).toHaveLength(1);
});

prove('MCP-PROGRESS', MCP, async (world) => {
  const mcp = world.mcp();
  for (const progressToken of ['token', 0, undefined]) {
    const _meta: JsonObject = progressToken === undefined ? {} : { progressToken };
    const params = { name: TOOL, arguments: { message: 'steps' }, _meta };
    const [body, headers] = mcp.request('tools/call', params, 'call');
    const reply = await mcp.post(body, headers);
    const messages = messagesOf(reply);
    const { structuredContent } = resultOf(reply, 'call');
    const ids = structuredContent as JsonObject;
    const progress = messages.filter(({ method }) => method === 'notifications/progress');
    if (progressToken === undefined) {
      expect([progress, ids['status']]).toEqual([[], 'completed']);
      continue;
    }
    const told = progress.map(({ params: one }) => one as JsonObject);
    expect(told.map((one) => one['progressToken'])).toEqual(told.map(() => progressToken));
    const counts = told.map((one) => Number(one['progress']));
    expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b));
    expect(told[0]?.['message']).toContain(asText(ids['chat_id']));
    expect(told[0]?.['message']).toContain(asText(ids['task_id']));
    expect(told.map((one) => one['message'])).toContain('looking');
  }
});

prove('MCP-GONE', MCP, async (world) => {
  const gone = new AbortController();
  const mcp = world.mcp();
  const [body, headers] = mcp.request('tools/call', {
    name: TOOL,
    arguments: { message: 'deltas count=60 every=40' },
  });
  const sent = fetch(`${world.site.a}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user-token': world.me.token, ...headers },
    body: JSON.stringify(body),
    signal: gone.signal,
  });
  const response = await sent;
  await response.body?.getReader().read();
  const [task] = await tasksOf(world);
  expect(task?.status.state).toMatch(/SUBMITTED|WORKING/);
  gone.abort();
  const expected = world.cell === 'mcp-2026' ? 'TASK_STATE_CANCELED' : 'TASK_STATE_COMPLETED';
  await world.wire(world.me, world.site.b).reaches(task!.id, expected);
});

prove('MCP-SESSIONLESS', MCP, async (world) => {
  const bases = [world.site.a, world.site.b];
  for (let round = 0; round < 15; round += 1) {
    const mcp = world.mcp(world.me, bases[round % 2]);
    const session = { 'mcp-session-id': `session-${randomUUID()}` };
    const [body, headers] =
      world.cell === 'mcp-2025'
        ? mcp.request('initialize', initialize('2025-11-25'))
        : mcp.request('server/discover');
    const first = await mcp.post(body, headers);
    expect(resultOf(first, 1)).toHaveProperty('capabilities.tools');
    expect(first.headers).not.toHaveProperty('mcp-session-id');
    const other = world.mcp(world.me, bases[(round + 1) % 2]);
    expect((await other.rpc('tools/list', {}, session))['tools']).toBeInstanceOf(Array);
    if (round > 1) continue;
    expect((await other.ask('instant', undefined, session)).texts[0]).toBe('done');
  }
});

prove('MCP-ACCEPT', MCP, async (world) => {
  const call = { name: TOOL, arguments: { message: 'instant' } };
  const [body, headers] = world.mcp().request('tools/call', call);
  const answer = async (accept: string): Promise<[number, string]> => {
    const reply = await world.mcp().post(body, { ...headers, accept });
    if (reply.status === 200) expect(resultOf(reply, 1)).toHaveProperty('content');
    return [reply.status, String(reply.headers['content-type']).split(';')[0]!];
  };
  const stream: [number, string] = [200, 'text/event-stream'];
  const json: [number, string] = [200, 'application/json'];
  // Which of the two depends on how long the answer takes.
  for (const accept of [
    'application/json, text/event-stream',
    '*/*',
    'application/*, text/*',
    'TEXT/Event-Stream, Application/JSON',
  ]) {
    expect([stream, json]).toContainEqual(await answer(accept));
  }
  expect(await answer('text/event-stream')).toEqual(stream);
  expect(await answer('application/json;q=0.5, text/event-stream')).toEqual(stream);
  expect(await answer('application/json')).toEqual(json);
  expect(await answer('application/json, text/event-stream;q=0.5')).toEqual(json);
  expect((await answer('text/html'))[0]).toBe(406);
});

prove('MCP-VERSION', MCP, async (world) => {
  const mcp = world.mcp();
  expect((await mcp.ask('instant')).texts[0]).toBe('done');
  const params = { name: TOOL, arguments: { message: 'instant' } };
  const bad: readonly Headers[] =
    world.cell === 'mcp-2025'
      ? [{ 'mcp-protocol-version': '1900-01-01' }, { 'mcp-protocol-version': 'x' }]
      : [
          { 'mcp-name': 'another_tool' },
          { 'mcp-method': 'tools/list' },
          { 'mcp-protocol-version': '2025-11-25' },
        ];
  for (const headers of bad) {
    const refused = await mcp.refusal('tools/call', params, headers);
    expect([headers, refused.http]).toEqual([headers, 400]);
    if (world.cell === 'mcp-2026') expect([headers, refused.code]).toEqual([headers, -32020]);
  }
  if (world.cell === 'mcp-2025') {
    for (const version of LEGACY.slice(1)) {
      const headers = { 'mcp-protocol-version': version };
      expect(await mcp.rpc('tools/list', {}, headers)).toHaveProperty('tools');
    }
  }
  expect(await tasksOf(world)).toHaveLength(1);
});

prove('MCP-CAPABILITIES', MCP, async (world) => {
  const { capabilities } = await begin(world);
  expect(isDocument(capabilities) && Object.keys(capabilities)).toEqual(['tools']);
  const mcp = world.mcp();
  for (const method of ['resources/list', 'prompts/list', 'sampling/createMessage', 'tasks/list']) {
    expect((await mcp.refusal(method)).code, method).toBe(-32601);
  }
});

prove('MCP-NOTIFICATION', ['mcp-2025'], async (world) => {
  const mcp = world.mcp();
  for (const method of ['notifications/initialized', 'notifications/cancelled']) {
    const params = method.endsWith('cancelled') ? { requestId: 0 } : {};
    const [, headers] = mcp.request(method);
    const reply = await mcp.post({ jsonrpc: '2.0', method, params }, headers);
    expect([reply.status, reply.text]).toEqual([202, '']);
  }
});

prove('MCP-ARGUMENTS-LIMIT', MCP, async (world) => {
  const mcp = world.mcp();
  const message = 'x'.repeat(16 * 1024 - 50);
  expect((await mcp.ask(message)).texts[0]).toContain('echo x');
  const refused = await mcp.refusal('tools/call', {
    name: TOOL,
    arguments: { message: `${message}${'y'.repeat(51)}` },
  });
  expect(refused.http).toBe(413);
});

prove('MCP-LARGE-ANSWER', MCP, async (world) => {
  const { texts, structured } = await world.mcp().ask('big bytes=300000');
  const [answer = ''] = texts;
  expect(answer.length).toBeGreaterThan(1000);
  expect(answer.length).toBeLessThan(100_000);
  expect(answer).toContain(asText(structured['task_id']));
  const task = await world.wire().get(asText(structured['task_id']));
  expect(JSON.stringify(task).length).toBeGreaterThan(300_000);
});
