import { afterAll, beforeAll, expect, it } from 'vitest';
import { isSettled } from '../../src/domain/task-state.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf } from '../support/task-log.js';
import { eventually } from '../support/wait.js';
import { FaultBench, total } from './bench.js';
import { atMost, note, spread } from './figures.js';
import { sendSafely } from './work.js';

const FAULT = 'rolling restart';
const WORKERS = 8;
let redis: RedisServer;
let bench: FaultBench;

beforeAll(async () => {
  redis = await RedisServer.start();
  bench = await FaultBench.start(3, redis.url, { env: { NIGHTJAR_DRAIN_SECONDS: '3' } });
});
afterAll(async () => {
  await bench.stop();
  await redis.stop();
});

it('should fail no request and lose no task when every instance is replaced under load', async () => {
  const followed = await bench.follow(15, 'deltas count=400 every=100');
  let rolling = true;
  let requests = 0;
  let retried = 0;
  const failures: string[] = [];
  const took: number[] = [];
  const workers = Array.from({ length: WORKERS }, async () => {
    while (rolling) {
      const began = performance.now();
      try {
        const { task, retries } = await sendSafely(bench.any, 'deltas count=5 every=20');
        const ended = isSettled(task.status.state) ? task : await untilSettled(task.id);
        if (ended.status.state !== 'TASK_STATE_COMPLETED') failures.push(ended.status.state);
        if (!answerOf(ended).includes('.5 ')) failures.push(`answer ${answerOf(ended)}`);
        retried += retries > 0 ? 1 : 0;
        took.push(performance.now() - began);
      } catch (error) {
        failures.push(String(error));
      }
      requests += 1;
    }
  });
  for (const old of [...bench.fleet.gateways]) {
    // As Kubernetes with maxSurge 1: a new one is ready before an old one is told to go.
    await bench.fleet.add();
    old.sigterm();
    expect(await old.exited()).toBe(0);
  }
  rolling = false;
  await Promise.all(workers);
  const faults = await bench.faults(followed);
  note(FAULT, 'sends under load, each to its end', requests);
  note(FAULT, 'sends that were sent again', retried);
  note(FAULT, 'time of a send', spread(took));
  note(FAULT, 'streams opened by 15 readers', total(followed, 'connects'));
  atMost(FAULT, 'sends failed', failures.length, 0);
  expect(faults).toEqual([]);
  atMost(FAULT, 'streams with a gap, tasks lost', faults.length, 0);
  expect(requests).toBeGreaterThan(20);
});

async function untilSettled(id: string) {
  return eventually(
    'the task ends',
    async () => {
      const task = await bench.any().get(id);
      return isSettled(task.status.state) ? task : undefined;
    },
    60_000,
    100,
  );
}
