import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { createHttpAdapter } from '../../src/protocols/http/http-adapter.js';
import { a2aConfig } from './a2a-harness.js';

const TIMES = { request: 900, headers: 300, idle: 500, look: 50 };
/** Far above every time above, and what a busy machine adds. */
const SOON_MS = 10_000;

let app: FastifyInstance;
let port: number;
/** Bodies that reached a route. */
const taken: string[] = [];

beforeAll(async () => {
  app = createHttpAdapter(a2aConfig(), TIMES).getInstance();
  app.post('/a2a/echo', (request) => {
    taken.push(String(request.body));
    return { ok: true };
  });
  app.get('/a2a/stream', async (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.raw.write(': hi\n\n');
    await new Promise((resolve) => setTimeout(resolve, TIMES.request * 2));
    reply.raw.end('data: end\n\n');
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(() => app.close());

/** Writes the pieces, each after a pause, and reads until the server closes. */
function talk(pieces: readonly string[], pauseMs = 0): Promise<{ text: string; ms: number }> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let next = 0;
    const write = (): void => {
      const piece = pieces[next];
      next += 1;
      if (piece === undefined || socket.destroyed) return;
      socket.write(piece, 'latin1');
      setTimeout(write, pauseMs);
    };
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`still open; so far: ${JSON.stringify(text)}`));
    }, SOON_MS);
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    socket.once('connect', write);
    socket.once('close', () => {
      clearTimeout(late);
      resolve({ text, ms: performance.now() - began });
    });
  });
}

const HEAD = 'POST /a2a/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const SECOND = 'POST /a2a/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nSMUGGLED';

describe('requests that two servers could read differently', () => {
  it.each([
    [
      'a length and chunks',
      `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`,
    ],
    ['two lengths', `${HEAD}Content-Length: 2\r\nContent-Length: 44\r\n\r\n{}${SECOND}`],
    ['lengths in a list', `${HEAD}Content-Length: 2, 44\r\n\r\n{}${SECOND}`],
    ['a length with a sign', `${HEAD}Content-Length: +2\r\n\r\n{}${SECOND}`],
    ['a space before the colon', `${HEAD}Content-Length : 2\r\n\r\n{}${SECOND}`],
    [
      'chunks that are not the last coding',
      `${HEAD}Transfer-Encoding: chunked, x\r\n\r\n${SECOND}`,
    ],
    [
      'another coding before chunks',
      `${HEAD}Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${SECOND}`,
    ],
    [
      'chunks in HTTP/1.0',
      `${HEAD.replace('1.1', '1.0')}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${SECOND}`,
    ],
    ['a coding like chunks', `${HEAD}Transfer-Encoding: xchunked\r\n\r\n${SECOND}`],
    [
      'a folded header',
      `${HEAD}Transfer-Encoding:\r\n chunked\r\nContent-Length: 2\r\n\r\n{}${SECOND}`,
    ],
    [
      'a chunk of no size',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n${SECOND}`,
    ],
    [
      'a chunk with a bare line feed',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n${SECOND}`,
    ],
    ['a zero byte in a header', `${HEAD}X-A: a\0b\r\nContent-Length: 2\r\n\r\n{}${SECOND}`],
    ['two hosts', `POST /a2a/echo HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}`],
    ['no host', `POST /a2a/echo HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}`],
  ])('should be refused, and nothing behind them be served: %s', async (_name, sent) => {
    taken.length = 0;
    const { text } = await talk([sent]);
    expect(text).not.toMatch(/^HTTP\/1.1 2/m);
    expect(text).toMatch(/^HTTP\/1.1 4\d\d /);
    expect(taken).toEqual([]);
  });

  it('should be refused when the headers are too large', async () => {
    const { text } = await talk([`${HEAD}X-Large: ${'x'.repeat(20_000)}\r\n\r\n`]);
    expect(text).toMatch(/^HTTP\/1.1 431 /);
  });
});

describe('clients that are slow on purpose', () => {
  it('should lose their connection while the headers trickle in', async () => {
    const drips = Array.from({ length: 1000 }, (_, i) => `X-${i}: a\r\n`);
    const { text } = await talk([HEAD, ...drips], 20);
    expect(text).toMatch(/^HTTP\/1.1 408 /);
  });

  it('should lose it while the body trickles in', async () => {
    taken.length = 0;
    const drips = Array.from({ length: 1000 }, () => ' ');
    const { text } = await talk([`${HEAD}Content-Length: 5000\r\n\r\n{`, ...drips], 20);
    expect(text).toMatch(/^HTTP\/1.1 408 /);
    expect(taken).toEqual([]);
  });

  it('should lose it when they ask nothing more, and when they never asked', async () => {
    const { text } = await talk([`${HEAD}Content-Length: 2\r\n\r\n{}`]);
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    await talk([]);
  });

  it('should keep a stream however long it takes: a response has no deadline', async () => {
    const get = 'GET /a2a/stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const { text, ms } = await talk([get]);
    expect(text).toContain('data: end');
    expect(ms).toBeGreaterThan(TIMES.request);
  });
});
