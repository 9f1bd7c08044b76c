import { Redis } from 'ioredis';
import { sendRequest, startGateway, verifyTask } from '../lib/gateway.mjs';
import { load } from '../lib/load.mjs';
import { cpuSeconds, heldRss, startRedis } from '../lib/process.mjs';
import { cancelRun, startRun } from '../lib/streams.mjs';

/**
 * C1: the costs that docs/scaling.md reckons with: bytes in Redis and CPU of gateway and Redis for a
 * stored task, a delta and a running task; and a mixed load whose bytes the sum must foretell.
 */
export async function run() {
  const redis = await startRedis();
  const { origin, child } = await startGateway(redis.url);
  const admin = new Redis(redis.url);
  const bytes = async () => Number(/used_memory:(\d+)/.exec(await admin.info('memory'))[1]);
  const send = (total, deltas, connections = 16, pauseMs = 0) =>
    load({
      origin,
      total,
      connections,
      request: (index) => sendRequest(index, JSON.stringify({ deltas, pauseMs })),
      verify: (answer, index) => (deltas === 1 ? verifyTask(answer, index, 'hello') : undefined),
    });
  const measured = async (work) => {
    const before = [await bytes(), await cpuSeconds(child.pid), await cpuSeconds(redis.child.pid)];
    await work();
    const after = [await bytes(), await cpuSeconds(child.pid), await cpuSeconds(redis.child.pid)];
    return after.map((figure, i) => figure - before[i]);
  };
  await send(500, 1);
  const tasks = await measured(() => send(3000, 1));
  const streamed = await measured(() => send(60, 1000, 4));
  const task = { bytes: tasks[0] / 3000, gateway: tasks[1] / 3000, redis: tasks[2] / 3000 };
  const paced = await measured(() => send(200, 20, 100, 150));
  const each = (total, count, tasksIn) => ({
    bytes: (total[0] - tasksIn * task.bytes) / count,
    gateway: (total[1] - tasksIn * task.gateway) / count,
    redis: (total[2] - tasksIn * task.redis) / count,
  });
  // Deltas that come at once are stored together; those that come one by one are not.
  const delta = each(streamed, 60_000, 60);
  const alone = each(paced, 4000, 200);

  const open = [];
  const before = { redis: await bytes(), gateway: await heldRss(child.pid) };
  for (let i = 0; i < 400; i += 1) {
    open.push(await startRun(origin, { deltas: 2, pauseMs: 600_000 }));
  }
  const running = {
    bytes: ((await bytes()) - before.redis) / open.length,
    gateway: ((await heldRss(child.pid)) - before.gateway) / open.length,
  };
  for (const id of open) await cancelRun(origin, id);

  const mixed = await measured(async () => {
    await send(400, 50, 8);
    await send(800, 1);
  });
  const foretold = 1200 * task.bytes + 400 * 50 * delta.bytes;
  admin.disconnect();
  const row = (figure, value, target) => ({ id: 'C1', figure, value, target, better: 'less' });
  return [
    {
      ...row('bytes in Redis of a finished task', task.bytes),
      raw: { task, delta, alone, running },
    },
    row('bytes in Redis of a delta', delta.bytes),
    row('bytes in Redis of a delta that comes alone', alone.bytes),
    row('bytes in Redis of a running task', running.bytes),
    row('KiB of the gateway for a running task', running.gateway / 1024),
    row('µs of gateway CPU a task', task.gateway * 1e6),
    row('µs of Redis CPU a task', task.redis * 1e6),
    row('µs of gateway CPU a delta', delta.gateway * 1e6),
    row('µs of Redis CPU a delta', delta.redis * 1e6),
    row('µs of gateway CPU a delta that comes alone', alone.gateway * 1e6),
    row('µs of Redis CPU a delta that comes alone', alone.redis * 1e6),
    row(
      'a mixed load’s bytes / what the model foretells, off by',
      Math.abs(mixed[0] / foretold - 1),
      0.15,
    ),
  ];
}
