import { Redis } from 'ioredis';
import { startGateway } from '../lib/gateway.mjs';
import { heldRss, startRedis } from '../lib/process.mjs';
import { cancelRun, startRun, subscribe } from '../lib/streams.mjs';

const STEPS = [1, 500, 1000, 2500, 5000];
const TASKS = 50;

/** P4: what an idle open stream costs: bytes of the process each, and connections of Redis. */
export async function run() {
  const redis = await startRedis();
  const gateway = await startGateway(redis.url);
  const { origin, child } = gateway;
  const admin = new Redis(redis.url);
  const connections = async () => (await admin.client('LIST')).trim().split('\n').length;
  const tasks = [];
  for (let i = 0; i < TASKS; i += 1) {
    tasks.push(await startRun(origin, { deltas: 2, pauseMs: 600_000 }));
  }
  const open = [];
  // What the first streams make once (code, pools, buffers) is not a stream's cost.
  for (let i = 0; i < 200; i += 1) open.push(await subscribe(origin, tasks[i % TASKS]));
  const base = { rss: await heldRss(child.pid), connections: await connections() };
  const raw = [];
  for (const step of STEPS) {
    while (open.length - 200 < step) {
      const batch = Math.min(50, step - (open.length - 200));
      open.push(
        ...(await Promise.all(
          Array.from({ length: batch }, (_, i) => subscribe(origin, tasks[i % TASKS])),
        )),
      );
    }
    const bytes = (await heldRss(child.pid)) - base.rss;
    raw.push({ streams: step, bytes, each: bytes / step, connections: await connections() });
  }
  const last = raw.at(-1);
  const dropped = open.filter((socket) => socket.destroyed).length;
  if (dropped > 0) throw new Error(`${dropped} of ${open.length} streams were dropped`);
  for (const socket of open) socket.removeAllListeners('close').destroy();
  await Promise.all(tasks.map((id) => cancelRun(origin, id)));
  admin.disconnect();
  return [
    {
      id: 'P4',
      figure: 'KiB of the process for each of 5,000 idle streams',
      value: last.each / 1024,
      target: 20,
      better: 'less',
      raw,
      growth: {
        of: 'open streams, KiB each',
        points: Object.fromEntries(raw.slice(1).map(({ streams, each }) => [streams, each / 1024])),
      },
    },
    {
      id: 'P4',
      figure: 'Redis connections more with 5,000 streams',
      value: last.connections - base.connections,
      target: 0,
      better: 'less',
    },
  ];
}
