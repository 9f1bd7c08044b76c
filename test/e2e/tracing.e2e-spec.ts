import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet } from '../support/gateway.js';
import { HookServer } from '../support/hook-server.js';
import { OtlpCollector, type ReceivedSpan } from '../support/otlp-collector.js';
import { RedisServer } from '../support/redis-server.js';
import { openai, ScriptedLlm } from '../support/scripted-llm.js';
import { eventually } from '../support/wait.js';

const ANN = caller('acme', 'ann');
const BOB = caller('slow', 'bob');
const KEY = 'sk-the-key-of-the-model-0123456789';
const BEARER = 'the-bearer-token-of-the-source';
const COLLECTOR_KEY = 'the-key-of-the-collector';
const HOOK_TOKEN = 'the-token-of-the-hook';
const TEXT = 'what-the-user-wrote: is checkout broken?';
const ANSWER = 'what-the-model-answered';
const SERVER = 2;
const CLIENT = 3;

let redis: RedisServer;
let llm: ScriptedLlm;
let collector: OtlpCollector;
let hook: HookServer;
let source: Server;
let asked: IncomingHttpHeaders[];
let fleet: Fleet;

beforeAll(async () => {
  asked = [];
  redis = await RedisServer.start();
  llm = await ScriptedLlm.start();
  collector = await OtlpCollector.start();
  hook = await HookServer.start();
  source = createServer((request, response) => {
    asked.push(request.headers);
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  const port = (source.address() as AddressInfo).port;
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    callers: [ANN, BOB],
    env: {
      OTEL_BSP_SCHEDULE_DELAY: '100',
      NIGHTJAR_LOG_LEVEL: 'debug',
      LLM_KEY: KEY,
      SOURCE_TOKEN: BEARER,
      COLLECTOR_KEY,
      PUSH_KEY: randomBytes(32).toString('hex'),
    },
    config: {
      push: {
        ...{ enabled: true, encryptionKey: { env: 'PUSH_KEY' }, pollMs: 100, retryBaseMs: 100 },
        ...{ allowHttp: true, allowPrivate: ['127.0.0.1'] },
      },
      tracing: {
        endpoint: collector.url,
        headers: { 'X-Api-Key': { env: 'COLLECTOR_KEY' } },
      },
    },
    tenants: [
      {
        id: 'acme',
        sources: [
          {
            type: 'alertmanager',
            name: 'am',
            url: `http://127.0.0.1:${port}`,
            auth: { kind: 'bearer', token: { env: 'SOURCE_TOKEN' } },
          } as object,
        ],
        assistant: {
          backend: 'llm',
          provider: 'openai-compatible',
          baseUrl: llm.url,
          model: 'test-model',
          apiKey: { env: 'LLM_KEY' },
        },
      },
      { id: 'slow' },
    ],
  });
});
afterAll(async () => {
  await fleet.stop();
  await collector.stop();
  await hook.stop();
  source.closeAllConnections();
  source.close();
  await llm.close();
  await redis.stop();
});

function newTrace(): { traceId: string; spanId: string; traceparent: string } {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
}

async function send(
  url: string,
  token: string,
  text: string,
  { traceparent, ...configuration }: { traceparent: string } & Record<string, unknown>,
): Promise<{ id: string; requestId: string }> {
  const response = await fetch(`${url}/a2a/message:send`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'x-request-id': `request-${traceparent.slice(3, 11)}`,
      traceparent,
    },
    body: JSON.stringify({
      message: {
        messageId: randomBytes(8).toString('hex'),
        role: 'ROLE_USER',
        parts: [{ text }],
      },
      configuration,
    }),
  });
  const { task } = (await response.json()) as { task: { id: string } };
  return { id: task.id, requestId: response.headers.get('x-request-id') ?? '' };
}

/** The spans of a trace, once there are as many of these names as asked. */
function spansOf(traceId: string, ...names: readonly string[]): Promise<ReceivedSpan[]> {
  return eventually(
    `spans ${names.join(', ')}`,
    () => {
      const spans = collector.ofTrace(traceId);
      const missing = [...names];
      for (const { name } of spans) {
        const at = missing.indexOf(name);
        if (at >= 0) missing.splice(at, 1);
      }
      return missing.length === 0 ? spans : undefined;
    },
    60_000,
  );
}

function logLines(): Record<string, unknown>[] {
  return fleet.gateways.flatMap(({ logs }) =>
    logs
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  );
}

describe('tracing', () => {
  it('should make one trace of a request, its run, its tools and its model', async () => {
    const { traceId, spanId, traceparent } = newTrace();
    llm.script(openai.calls({ id: 'c-1', name: 'list_alerts', args: {} }), openai.says(ANSWER));
    const { id } = await send(fleet.gateways[0]!.baseUrl, ANN.token, TEXT, { traceparent });
    const spans = await spansOf(
      traceId,
      'POST /a2a/message::send',
      'run',
      'chat test-model',
      'chat test-model',
      'execute_tool list_alerts',
      'GET',
    );
    const one = (name: string): ReceivedSpan => spans.find((span) => span.name === name)!;
    const request = one('POST /a2a/message::send');
    expect(request).toMatchObject({ parentSpanId: spanId, kind: SERVER, service: 'nightjar' });
    expect(request.attributes).toMatchObject({
      'http.response.status_code': 200,
      'nightjar.operation': 'SendMessage',
      'nightjar.tenant': 'acme',
      'nightjar.task_id': id,
    });
    const run = one('run');
    expect(run.parentSpanId).toBe(request.spanId);
    expect(run.attributes).toMatchObject({
      'nightjar.task_id': id,
      'nightjar.backend': 'llm',
      'nightjar.attempt': 1,
      'nightjar.outcome': 'completed',
    });
    for (const chat of spans.filter(({ name }) => name === 'chat test-model')) {
      expect(chat).toMatchObject({ parentSpanId: run.spanId, kind: CLIENT, failed: false });
    }
    const tool = one('execute_tool list_alerts');
    expect(tool.parentSpanId).toBe(run.spanId);
    expect(one('GET')).toMatchObject({ parentSpanId: tool.spanId, kind: CLIENT });
    // And on the wire: the model and the source may go on with it.
    const models = spans.filter(({ name }) => name === 'chat test-model');
    expect(llm.requests.map(({ headers }) => headers['traceparent']).sort()).toEqual(
      models.map((span) => `00-${traceId}-${span.spanId}-01`).sort(),
    );
    expect(asked.at(-1)?.['traceparent']).toBe(`00-${traceId}-${one('GET').spanId}-01`);
  });

  it('should keep the trace of a task that another instance takes over', async () => {
    const { traceId, traceparent } = newTrace();
    const [first, second] = fleet.gateways;
    const { id } = await send(first!.baseUrl, BOB.token, 'deltas count=60 every=100', {
      traceparent,
      returnImmediately: true,
    });
    const [request] = await spansOf(traceId, 'POST /a2a/message::send');
    await first!.kill9();
    const spans = await spansOf(traceId, 'POST /a2a/message::send', 'run');
    const runs = spans.filter(({ name }) => name === 'run');
    expect(runs).toHaveLength(1);
    expect(runs[0]?.parentSpanId).toBe(request?.spanId);
    expect(runs[0]?.attributes).toMatchObject({
      'nightjar.task_id': id,
      'nightjar.attempt': 2,
      'nightjar.outcome': 'completed',
    });
    const took = logLines().find(({ msg, taskId }) => msg === 'took over a run' && taskId === id);
    expect(took).toMatchObject({ traceId, requestId: `request-${traceId.slice(0, 8)}` });
    expect(await new A2aClient(second!.baseUrl, BOB.token).state(id)).toBe('TASK_STATE_COMPLETED');
  });

  it('should go on to the webhooks of the task', async () => {
    const { traceId, traceparent } = newTrace();
    let refusals = 0;
    hook.answer = () => (refusals++ === 0 ? 500 : 200);
    const webhook = { url: hook.url('/traced?key=of-the-hook'), token: HOOK_TOKEN };
    const { id } = await send(fleet.gateways[1]!.baseUrl, BOB.token, 'instant', {
      ...{ traceparent, taskPushNotificationConfig: webhook },
    });
    await hook.until(
      'it hears of the end',
      (accepted) => accepted.at(-1)?.text.includes('COMPLETED') === true,
      '/traced?key=of-the-hook',
    );
    const heard = hook.all.map(({ headers }) => headers['traceparent']);
    const names = heard.map(() => 'webhook');
    const spans = await spansOf(traceId, 'POST /a2a/message::send', 'run', ...names);
    const request = spans.find(({ name }) => name === 'POST /a2a/message::send');
    const told = spans.filter(({ name }) => name === 'webhook');
    expect(heard.sort()).toEqual(told.map(({ spanId }) => `00-${traceId}-${spanId}-01`).sort());
    for (const span of told) {
      expect(span).toMatchObject({ parentSpanId: request?.spanId, kind: CLIENT });
      expect(span.attributes).toMatchObject({ 'nightjar.task_id': id, 'nightjar.tenant': 'slow' });
    }
    const outcomes = told.map(({ failed, attributes }) => [failed, attributes['nightjar.outcome']]);
    expect(outcomes.filter(([failed]) => failed)).toEqual([[true, 'http_error']]);
    expect(outcomes).toContainEqual([false, 'sent']);
  });

  it('should name the request, the trace and the client’s address in the log', async () => {
    const { traceId, traceparent } = newTrace();
    const gateway = fleet.gateways[1]!;
    const sent = await send(gateway.baseUrl, BOB.token, 'throw', { traceparent });
    expect(sent.requestId).toBe(`request-${traceId.slice(0, 8)}`);
    const ids = { requestId: sent.requestId, traceId, taskId: sent.id };
    const line = await eventually('the access line', () =>
      logLines().find(({ msg, requestId }) => msg === 'request' && requestId === sent.requestId),
    );
    expect(line).toMatchObject({ ...ids, client: '127.0.0.1' });
    expect(logLines().find(({ taskId, level }) => taskId === sent.id && level === 'error')).toEqual(
      expect.objectContaining(ids),
    );
    // The test's own address is a trusted proxy's.
    await fetch(`${gateway.baseUrl}/a2a/tasks`, {
      headers: { 'x-forwarded-for': '203.0.113.7', 'x-request-id': 'through-a-proxy' },
    });
    const proxied = await eventually('the proxied line', () =>
      logLines().find(({ requestId }) => requestId === 'through-a-proxy'),
    );
    expect(proxied).toMatchObject({ client: '203.0.113.7', status: 401 });
  });

  it('should start a trace of its own without a usable traceparent, and fail what failed', async () => {
    const gateway = fleet.gateways[1]!;
    const response = await fetch(`${gateway.baseUrl}/a2a/tasks/some-path-of-the-caller?x=secret`, {
      headers: { 'x-user-token': BOB.token, traceparent: '00-nonsense', 'x-request-id': 'own' },
    });
    expect(response.status).toBe(404);
    const line = await eventually('the line', () =>
      logLines().find(({ requestId }) => requestId === 'own'),
    );
    const [span] = await spansOf(String(line['traceId']), 'GET /a2a/tasks/:ref');
    expect(span).toMatchObject({ parentSpanId: '', failed: false });
    expect(JSON.stringify(span)).not.toContain('some-path-of-the-caller');
  });

  it('should log nothing but lines of JSON, from the first one', () => {
    const all = fleet.gateways.flatMap(({ logs }) => logs.trim().split('\n'));
    // What a shell says of a gateway that a test has killed.
    const [first, ...rest] = all.filter((line) => line !== 'Killed');
    expect(JSON.parse(first!)).toMatchObject({ context: 'Tracing', level: 'info' });
    for (const line of rest) expect(() => void JSON.parse(line), line).not.toThrow();
  });

  it('should send no secret and no text, neither in a span nor to the log', () => {
    const lines = fleet.gateways.map(({ logs }) => logs).join('\n');
    const sent = collector.bodies.join('\n');
    // The test itself: there is something to look through.
    expect(lines).toContain('"msg":"request"');
    expect(sent).toContain('execute_tool');
    for (const secret of [ANN.token, BOB.token, KEY, BEARER, COLLECTOR_KEY, HOOK_TOKEN]) {
      expect(lines, secret).not.toContain(secret);
      expect(sent, secret).not.toContain(secret);
    }
    for (const query of ['x=secret', 'of-the-hook']) {
      expect(lines, query).not.toContain(query);
      expect(sent, query).not.toContain(query);
    }
    for (const text of ['what-the-user-wrote', ANSWER, 'deltas count', 'an internal matter']) {
      expect(sent, text).not.toContain(text);
    }
    for (const text of ['what-the-user-wrote', ANSWER, 'deltas count']) {
      expect(lines, text).not.toContain(text);
    }
    expect(collector.headers[0]?.['x-api-key']).toBe(COLLECTOR_KEY);
  });
});

describe('a gateway without tracing', () => {
  it('should load no package of OpenTelemetry’s SDK, and send no traceparent', async () => {
    const alone = await Fleet.start(1, {
      redisUrl: redis.url,
      callers: [ANN],
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_SDK_DISABLED: 'true',
        NODE_DEBUG: 'esm,module',
      },
      tenants: [{ id: 'acme' }],
    });
    try {
      const before = collector.bodies.length;
      await send(alone.gateways[0]!.baseUrl, ANN.token, 'instant', newTrace());
      expect(alone.gateways[0]!.logs).toContain('fastify');
      expect(alone.gateways[0]!.logs).not.toContain('sdk-trace');
      expect(collector.bodies.length).toBe(before);
    } finally {
      await alone.stop();
    }
  });
});
