import { request } from 'node:http';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Part, StreamResponse, Task } from '../../src/domain/a2a.js';
import { formatEventId } from '../../src/domain/event.js';
import { foldEvents } from '../../src/domain/fold.js';
import { A2aClient, type EventStream, type SseEvent } from '../support/a2a-client.js';
import { type Caller, caller, Fleet, type Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf, deltasIn, numbered } from '../support/task-log.js';

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
    // An answer of 0.3 has such links, too.
    for (const [version, status] of [
      ['0.3', 200],
      ['1.0', 200],
      ['0.2', 400],
    ] as const) {
      const got = await download(`${link}?A2A-Version=${version}`, ann);
      expect([version, got.status]).toEqual([version, status]);
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

/** The whole of an answer: what the task shows, and behind it the files that it goes on in. */
async function wholeAnswer(task: Task): Promise<string> {
  const rest = (task.artifacts ?? []).filter(({ name }) => name?.startsWith('answer, continued'));
  const pieces = [
    answerOf(task).replace(/\n\n\[The answer goes on in files of this task: .*\]$/, ''),
  ];
  for (const part of rest.flatMap(({ parts }) => parts)) {
    const bytes = part.raw === undefined ? (await download(part.url!, ann)).body : part.raw;
    pieces.push(
      Buffer.isBuffer(bytes) ? bytes.toString() : Buffer.from(bytes, 'base64').toString(),
    );
  }
  return pieces.join('');
}

/** 4 MB. */
const LONG = 'deltas count=400 every=1 pad=10000';

describe('an answer that is too long for its task', () => {
  it('should go on in files, of which every reader gets all', async () => {
    const stream = await onA.stream(LONG);
    await stream.until(20);
    const [first, ...some] = stream.events;
    const { id } = (first!.data as { task: Task }).task;
    const later = await onB.subscribe(id);
    const resumed = await onB.subscribe(id, formatEventId(some.at(-1)!.id!));
    const [all, tail, rest] = await Promise.all([stream, later, resumed].map(allOf));
    const read = await onB.get(id);
    expect(JSON.stringify(read).length).toBeLessThan(3 * 1024 * KIB);
    const folded = foldEvents(all!.map(({ data }) => data));
    const others = [
      foldEvents(tail!.map(({ data }) => data)),
      foldEvents([...[first!, ...some], ...rest!].map(({ data }) => data)),
      read,
    ];
    for (const task of [folded, ...others]) {
      expect(deltasIn(await wholeAnswer(task))).toEqual(numbered(1, 400));
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    }
    for (const { data } of [...all!, ...tail!]) {
      expect(JSON.stringify(data).length).toBeLessThan(3 * 1024 * KIB);
    }
    // What it was told before the end counts too: a file is there when its link is.
    const result = read.artifacts?.find(({ name }) => name === 'result')?.parts[0]?.data;
    expect(result).toMatchObject({ answer_truncated: true });
  });

  it('should be whole up to where it was canceled', async () => {
    const stream = await onA.stream('deltas count=5000 every=2 pad=10000');
    const file = await stream.find(
      ({ data }) =>
        'artifactUpdate' in data && data.artifactUpdate.artifact.name === 'answer, continued (1)',
    );
    expect(file.id).toBeDefined();
    const { id } = (stream.events[0]!.data as { task: Task }).task;
    const { body } = await onB.cancel(id);
    expect(body.status.state).toBe('TASK_STATE_CANCELED');
    const deltas = deltasIn(await wholeAnswer(body));
    expect(deltas.length).toBeGreaterThan(300);
    expect(deltas).toEqual(numbered(1, deltas.length));
  });

  it('should be whole after its owner was killed', async () => {
    const doomed = await fleet.add();
    const started = await new A2aClient(doomed.baseUrl, ann.token).start(
      LONG.replace('=1 ', '=5 '),
    );
    const stream = await onB.subscribe(started.id);
    await stream.find(({ data }) => JSON.stringify(data).includes('answer, continued (1)'));
    await doomed.kill9();
    const folded = foldEvents((await allOf(stream)).map(({ data }) => data));
    for (const task of [folded, await onA.get(started.id)]) {
      expect(deltasIn(await wholeAnswer(task))).toEqual(numbered(2, 400));
    }
  });

  it('should be so over 0.3 too', async () => {
    const message = {
      ...{ kind: 'message', messageId: 'long', role: 'user' },
      parts: [{ kind: 'text', text: LONG }],
    };
    const reply = await onB.call<{
      result: { artifacts: { name: string; parts: JsonObject[] }[] };
    }>('POST', '/a2a', { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } });
    expect(reply.text.length).toBeLessThan(3 * 1024 * KIB);
    const { artifacts } = reply.body.result;
    const parts = artifacts.filter(({ name }) => name.startsWith('answer')).flatMap((a) => a.parts);
    const texts = await Promise.all(
      parts.map(async (part) => {
        const { text = '', file } = part as { text?: string; file?: { uri: string } };
        return file === undefined
          ? text.replace(/\n\n\[[^]*\]$/, '')
          : (await download(file.uri, ann)).body.toString();
      }),
    );
    expect(deltasIn(texts.join(''))).toEqual(numbered(1, 400));
  });
});

describe('data and documents that are too long', () => {
  it('should be files of JSON, and no document more than 3 MiB', async () => {
    const sizes = [10, 1_500_000, 900_000, 900_000, 900_000, 900_000];
    const task = await onA.send(`data ${sizes.join(' ')}`);
    expect(JSON.stringify(task).length).toBeLessThan(3 * 1024 * KIB);
    const parts = (task.artifacts ?? [])
      .filter(({ name }) => name?.startsWith('data ') === true)
      .flatMap((artifact) => artifact.parts);
    expect(parts).toHaveLength(sizes.length);
    for (const [index, part] of parts.entries()) {
      expect(part.metadata).toEqual({ n9e_content_type: 'table' });
      const data: unknown =
        part.url === undefined
          ? part.data
          : JSON.parse((await download(part.url, ann)).body.toString());
      expect(data).toEqual({ rows: [index, 'd'.repeat(sizes[index]!)] });
    }
    expect(parts.filter(({ url }) => url !== undefined).length).toBeGreaterThan(1);
    expect(parts.filter(({ data }) => data !== undefined).length).toBeGreaterThan(1);
  });

  it('should end a page before it outgrows the wire', async () => {
    const me = new A2aClient(a.baseUrl, bob.token);
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await me.send('data 900000 900000')).id);
    const pages: string[][] = [];
    for (let token = '', more = true; more && pages.length < 9; more = token !== '') {
      const page = await me.call<{ tasks: Task[]; nextPageToken: string; totalSize: number }>(
        'GET',
        `/a2a/tasks?includeArtifacts=true&pageToken=${token}`,
      );
      expect(page.text.length).toBeLessThan(3 * 1024 * KIB);
      expect(page.body.totalSize).toBe(3);
      pages.push(page.body.tasks.map(({ id }) => id));
      token = page.body.nextPageToken;
    }
    expect(pages).toEqual(ids.map((id) => [id]));
    expect((await me.list()).tasks).toHaveLength(3);
  });
});
