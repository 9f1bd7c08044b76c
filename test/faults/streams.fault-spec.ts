import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { A2aClient, type EventStream } from '../support/a2a-client.js';
import type { Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, sleep } from '../support/wait.js';
import { FaultBench } from './bench.js';
import { atMost, note, spread } from './figures.js';
import { Follower } from './follower.js';

const MIB = 2 ** 20;
let redis: RedisServer;
let bench: FaultBench;
let gateway: Gateway;
let client: A2aClient;

beforeAll(async () => {
  redis = await RedisServer.start();
  const collector = join(import.meta.dirname, 'collect-garbage.mjs');
  const env = { NODE_OPTIONS: `--expose-gc --import ${pathToFileURL(collector).href}` };
  bench = await FaultBench.start(2, redis.url, { env });
  [gateway] = bench.fleet.gateways as [Gateway, Gateway];
  client = new A2aClient(gateway.baseUrl, FaultBench.ann.token);
});
afterAll(async () => {
  await bench.stop();
  await redis.stop();
});

const rss = (of: Gateway): Promise<number> => of.metric('process_resident_memory_bytes');

/** Subscribes by hand and reads nothing, or a byte a second. */
function badReader(id: string, bytesPerSecond: number): Socket {
  const socket = connect({ port: gateway.port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    `GET /a2a/tasks/${id}:subscribe HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nX-User-Token: ${FaultBench.ann.token}\r\n\r\n`,
  );
  if (bytesPerSecond > 0) {
    setInterval(() => {
      socket.read(bytesPerSecond);
    }, 1000).unref();
  }
  return socket;
}

it.each([
  ['a client that never reads', 0],
  ['a subscriber of 1 byte/s', 1],
])('should bound what %s costs', async (fault, pace) => {
  const before = await rss(gateway);
  const { id } = await client.start('deltas count=300 every=30 pad=6000');
  const sockets = Array.from({ length: 20 }, () => badReader(id, pace));
  const follower = new Follower(id, () => client);
  const began = performance.now();
  await follower.toTheEnd();
  note(
    fault,
    'a good reader beside 20 of them',
    `all in ${Math.round(performance.now() - began)} ms`,
  );
  const log = await bench.truth.log('acme', id);
  expect(follower.fault(log)).toBeUndefined();
  atMost(fault, 'memory for 20 of them, MiB', ((await rss(gateway)) - before) / MIB, 100);
  for (const socket of sockets) socket.destroy();
  await eventually(
    'their streams are closed',
    async () => (await gateway.metric('nightjar_openedstreams')) === 0,
    20_000,
  );
});

/** What the process holds once its garbage is collected, bytes. */
async function held(of: Gateway): Promise<number> {
  await sleep(2000);
  process.kill(of.pid, 'SIGUSR2');
  await sleep(1000);
  const heap = await of.metric('nodejs_heap_size_used_bytes');
  return heap + (await of.metric('nodejs_external_memory_bytes'));
}

it('should give everything back after 20,000 streams', async () => {
  const fault = '20,000 streams';
  const { id } = await client.start('deltas count=3000 every=200');
  const open = async (count: number): Promise<void> => {
    let left = count;
    await Promise.all(
      Array.from({ length: 25 }, async () => {
        while (left > 0) {
          left -= 1;
          const stream = await client.subscribe(id);
          await stream.until(1);
          stream.disconnect();
        }
      }),
    );
    await eventually(
      'all streams are closed',
      async () => (await gateway.metric('nightjar_openedstreams')) === 0,
      20_000,
    );
  };
  const handles = (): Promise<number> => gateway.metric('nodejs_active_handles_total');
  await open(4000);
  const [memory, opened] = [await held(gateway), await handles()];
  await open(16_000);
  atMost(fault, 'memory more than after 4,000, MiB', ((await held(gateway)) - memory) / MIB, 8);
  atMost(fault, 'handles more than before', (await handles()) - opened, 5);
  await client.cancel(id);
});

it('should bring 2,000 subscribers back when their instance restarts', async () => {
  const fault = '2,000 subscribers';
  const [first, other] = bench.fleet.gateways as [Gateway, Gateway];
  const onOther = new A2aClient(other.baseUrl, FaultBench.ann.token);
  const { id } = await onOther.start('deltas count=3000 every=1000');
  let refused = 0;
  // As clients do: one of 2,000 connections at the same moment may be reset on the way.
  const subscribe = async (on: A2aClient, last?: string): Promise<EventStream> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await on.subscribe(id, last);
      } catch (error) {
        if (attempt === 5) throw error;
        refused += 1;
        await sleep(200);
      }
    }
  };
  const before = await Promise.all(Array.from({ length: 2000 }, () => subscribe(client)));
  await Promise.all(before.map((stream) => stream.until(1)));
  first.sigterm();
  const waits: number[] = [];
  await Promise.all(
    before.map(async (stream) => {
      await stream.ended.catch(() => undefined);
      const from = stream.events.findLast((event) => event.id !== undefined)?.id;
      const began = performance.now();
      // EventSource waits as long as `retry:` says; the gateway gives each another time.
      await sleep(stream.retryMs ?? 0);
      const again = await subscribe(onOther, from && `${from.seq}-${from.epoch}`);
      await again.until(1);
      waits.push(performance.now() - began);
      again.disconnect();
    }),
  );
  const retries = before.map((stream) => stream.retryMs ?? 0);
  note(fault, 'connections that had to be tried again', refused);
  note(fault, 'told to come back after', spread(retries));
  note(fault, 'next event after the end of the stream', spread(waits));
  expect(new Set(retries).size).toBeGreaterThan(100);
  atMost(fault, 'slowest return, ms', Math.max(...waits), 20_000);
  await onOther.cancel(id);
});
