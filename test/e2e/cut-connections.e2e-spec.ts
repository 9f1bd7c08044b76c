import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../src/domain/a2a.js';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf, deltasIn, deltasOfLog, numbered, ranBy, Truth } from '../support/task-log.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { eventually, sleep } from '../support/wait.js';

/** 100 in CI; NIGHTJAR_CUTS=1000 by hand. */
const CUTS = Number(process.env['NIGHTJAR_CUTS'] ?? 100);
const TASKS_A_BATCH = 12;
const DELTAS = 80;
const PACE_MS = 50;

const ann = caller('acme', 'ann');
let redis: RedisServer;
let proxy: TcpProxy;
let truth: Truth;
let fleet: Fleet;

beforeAll(async () => {
  redis = await RedisServer.start();
  proxy = await TcpProxy.start(redis.port);
  truth = Truth.open(redis.url);
  fleet = await Fleet.start(2, {
    redisUrl: proxy.url,
    tenants: [{ id: 'acme' }],
    callers: [ann],
    // Heartbeats are cut as well: this is about writes that are sent twice, not about dead owners.
    env: { NIGHTJAR_LEASE_MS: '20000' },
  });
});
afterAll(async () => {
  truth.close();
  await fleet.stop();
  await proxy.stop();
  await redis.stop();
});

/** Sends like a client that is told 503 or cut off: the same message again until it is answered. */
async function insist(client: A2aClient, messageId: string): Promise<Task> {
  return eventually('the task is started', async () => {
    const reply = await client.sendRaw(`deltas count=${DELTAS} every=${PACE_MS}`, {
      messageId,
      configuration: { returnImmediately: true },
    });
    if (reply.status !== 200 && reply.status !== 503) throw new Error(reply.text);
    return reply.status === 200 ? reply.body.task : undefined;
  });
}

describe(`a Redis connection cut after the command has run, ${CUTS} times`, () => {
  it(
    'should double no delta, no task and no count',
    async () => {
      const clients = fleet.gateways.map((gateway) => new A2aClient(gateway.baseUrl, ann.token));
      const ids: string[] = [];
      let scripts = 0;
      // Every 15th script call: creates, appends, settles, heartbeats, reads, as they come.
      proxy.judge = ([name]) => {
        if (name !== 'evalsha' && name !== 'eval') return 'forward';
        scripts += 1;
        return scripts % 15 === 0 && proxy.cuts < CUTS ? 'cut-after' : 'forward';
      };
      for (let batch = 0; proxy.cuts < CUTS && batch < CUTS; batch += 1) {
        const tasks = await Promise.all(
          Array.from({ length: TASKS_A_BATCH }, (_, i) =>
            insist(clients[i % clients.length]!, randomUUID()),
          ),
        );
        ids.push(...tasks.map(({ id }) => id));
        await eventually(
          'the batch is over',
          async () => (await truth.unfinished('acme', 'ann')) === 0,
          60_000,
          100,
        );
      }
      expect(proxy.cuts).toBeGreaterThanOrEqual(CUTS);
      proxy.judge = () => 'forward';
      await sleep(500);

      expect(new Set(ids).size).toBe(ids.length);
      for (const id of ids) {
        const log = await truth.log('acme', id);
        expect(log.map((entry) => entry.id.seq)).toEqual(log.map((_, index) => index + 1));
        expect(deltasOfLog(log, 1)).toEqual(numbered(1, DELTAS));
        const task = await clients[1]!.get(id);
        expect(task.status.state).toBe('TASK_STATE_COMPLETED');
        expect(deltasIn(answerOf(task))).toEqual(numbered(1, DELTAS));
        expect(task.metadata).toMatchObject({ 'n9e.seq_id': 1 });
        expect(ranBy(fleet.journal, id)).toHaveLength(1);
      }
      expect((await clients[0]!.list('?pageSize=1')).totalSize).toBe(ids.length);
      expect(await truth.active('acme', 'ann')).toEqual({ user: 0, tenant: 0 });
    },
    60_000 + CUTS * 1_000,
  );
});
