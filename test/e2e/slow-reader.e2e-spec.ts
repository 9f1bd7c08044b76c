import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf, deltasIn, numbered } from '../support/task-log.js';
import { eventually, within } from '../support/wait.js';

const ann = caller('acme', 'ann');
const DELTAS = 1500;
/** 12 MB in all, most of it in steps: more than sockets and buffers on the way can hold. */
const RUN = `deltas count=${DELTAS} every=2 step=8000`;
const RSS = 'process_resident_memory_bytes';

let redis: RedisServer;
let fleet: Fleet;
let gateway: Gateway;
beforeAll(async () => {
  redis = await RedisServer.start();
  fleet = await Fleet.start(1, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }],
    callers: [ann],
    config: { execution: { sseStallMs: 2_000 } },
  });
  gateway = fleet.gateways[0]!;
});
afterAll(async () => {
  await fleet.stop();
  await redis.stop();
});

/** Subscribes and then reads nothing. */
async function deafReader(taskId: string): Promise<Socket> {
  const { hostname, port } = new URL(gateway.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    `GET /a2a/tasks/${taskId}:subscribe HTTP/1.1\r\nhost: ${hostname}:${port}\r\n` +
      `x-user-token: ${ann.token}\r\naccept: text/event-stream\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

describe('clients that do not read their stream', () => {
  it('should be cut off, the run and its other readers untouched, and memory bounded', async () => {
    const client = new A2aClient(gateway.baseUrl, ann.token);
    const task = await client.start(RUN);
    const before = await gateway.metric(RSS);
    const deaf = await Promise.all(Array.from({ length: 20 }, () => deafReader(task.id)));
    const reader = await client.subscribe(task.id);
    await eventually('all streams are open', async () =>
      (await gateway.metric('nightjar_open_streams')) === 21 ? true : undefined,
    );
    await eventually(
      'only the one who reads is left',
      async () => ((await gateway.metric('nightjar_open_streams')) <= 1 ? true : undefined),
      60_000,
    );
    // 20 streams of 12 MB would be 240 MiB.
    expect((await gateway.metric(RSS)) - before).toBeLessThan(150 * 1024 * 1024);
    await within('the other stream ends', 60_000, reader.ended);
    const done = await client.get(task.id);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(deltasIn(answerOf(done))).toEqual(numbered(1, DELTAS));
    // What had got through begins with the hint to come back.
    const [first] = deaf;
    let text = '';
    first!.on('data', (data) => (text += data.toString()));
    first!.resume();
    await within(
      'the socket closes',
      20_000,
      new Promise((resolve) => first!.once('close', resolve)),
    );
    expect(text).toMatch(/\r\n\r\n[0-9a-f]+\r\nretry: \d+\nid: /);
    expect(text).not.toContain('TASK_STATE_COMPLETED');
    for (const socket of deaf) socket.destroy();
  });
});
