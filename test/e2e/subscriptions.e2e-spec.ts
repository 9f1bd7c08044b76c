import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../src/domain/a2a.js';
import { A2aClient, type EventStream } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import {
  answerOf,
  deltasIn,
  deltasOfLog,
  faultOf,
  numbered,
  ranBy,
  Truth,
} from '../support/task-log.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { sleep, within } from '../support/wait.js';

const TASKS = 10;
const SUBSCRIPTIONS = 300;
const DELTAS = 130;
const PACE_MS = 100;
/** Subscriptions start over this time, well inside what the runs take. */
const SPREAD_MS = 8_000;

const ann = caller('acme', 'ann');
let redis: RedisServer;
let proxy: TcpProxy;
let truth: Truth;
let fleet: Fleet;
let a: Gateway;
let b: Gateway;

beforeAll(async () => {
  redis = await RedisServer.start();
  proxy = await TcpProxy.start(redis.port);
  truth = Truth.open(redis.url);
  fleet = await Fleet.start(1, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme', limits: { streamsPerUser: 1_000, streamsPerTenant: 1_000 } }],
    callers: [ann],
  });
  // Only B goes through the proxy: its SUBSCRIBE and its messages come late and unevenly.
  await fleet.add({ REDIS_URL: proxy.url });
  [a, b] = fleet.gateways as [Gateway, Gateway];
  proxy.delaySubscribers = {
    toServer: () => Math.random() * 250,
    toClient: () => Math.random() * 60,
  };
});
afterAll(async () => {
  truth.close();
  await fleet.stop();
  await proxy.stop();
  await redis.stop();
});

describe('subscriptions on B to tasks on A', () => {
  it('should each be exact: no gap, no duplicate, fold(snapshot + tail) = fold(log)', async () => {
    const onA = new A2aClient(a.baseUrl, ann.token);
    const onB = new A2aClient(b.baseUrl, ann.token);
    const began = performance.now();
    const tasks = await Promise.all(
      Array.from({ length: TASKS }, () => onA.start(`deltas count=${DELTAS} every=${PACE_MS}`)),
    );
    await sleep(2 * PACE_MS);

    const streams: { task: Task; stream: EventStream; seenBefore: number }[] = [];
    // What any client has already been shown of a task, a later one must find in its snapshot.
    const seen = (id: string): number =>
      Math.max(
        0,
        ...streams
          .filter(({ task }) => task.id === id)
          .map(({ stream }) => stream.events.findLast((event) => event.id)?.id?.seq ?? 0),
      );
    await Promise.all(
      Array.from({ length: SUBSCRIPTIONS }, async (_, index) => {
        await sleep(Math.random() * SPREAD_MS);
        const task = tasks[index % TASKS]!;
        const seenBefore = seen(task.id);
        streams.push({ task, stream: await onB.subscribe(task.id), seenBefore });
      }),
    );
    // Losing the subscriber link altogether must not cost an event either.
    proxy.cut(({ subscriber }) => subscriber);
    await within('all streams end', 40_000, Promise.all(streams.map(({ stream }) => stream.ended)));
    expect(performance.now() - began).toBeGreaterThan(DELTAS * PACE_MS);

    const logs = new Map(
      await Promise.all(tasks.map(async ({ id }) => [id, await truth.log('acme', id)] as const)),
    );
    for (const { id } of tasks) {
      expect(ranBy(fleet.journal, id)).toEqual([a.pid]);
      expect(deltasOfLog(logs.get(id)!, 1)).toEqual(numbered(1, DELTAS));
    }
    const faults = streams.map(({ task, stream }) => faultOf(stream, logs.get(task.id)!));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);

    const stale = streams.filter(
      ({ stream, seenBefore }) => stream.events[0]!.id!.seq < seenBefore,
    );
    expect(stale).toHaveLength(0);

    // Each counts: it began between two deltas of the run.
    const between = streams.filter(({ stream }) => {
      const first = stream.events[0]!.data;
      const deltas = 'task' in first ? deltasIn(answerOf(first.task)).length : 0;
      return deltas > 0 && deltas < DELTAS;
    });
    expect(between).toHaveLength(SUBSCRIPTIONS);
  });
});
