import { connect, createServer } from 'node:net';
import { startGateway } from '../lib/gateway.mjs';
import { median } from '../lib/load.mjs';
import { startRedis } from '../lib/process.mjs';
import { startRun, subscribe } from '../lib/streams.mjs';

const ROUND_TRIP_MS = 200;
const ROUNDS = 7;

/**
 * P6: the first event after subscribing on an instance that has never seen the task, counted in
 * round trips to Redis: the link of that instance is made slow, so that nothing else weighs.
 */
export async function run() {
  const redis = await startRedis();
  const far = await slowLink(redis.port, ROUND_TRIP_MS / 2);
  const owner = await startGateway(redis.url);
  const other = await startGateway(`redis://127.0.0.1:${far.port}`);
  const trips = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const taskId = await startRun(owner.origin, { deltas: 2, pauseMs: 600_000 });
    const began = performance.now();
    const socket = await subscribe(other.origin, taskId);
    trips.push((performance.now() - began) / ROUND_TRIP_MS);
    socket.removeAllListeners('close').destroy();
  }
  far.close();
  return [
    {
      id: 'P6',
      figure: 'Redis round trips to the first event on another instance',
      value: median(trips),
      // Two, and a tenth for what is not Redis.
      target: 2.1,
      better: 'less',
      raw: trips,
    },
  ];
}

/** A TCP relay that holds every chunk back for `delayMs`, each way, in order. */
async function slowLink(target, delayMs) {
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      from.on('data', (chunk) => setTimeout(() => to.writable && to.write(chunk), delayMs));
      from.on('close', () => to.destroy());
      from.on('error', () => to.destroy());
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, close: () => server.close() };
}
