import { request } from 'node:http';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Part, StreamResponse, Task } from '../../src/domain/a2a.js';
import { A2aClient, type EventStream, type SseEvent } from '../support/a2a-client.js';
import { type Caller, caller, Fleet, type Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';

const KIB = 1024;
const ann = caller('acme', 'ann');
const bob = caller('acme', 'bob');
const eve = caller('evil', 'eve');

let redis: RedisServer;
let fleet: Fleet;
let a: Gateway;
let b: Gateway;
let onA: A2aClient;
let onB: A2aClient;

beforeAll(async () => {
  redis = await RedisServer.start();
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }, { id: 'evil' }],
    callers: [ann, bob, eve],
  });
  [a, b] = fleet.gateways as [Gateway, Gateway];
  onA = new A2aClient(a.baseUrl, ann.token);
  onB = new A2aClient(b.baseUrl, ann.token);
});
afterAll(async () => {
  await fleet.stop();
  await redis.stop();
});

function filesOf(task: Task): Part[] {
  return (task.artifacts ?? [])
    .filter(({ name }) => name?.startsWith('file ') === true)
    .flatMap(({ parts }) => [...parts]);
}

function bytesOf(part: Part): number {
  return Buffer.from(part.raw ?? '', 'base64').length;
}

async function allOf(stream: EventStream): Promise<readonly SseEvent[]> {
  await stream.ended;
  return stream.events;
}

interface Download {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

function download(url: string, by: Caller | undefined, method = 'GET'): Promise<Download> {
  return new Promise((resolve, reject) => {
    const headers = by === undefined ? {} : { 'x-user-token': by.token };
    // The path as it is: a URL object would resolve `..` before it is sent.
    const [, origin = '', path = ''] = /^(http:\/\/[^/]+)(.*)$/.exec(url) ?? [];
    const sent = request(origin, { method, headers, path }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => {
        const { statusCode = 0, headers: got } = response;
        resolve({ status: statusCode, headers: got, body: Buffer.concat(pieces) });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('files of a task', () => {
  it('should be inline up to 256 KiB each, and links beyond', async () => {
    const sizes = [256 * KIB, 256 * KIB + 1, 10];
    const sent = await onA.send(`files ${sizes.join(' ')}`);
    for (const task of [sent, await onB.get(sent.id)]) {
      const [small, large, tiny] = filesOf(task) as [Part, Part, Part];
      expect([bytesOf(small), bytesOf(tiny)]).toEqual([256 * KIB, 10]);
      expect(small).toMatchObject({ mediaType: 'image/png', filename: '_part 0.bin' });
      expect(small.url).toBeUndefined();
      expect(large.raw).toBeUndefined();
      expect(large.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/a2a\/tasks\/[^/]+\/artifacts\/[^/]+$/);
      const got = await download(large.url!, ann);
      expect(got.status).toBe(200);
      expect(got.body.equals(Buffer.alloc(256 * KIB + 1, 'b'))).toBe(true);
    }
  });

  it('should be inline up to 1 MiB in one response', async () => {
    const task = await onA.send(
      `files ${Array(6)
        .fill(250 * KIB)
        .join(' ')}`,
    );
    const parts = filesOf(task);
    expect(parts.map((part) => part.raw !== undefined)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    // Each event of a stream is a response of its own.
    const stream = await onB.subscribe(task.id, '1-1');
    const events = (await allOf(stream)).map(({ data }) => data);
    const shown = events.flatMap((event) =>
      'artifactUpdate' in event && event.artifactUpdate.artifact.name?.startsWith('file ')
        ? [...event.artifactUpdate.artifact.parts]
        : [],
    );
    expect(shown.map((part) => bytesOf(part))).toEqual(Array(6).fill(250 * KIB));
    const list = await onB.list('?includeArtifacts=true&pageSize=1');
    expect(filesOf(list.tasks[0]!).map((part) => part.raw !== undefined)).toEqual(
      parts.map((part) => part.raw !== undefined),
    );
  });

  it('should be stored once, beside the events, for as long as the task', async () => {
    const client = new Redis(redis.url);
    try {
      const task = await onA.send(`files ${300 * KIB} 10`);
      const log = await client.xrange(`nj:{acme}:log:${task.id}`, '-', '+');
      const text = log.map(([, fields]) => fields[1]).join('\n');
      expect(text.length).toBeLessThan(4 * KIB);
      expect(text).not.toContain('127.0.0.1');
      const keys = await client.keys(`nj:{acme}:file:${task.id}:*`);
      expect(keys).toHaveLength(2);
      const left = await client.pttl(`nj:{acme}:task:${task.id}`);
      for (const key of keys) expect(await client.pttl(key)).toBeGreaterThan(left);
      expect((await onB.call('DELETE', `/a2a/tasks/${task.id}`)).status).toBe(204);
      expect(await client.keys(`nj:{acme}:file:${task.id}:*`)).toEqual([]);
    } finally {
      client.disconnect();
    }
  });

  it('should be left out with a word when they are too large', async () => {
    const task = await onA.send(`files ${8 * 1024 * KIB + 1} 10`);
    const [large, small] = filesOf(task) as [Part, Part];
    expect(large.text).toContain('was left out');
    expect(bytesOf(small)).toBe(10);
    const full = await onA.send(
      `files ${Array(5)
        .fill(8 * 1024 * KIB)
        .join(' ')}`,
    );
    expect(filesOf(full).map((part) => part.url !== undefined)).toEqual([
      ...[true, true, true, true],
      false,
    ]);
  });

  it('should be files of 0.3 in 0.3', async () => {
    const message = {
      kind: 'message',
      messageId: 'm1',
      role: 'user',
      parts: [{ kind: 'text', text: `files 10 ${300 * KIB}` }],
    };
    const reply = await onB.call<{ result: JsonObject }>('POST', '/a2a', {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message },
    });
    const { artifacts } = reply.body.result as unknown as { artifacts: JsonObject[] };
    expect(artifacts[0]).toMatchObject({
      parts: [{ kind: 'file', file: { mimeType: 'image/png', name: '_part 0.bin' } }],
    });
    expect(JSON.stringify(artifacts[0])).toContain('"bytes":"YWFh');
    expect(JSON.stringify(artifacts[1])).toContain('"uri":"http://127.0.0.1:');
  });

  it('should be dropped for a caller who takes no images', async () => {
    const task = await onA.send(`files 10 ${300 * KIB}`, {
      configuration: { acceptedOutputModes: ['text/plain'] },
    });
    expect(filesOf(task)).toEqual([]);
  });

  it('should leave other events as they are stored', async () => {
    const stream = await onA.stream('files 10');
    const events = (await allOf(stream)).map(({ data }) => JSON.stringify(data));
    const log = new Redis(redis.url);
    const [first] = events.map((text) => JSON.parse(text) as StreamResponse);
    const id = (first as { task: Task }).task.id;
    const stored = (await log.xrange(`nj:{acme}:log:${id}`, '-', '+')).map(([, f]) => f[1]);
    log.disconnect();
    expect(events.filter((text) => !text.includes('"raw"'))).toEqual(
      stored.filter((text) => text?.includes('nightjar-file:') === false),
    );
  });
});

describe('GET /a2a/tasks/{id}/artifacts/{name}', () => {
  let task: Task;
  let link: string;

  beforeAll(async () => {
    task = await onA.send(`files ${300 * KIB}`);
    link = filesOf(task)[0]!.url!;
  });

  it('should never be shown by a browser', async () => {
    const { status, headers } = await download(link, ann, 'HEAD');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(300 * KIB),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(headers['content-disposition']).toBe(
      `attachment; filename="_part_0.bin"; filename*=UTF-8''_part%200.bin`,
    );
  });

  it('should be for its owner alone', async () => {
    expect((await download(link, undefined)).status).toBe(401);
    const unknown = await download(link.replace(task.id, 'no-such-task'), bob);
    for (const by of [bob, eve]) {
      const { status, body } = await download(link, by);
      expect(status).toBe(404);
      expect(body.toString().replaceAll(task.id, 'no-such-task')).toBe(unknown.body.toString());
    }
    const tenant = link.replace('/a2a/tasks/', '/a2a/acme/tasks/');
    expect((await download(tenant, ann)).status).toBe(200);
    expect((await download(tenant, eve)).status).toBe(404);
  });

  it.each(['nothing', '..%2F..%2Fetc%2Fpasswd', '%2e%2e', 'x%00y', '..%5Cx', '%25'])(
    'should not find %s',
    async (name) => {
      const url = link.replace(/[^/]+$/, name);
      expect((await download(url, ann)).status).toBe(404);
    },
  );
});
