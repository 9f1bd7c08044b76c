import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { expect } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/a2a.js';
import type { Reply } from '../../support/a2a-client.js';
import { A2A, A2A_1_0, type A2aCell, isA2a, isMcp, JSON_RPC, MCP } from '../support/cells.js';
import { OPERATIONS } from '../support/operations.js';
import { Refused } from '../support/refused.js';
import { prove } from '../support/registry.js';
import { type Headers, restResult, rpcResult, RPC_PATH, sendParams } from '../support/wire.js';
import { asText } from '../support/text.js';
import { NAMED, SMALL, type World } from '../support/world.js';

type RpcCell = Exclude<A2aCell, 'rest-1.0'>;

/** A harmless request that works, in the cell's protocol. */
function harmless(world: World): {
  method: string;
  path: string;
  body?: JsonObject;
  headers: Headers;
} {
  const { cell } = world;
  if (isMcp(cell)) {
    const [body, headers] = world.mcp().request('tools/list');
    return { method: 'POST', path: '/mcp', body, headers };
  }
  if (cell === 'card-1.0') {
    return {
      method: 'GET',
      path: '/.well-known/agent-card.json',
      headers: { 'a2a-version': '1.0' },
    };
  }
  return { ...world.wire().request('SendMessage', sendParams('instant')), headers: {} };
}

/** Sends it with other headers, as whoever. */
function ask(
  world: World,
  headers: Headers,
  { token = world.me.token, base = world.site.a }: { token?: string | null; base?: string } = {},
): Promise<Reply> {
  const { method, path, body, headers: needed } = harmless(world);
  const who = token === null ? null : { ...world.me, token };
  return world.http(who, base).call(method, path, body, { ...needed, ...headers });
}

function expectWorks(world: World, reply: Reply): void {
  expect(reply.status, reply.text).toBe(200);
  const whole = isMcp(world.cell)
    ? /"tools":\[/
    : world.cell === 'card-1.0'
      ? /"supportedInterfaces":/
      : /"text":"done"/;
  expect(reply.text).toMatch(whole);
}

/** An error in the shape of the cell's protocol. */
function errorOf(world: World, reply: Reply): JsonObject {
  const { cell } = world;
  const rest = cell === 'rest-1.0' || cell === 'card-1.0' || cell === 'http';
  try {
    if (rest) restResult(reply);
    else rpcResult(reply, reply.body['id'] ?? null);
  } catch (error) {
    if (error instanceof Refused) return error.error;
    throw error;
  }
  throw new Error(`no error: ${reply.text}`);
}

prove('AUTH-TOKEN', [...A2A, ...MCP], async (world) => {
  const { token } = world.me;
  expectWorks(world, await ask(world, {}));
  expectWorks(world, await ask(world, { authorization: `Bearer ${token}` }, { token: null }));
  expectWorks(world, await ask(world, { authorization: `bearer ${token}` }));
  const wrong = `${token.slice(0, -3)}AAA`;
  for (const [headers, sent] of [
    [{}, null],
    [{}, wrong],
    [{ authorization: `Bearer ${wrong}` }, null],
    [{ authorization: `Bearer ${wrong}` }, token],
    [{ authorization: `Basic ${Buffer.from(`me:${token}`).toString('base64')}` }, null],
  ] as const) {
    const reply = await ask(world, headers, { token: sent });
    expect(reply.status).toBe(401);
    expect(reply.headers['www-authenticate']).toMatch(/^Bearer/);
    expect(errorOf(world, reply)['message']).toMatch(/token/i);
    expect(reply.text).not.toContain(wrong);
  }
});

prove('AUTH-EVERYWHERE', ['http'], async (world) => {
  const nobody = world.http(null);
  const id = randomUUID();
  for (const [method, path] of [
    ['POST', '/a2a'],
    ['POST', '/a2a/v1'],
    ['POST', '/a2a/v03'],
    ['POST', '/a2a/message:send'],
    ['POST', '/a2a/message:stream'],
    ['POST', '/a2a/acme/message:send'],
    ['GET', '/a2a/tasks'],
    ['GET', `/a2a/tasks/${id}`],
    ['DELETE', `/a2a/tasks/${id}`],
    ['POST', `/a2a/tasks/${id}:cancel`],
    ['GET', `/a2a/tasks/${id}:subscribe`],
    ['GET', `/a2a/tasks/${id}/artifacts/a.png`],
    ['GET', `/a2a/tasks/${id}/pushNotificationConfigs`],
    ['POST', `/a2a/tasks/${id}/pushNotificationConfigs`],
    ['GET', '/a2a/extendedAgentCard'],
    ['GET', '/a2a/contexts'],
    ['GET', `/a2a/contexts/${id}`],
    ['DELETE', `/a2a/contexts/${id}`],
    ['POST', '/mcp'],
    ['GET', '/mcp'],
  ] as const) {
    const reply = await nobody.call(method, path, method === 'POST' ? {} : undefined);
    expect(reply.status, `${method} ${path}`).toBe(401);
    expect(reply.headers['www-authenticate']).toMatch(/^Bearer/);
  }
});

prove('HOST-ORIGIN', [...A2A, ...MCP, 'card-1.0'], async (world) => {
  expectWorks(world, await ask(world, {}));
  const own = await ask(world, { origin: world.site.a });
  expectWorks(world, own);
  expect(own.headers['access-control-allow-origin']).toBe(world.site.a);
  expect(own.headers).not.toHaveProperty('access-control-allow-credentials');
  for (const headers of [
    { host: 'evil.example' },
    { host: 'evil.example', origin: 'http://evil.example' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: world.site.a.replace(/:\d+$/, ':1') },
    { origin: `${world.site.a}.evil.example` },
  ]) {
    for (const token of [world.me.token, null]) {
      const reply = await ask(world, headers, { token });
      expect(reply.status, JSON.stringify(headers)).toBe(403);
      expect(errorOf(world, reply)['message']).toMatch(/Host|Origin/);
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
    }
  }
  const { token } = world.me;
  const named = { [NAMED.headerName.toLowerCase()]: token };
  const { hostname } = new URL(NAMED.publicUrl);
  const there = { base: world.site.named, token: null };
  expectWorks(world, await ask(world, { ...named, host: hostname }, there));
  expect((await ask(world, { ...named, host: `x${hostname}` }, there)).status).toBe(403);
  const plain = { ...named, host: hostname, origin: `http://${hostname}` };
  expect((await ask(world, plain, there)).status).toBe(403);
});

/** The harmless request with a version in the header, or in the query. */
function versioned(world: World, header: string | undefined, query = ''): Promise<Reply> {
  const { method, path, body } = world.wire().request('SendMessage', sendParams('instant'));
  const headers: Record<string, string> = header === undefined ? {} : { 'a2a-version': header };
  return world.http().call(method, `${path}${query}`, body, headers);
}

prove('VERSION-MATCH', A2A, async (world) => {
  const own = world.cell === 'jsonrpc-0.3' ? '0.3' : '1.0';
  for (const header of [undefined, '', own, `${own}.0`, `${own}.17`, `${own}, ${own}`]) {
    expectWorks(world, await versioned(world, header));
  }
  expectWorks(world, await versioned(world, undefined, `?A2A-Version=${own}`));
});

prove('VERSION-OTHER', A2A, async (world) => {
  const wire = world.wire();
  const { id } = await wire.send('instant');
  const other = world.cell === 'jsonrpc-0.3' ? '2.0' : '0.3';
  for (const version of [other, '99.0', '0.1', 'x', '1']) {
    const error = errorOf(world, await versioned(world, version));
    expect(JSON.stringify(error)).toContain('VERSION_NOT_SUPPORTED');
  }
  expect(
    JSON.stringify(errorOf(world, await versioned(world, undefined, `?A2A-Version=${other}`))),
  ).toContain('VERSION_NOT_SUPPORTED');
  for (const operation of OPERATIONS) {
    if (operation === 'ListTasks' && world.cell === 'jsonrpc-0.3') continue;
    const params = operation.startsWith('Send')
      ? sendParams('instant')
      : operation.includes('Push')
        ? { taskId: id, id: 'x', url: 'https://example.org/' }
        : operation === 'ListTasks' || operation === 'GetExtendedAgentCard'
          ? {}
          : { id };
    const refused = await wire.refusal(operation, params, { 'a2a-version': '99.0' });
    refused.expect('VERSION_NOT_SUPPORTED');
  }
});

prove('VERSION-CHOOSES', ['jsonrpc-1.0'], async (world) => {
  const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: sendParams('instant') };
  const with10 = await world.http().call('POST', '/a2a', body, { 'a2a-version': '1.0' });
  expectWorks(world, with10);
  const without = errorOf(world, await world.http().call('POST', '/a2a', body));
  expect(without).toMatchObject({ code: -32601 });
  expect(without['message']).toMatch(/A2A-Version[^]*\/a2a\/v1/);
  const v03 = await world.http().call(
    'POST',
    '/a2a/v03',
    { ...body, method: 'tasks/get' },
    {
      'a2a-version': '1.0',
    },
  );
  expect(errorOf(world, v03)).toMatchObject({ code: -32009 });
});

prove('REST-03-REFUSED', ['rest-1.0'], async (world) => {
  for (const [method, path] of [
    ['POST', '/a2a/v1/message:send'],
    ['POST', '/a2a/v1/message:stream'],
    ['GET', '/a2a/v1/tasks/x'],
    ['POST', '/a2a/v1/tasks/x:cancel'],
    ['GET', '/a2a/v1/card'],
  ] as const) {
    const body = method === 'POST' ? {} : undefined;
    const reply = await world.http().call(method, path, body);
    const error = errorOf(world, reply);
    expect([reply.status, error['details']]).toMatchObject([
      400,
      [{ reason: 'VERSION_NOT_SUPPORTED' }],
    ]);
    expect(error['message']).toMatch(/\/a2a\b/);
    expect((await world.http(null).call(method, path, body)).status).toBe(401);
  }
});

prove('METHOD-NAMES', JSON_RPC, async (world) => {
  const wire = world.wire();
  const url = world.hook.url(`/${randomUUID()}`);
  const names = (operation: string): string[] =>
    world.cell === 'jsonrpc-1.0'
      ? [operation, operation[0]!.toLowerCase() + operation.slice(1)]
      : [''];
  for (const operation of OPERATIONS) {
    if (operation === 'ListTasks' && world.cell === 'jsonrpc-0.3') continue;
    for (const name of names(operation)) {
      const { id } = await wire.start('ask');
      if (operation.includes('Push')) {
        await wire.call('CreateTaskPushNotificationConfig', { taskId: id, id: 'c', url });
      }
      const params = operation.startsWith('Send')
        ? sendParams('instant')
        : operation.includes('Push')
          ? { taskId: id, id: 'c', url }
          : operation === 'ListTasks' || operation === 'GetExtendedAgentCard'
            ? {}
            : { id };
      const { path, body } = wire.request(operation, params);
      const named = name === '' ? body : { ...body, method: name };
      const reply = await wire.http.call('POST', path, named, { accept: 'text/event-stream' });
      expect(reply.status, `${operation} ${reply.text}`).toBe(200);
      expect(reply.text, operation).toMatch(/"result":/);
    }
  }
});

prove('RPC-ID', JSON_RPC, async (world) => {
  const path = RPC_PATH[world.cell as RpcCell];
  for (const id of [0, -7, 2 ** 53 - 1, '', 'x'.repeat(256), 'ü', null]) {
    const { body } = world.wire().request('SendMessage', sendParams('instant'), id);
    const reply = await world.http().call('POST', path, body);
    expect(reply.body['id']).toBe(id);
    expectWorks(world, reply);
  }
  const { body } = world.wire().request('SendMessage', sendParams('instant'));
  for (const id of [1.5, {}, [], true, 2 ** 53, 'x'.repeat(257)] as JsonValue[]) {
    const reply = await world.http().call('POST', path, { ...body, id });
    expect(rpcCodeOf(reply), JSON.stringify(id)).toEqual([null, -32600]);
  }
});

/** The id and the code of a JSON-RPC error. */
function rpcCodeOf({ body }: Reply): unknown {
  expect(body).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) as unknown } });
  return [body['id'], (body['error'] as JsonObject)['code']];
}

prove('RPC-ENVELOPE', JSON_RPC, async (world) => {
  const path = RPC_PATH[world.cell as RpcCell];
  const { body } = world.wire().request('GetTask', { id: randomUUID() }, 7);
  const post = async (
    change: Readonly<Record<string, JsonValue>> | JsonValue[],
  ): Promise<unknown> =>
    rpcCodeOf(
      await world
        .http()
        .call(
          'POST',
          path,
          Array.isArray(change) ? JSON.stringify(change) : { ...body, ...change },
        ),
    );
  expect(await post([body!])).toEqual([null, -32600]);
  expect(await post([])).toEqual([null, -32600]);
  expect(await post({ jsonrpc: '1.0' })).toEqual([7, -32600]);
  expect(await post({ method: '' })).toEqual([7, -32600]);
  expect(await post({ method: 7 })).toEqual([7, -32600]);
  expect(await post({ method: 'tasks/nothing' })).toEqual([7, -32601]);
  expect(await post({ method: 'constructor' })).toEqual([7, -32601]);
  for (const params of [null, [], ['x'], 'x', 7]) {
    expect(await post({ params })).toEqual([7, -32602]);
  }
});

const PARSER_WORDS = /position|Unexpected|SyntaxError|JSON\.parse|in JSON at|stack/;

/** A body in the cell's protocol, as it is. */
async function postText(world: World, text: string | Buffer, chunked = false): Promise<Reply> {
  const { method, path, headers } = harmless(world);
  const url = new URL(path, world.site.a);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        agent: false,
        headers: {
          ...headers,
          'x-user-token': world.me.token,
          'content-type': 'application/json',
          ...(chunked ? {} : { 'content-length': Buffer.byteLength(text) }),
        },
      },
      (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
        response.once('end', () => {
          const body = answer.startsWith('{') ? (JSON.parse(answer) as JsonObject) : {};
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: answer,
            body,
          });
        });
      },
    );
    sent.once('error', reject);
    sent.end(text);
  });
}

async function isParseError(world: World, text: string | Buffer): Promise<void> {
  const reply = await postText(world, text);
  const shown = text.toString().slice(0, 40);
  if (isMcp(world.cell)) {
    expect([shown, reply.status, rpcCodeOf(reply)]).toEqual([shown, 400, [null, -32700]]);
  } else {
    const error = errorOf(world, reply);
    expect(JSON.stringify(error), shown).toContain('PARSE_ERROR');
    if (world.cell === 'rest-1.0') expect(reply.status).toBe(400);
    else expect(rpcCodeOf(reply)).toEqual([null, -32700]);
  }
  expect(reply.text).not.toMatch(PARSER_WORDS);
}

prove('PARSE-ERROR', [...A2A, ...MCP], async (world) => {
  for (const text of [
    '{',
    '',
    'hello',
    '{"message":',
    "{'a':1}",
    '<xml/>',
    '{"a":NaN}',
    '{"a":1,}',
  ]) {
    await isParseError(world, text);
  }
});

prove('PARSE-STRICT', A2A, async (world) => {
  const { body } = world.wire().request('SendMessage', sendParams('instant'));
  const whole = JSON.stringify(body);
  for (const text of [
    whole.replace('{', '{"x":1,"x":2,'),
    whole.replace('{', '{"__proto__":{"a":1},'),
    whole.replace('{', '{"\\u005f_proto__":{"a":1},'),
    whole.replace('instant', '\\ud800'),
    whole.replace('{', `{"x":${'['.repeat(10_000)}${']'.repeat(10_000)},`),
    Buffer.from(whole.replace('instant', '\xff\xfe'), 'latin1'),
    Buffer.from(whole, 'utf16le'),
  ]) {
    await isParseError(world, text);
  }
  expectWorks(world, await postText(world, whole));
});

prove('ERROR-SHAPE', A2A, async (world) => {
  const wire = world.wire();
  const refused = await wire.refusal('GetTask', { id: randomUUID() });
  refused.expect('TASK_NOT_FOUND');
  const invalid = await wire.refusal('SendMessage', {
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{}] },
  });
  invalid.expect('INVALID_PARAMS');
  expect(invalid.details).toContainEqual({
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [
      {
        field: expect.stringContaining('parts[0]') as unknown,
        description: expect.any(String) as unknown,
      },
    ],
  });
});

prove('ERROR-NO-HTML', ['http'], async (world) => {
  for (const [method, path, status] of [
    ['GET', '/', 404],
    ['GET', '/nothing', 404],
    ['GET', '/a2a/nothing/at/all', 404],
    ['POST', '/mcp/sse', 404],
    ['GET', '/%zz', 400],
    ['GET', '/a2a/tasks/%ff', 400],
    ['PUT', '/a2a/tasks', 405],
    ['PATCH', '/.well-known/agent-card.json', 405],
  ] as const) {
    const reply = await world.http().call(method, path);
    expect([path, reply.status], reply.text).toEqual([path, status]);
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
    expect(reply.body).toMatchObject({ error: { message: expect.stringMatching(/./) as unknown } });
    expect(reply.text).not.toMatch(/<|Cannot GET|\bat /);
    expect(reply.headers['x-content-type-options']).toBe('nosniff');
  }
  const lost = await world.http().call('GET', '/nothing');
  expect(lost.text).toMatch(/\/a2a\b/);
});

prove('CONTENT-TYPE', A2A, async (world) => {
  for (const type of [
    'application/json',
    'application/a2a+json',
    'application/json; charset=utf-8',
    'Application/A2A+JSON;charset="UTF-8"',
  ]) {
    expectWorks(world, await ask(world, { 'content-type': type }));
  }
  for (const type of ['text/plain', 'application/xml', 'text/plain; x=application/json', 'json']) {
    const reply = await ask(world, { 'content-type': type });
    expect([type, reply.status]).toEqual([type, 415]);
    expect(JSON.stringify(errorOf(world, reply))).toContain('MEDIA_TYPE');
  }
});

prove('EMPTY-BODY', ['rest-1.0'], async (world) => {
  const types: readonly Record<string, string>[] = [
    {},
    { 'content-type': 'application/json' },
    { 'content-type': 'application/a2a+json' },
  ];
  for (const headers of types) {
    const { id } = await world.wire().start('hang');
    const reply = await world.http().call('POST', `/a2a/tasks/${id}:cancel`, undefined, headers);
    expect([reply.status, reply.body]).toMatchObject([
      200,
      { id, status: { state: 'TASK_STATE_CANCELED' } },
    ]);
    const card = await world.http().call('GET', '/a2a/extendedAgentCard', undefined, headers);
    expect(card.body).toMatchObject({ name: 'Nightjar' });
  }
});

prove('BODY-LIMIT', [...A2A, ...MCP], async (world) => {
  const who = world.of('small');
  const small = new Proxy(world, {
    get: (target, key) => (key === 'me' ? who : (Reflect.get(target, key) as unknown)),
  });
  const { body } = harmless(world);
  const limit = isMcp(world.cell) ? SMALL.mcpBodyBytes : SMALL.a2aBodyBytes;
  const text = JSON.stringify(body);
  const padded = (bytes: number): string => text.padEnd(bytes, ' ');
  expectWorks(world, await postText(small, padded(limit)));
  for (const [bytes, chunked] of [
    [limit + 1, false],
    [limit + 1, true],
    [limit * 20, true],
  ] as const) {
    const reply = await postText(small, padded(bytes), chunked);
    expect([bytes, reply.status]).toEqual([bytes, 413]);
    expect(errorOf(world, reply)['message']).toMatch(/large|bytes/);
  }
});

prove('METHOD-NOT-ALLOWED', [...A2A, ...MCP], async (world) => {
  const { path } = harmless(world);
  const methods = isMcp(world.cell) ? ['GET', 'DELETE', 'PUT'] : ['DELETE', 'PUT', 'PATCH'];
  for (const method of methods) {
    const reply = await world.http().call(method, path, undefined, { accept: 'text/event-stream' });
    expect([method, reply.status]).toEqual([method, 405]);
    expect(reply.headers.allow).toMatch(/\bPOST\b/);
    errorOf(world, reply);
  }
});

prove('HINT', ['http'], async (world) => {
  const { status, body } = await world.http(null).call('GET', '/a2a');
  expect([status, body]).toMatchObject([200, { name: 'Nightjar' }]);
  const card = asText(body['agentCard']);
  expect(card).toBe(`${world.site.a}/.well-known/agent-card.json`);
  const rest = body['rest'] as readonly string[];
  for (const line of rest) {
    const [method = '', url = ''] = line.split(' ');
    const path = url.replace(world.site.a, '').replace('{id}', randomUUID());
    const reply = await world.http().call(method, path, method === 'POST' ? {} : undefined);
    expect(reply.text, line).not.toMatch(/PATH_NOT_FOUND|METHOD_NOT_ALLOWED/);
    expect(path).toMatch(/^\/a2a/);
  }
});

prove('SWITCHED-OFF', [...A2A_1_0, 'mcp-2025'], async (world) => {
  expectWorks(world, await ask(world, {}));
  const off = await ask(world, {}, { base: world.site.off });
  expect(off.status).toBe(404);
  errorOf(world, off);
  const { http } = { http: world.http(null, world.site.off) };
  for (const path of ['/.well-known/agent-card.json', '/a2a']) {
    expect((await http.call('GET', path)).status).toBe(404);
  }
  const plain = await ask(world, {}, { base: world.site.plain });
  if (isA2a(world.cell)) expectWorks(world, plain);
  else expect(plain.status).toBe(404);
});

prove('MANAGEMENT-APART', ['http'], async (world) => {
  const management = world.http(world.me, world.site.management);
  const live = await management.call('GET', '/livez');
  const ready = await management.call('GET', '/readyz');
  expect([live.status, ready.status]).toEqual([200, 200]);
  expect(live.text + ready.text).not.toMatch(/^\{\}/);
  const metrics = await management.call('GET', '/metrics');
  expect(metrics.text).toMatch(/^# HELP nightjar_/m);
  expect(metrics.text).not.toContain(world.me.user);
  for (const path of ['/livez', '/readyz', '/metrics', '/admin']) {
    expect((await world.http().call('GET', path)).status, path).toBe(404);
  }
  for (const path of ['/a2a', '/a2a/tasks', '/mcp', '/.well-known/agent-card.json']) {
    expect((await management.call('GET', path)).status, path).toBe(404);
  }
});
