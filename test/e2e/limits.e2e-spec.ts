import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/a2a.js';
import { A2aClient } from '../support/a2a-client.js';
import { type Caller, caller, Fleet, type Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';

const KIB = 1024;
const wide = caller('wide', 'ann');
const strict = caller('strict', 'ann');
const narrow = caller('narrow', 'ann');
const bob = caller('narrow', 'bob');

let redis: RedisServer;
let fleet: Fleet;
let gateway: Gateway;

beforeAll(async () => {
  redis = await RedisServer.start();
  fleet = await Fleet.start(1, {
    redisUrl: redis.url,
    tenants: [
      { id: 'wide' },
      { id: 'strict', profile: 'strict' } as { id: string },
      { id: 'narrow', limits: { streamsPerUser: 2, streamsPerTenant: 3 } },
    ],
    callers: [wide, strict, narrow, bob],
  });
  gateway = fleet.gateways[0]!;
});
afterAll(async () => {
  await fleet.stop();
  await redis.stop();
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** `chunked`: without a content length, in two pieces. */
function post(path: string, body: string, by: Caller, chunked = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, gateway.baseUrl),
      {
        method: 'POST',
        headers: {
          'x-user-token': by.token,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(chunked ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text });
        });
      },
    );
    // A server that refuses while the body still comes may close; what it said counts.
    sent.on('error', reject);
    if (chunked) sent.write(body.slice(0, 100));
    sent.end(chunked ? body.slice(100) : body);
  });
}

function v1(parts: readonly JsonObject[]): JsonObject {
  return { message: { messageId: randomUUID(), role: 'ROLE_USER', parts } };
}

/** A request of exactly so many bytes: spaces after the document count. */
function padded(document: JsonObject, bytes: number): string {
  const text = JSON.stringify(document);
  return text + ' '.repeat(bytes - Buffer.byteLength(text));
}

const instant = v1([{ text: 'instant' }]);
const v03Params = {
  message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
};
const SURFACES: readonly (readonly [string, JsonObject, number])[] = [
  ['/a2a/message:send', instant, -32064],
  ['/a2a/v1', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: instant }, -32064],
  ['/a2a/v03', { jsonrpc: '2.0', id: 1, method: 'message/send', params: v03Params }, -32064],
  ['/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, -32064],
];

describe('the body limit', () => {
  it.each([
    ['by default', wide, 1024 * KIB, 256 * KIB],
    ['in profile strict', strict, 32 * KIB, 32 * KIB],
  ])('should hold to the byte on every surface: %s', async (_name, by, a2a, mcp) => {
    for (const [path, document, code] of SURFACES) {
      const limit = path === '/mcp' ? mcp : a2a;
      for (const chunked of [false, true]) {
        for (const bytes of [limit - 1, limit]) {
          const { status } = await post(path, padded(document, bytes), by, chunked);
          expect([path, bytes, chunked, status]).toEqual([path, bytes, chunked, 200]);
        }
        const over = await post(path, padded(document, limit + 1), by, chunked);
        expect([path, chunked, over.status]).toEqual([path, chunked, 413]);
        const expected =
          path === '/a2a/message:send'
            ? { error: { code: 413, status: 'INVALID_ARGUMENT' } }
            : { jsonrpc: '2.0', error: { code } };
        expect(JSON.parse(over.text)).toMatchObject(expected);
      }
    }
  });
});

describe('the text limit', () => {
  it.each([
    ['by default', wide, 32 * KIB],
    ['in profile strict', strict, 8192],
  ])('should hold to the byte, in UTF-8: %s', async (_name, by, limit) => {
    // "instant " is the scripted backend's command; what follows it does not matter.
    const text = (bytes: number): string => {
      const rest = bytes - 'instant '.length;
      return `instant ${'汉'.repeat(Math.floor(rest / 3))}${'x'.repeat(rest % 3)}`;
    };
    for (const bytes of [limit - 1, limit, limit + 1]) {
      const body = v1([{ text: text(bytes) }]);
      const rest = await post('/a2a/message:send', JSON.stringify(body), by);
      expect([bytes, rest.status]).toEqual([bytes, bytes > limit ? 413 : 200]);
      if (bytes > limit) expect(rest.text).toContain('"reason":"TOO_LARGE"');
    }
    const parts = [{ kind: 'text', text: text(limit + 1) }];
    const params = { message: { ...v03Params.message, parts } };
    const legacy = { jsonrpc: '2.0', id: 7, method: 'message/send', params };
    const answer = await post('/a2a', JSON.stringify(legacy), by);
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text)).toMatchObject({ id: 7, error: { code: -32064 } });
  });
});

describe('open streams', () => {
  it('should be refused beyond the limit of the user and of the tenant, and start nothing', async () => {
    const mine = new A2aClient(gateway.baseUrl, narrow.token);
    const his = new A2aClient(gateway.baseUrl, bob.token);
    const streams = [await mine.stream('hang'), await mine.stream('hang')];
    const before = (await mine.list()).totalSize;
    const body = v1([{ text: 'hang' }]);
    const rest = await post('/a2a/message:stream', JSON.stringify(body), narrow);
    expect(rest.status).toBe(429);
    expect(rest.text).toContain('"reason":"QUOTA"');
    for (const [path, method, params] of [
      ['/a2a/v1', 'SendStreamingMessage', body],
      ['/a2a', 'message/stream', v03Params],
    ] as const) {
      const document = { jsonrpc: '2.0', id: 1, method, params };
      const answer = await post(path, JSON.stringify(document), narrow);
      expect([path, answer.status]).toEqual([path, 429]);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: -32063 } });
    }
    expect((await mine.list()).totalSize).toBe(before);
    // A blocking send is no stream.
    expect((await mine.send('instant')).status.state).toBe('TASK_STATE_COMPLETED');
    streams.push(await his.stream('hang'));
    expect((await post('/a2a/message:stream', JSON.stringify(body), bob)).status).toBe(429);
    streams.forEach((stream) => {
      stream.disconnect();
    });
    await eventually('a place is free', async () => {
      const { status } = await post('/a2a/message:stream', JSON.stringify(instant), narrow);
      return status === 200;
    });
  });
});

describe('referenceTaskIds', () => {
  it('should be tasks of the caller', async () => {
    const own = (await new A2aClient(gateway.baseUrl, wide.token).send('instant')).id;
    const foreign = (await new A2aClient(gateway.baseUrl, bob.token).send('instant')).id;
    const send = (referenceTaskIds: readonly string[], by: Caller): Promise<Answer> => {
      const { message } = instant as { message: JsonObject };
      const document = { message: { ...message, messageId: randomUUID(), referenceTaskIds } };
      return post('/a2a/message:send', JSON.stringify(document), by);
    };
    expect((await send([own], wide)).status).toBe(200);
    const refused = await send([own, foreign], wide);
    const unknown = await send([own, 'no-such-task'], wide);
    expect([refused.status, unknown.status]).toEqual([404, 404]);
    expect(refused.text.replaceAll(foreign, 'no-such-task')).toBe(unknown.text);
    const annTo = await new A2aClient(gateway.baseUrl, narrow.token).send('instant');
    expect((await send([annTo.id], bob)).status).toBe(404);
    const legacy = {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message: { ...v03Params.message, referenceTaskIds: [foreign] } },
    };
    const answer = await post('/a2a', JSON.stringify(legacy), wide);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: -32001 } });
  });
});
