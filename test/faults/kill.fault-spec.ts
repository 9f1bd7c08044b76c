import { afterAll, beforeAll, expect, it } from 'vitest';
import { isTerminal } from '../../src/domain/task-state.js';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet, LEASE_MS } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf, deltasIn, numbered, Truth } from '../support/task-log.js';
import { sleep } from '../support/wait.js';
import { atMost, note, spread } from './figures.js';
import { Follower } from './follower.js';
import { anyOf, sendSafely } from './work.js';

const FAULT = 'kill -9 of the owner';
const ROUNDS = 10;
const RUNS = 20;
const DELTAS = 60;
const ann = caller('acme', 'ann');
let redis: RedisServer;
let truth: Truth;
let fleet: Fleet;

beforeAll(async () => {
  redis = await RedisServer.start();
  truth = Truth.open(redis.url);
  fleet = await Fleet.start(3, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }],
    callers: [ann],
  });
});
afterAll(async () => {
  truth.close();
  await fleet.stop();
  await redis.stop();
});

it(`should continue ${ROUNDS * RUNS} runs whose owner is killed at a random point`, async () => {
  const continued: number[] = [];
  const faults: string[] = [];
  let interrupted = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const alive = fleet.gateways.filter(({ exitCode }) => exitCode === undefined);
    const victim = alive[0]!;
    const others = alive.slice(1);
    const followed = await Promise.all(
      Array.from({ length: RUNS }, async () => {
        await sleep(Math.random() * 1500);
        const on = (): A2aClient =>
          victim.exitCode === undefined
            ? new A2aClient(victim.baseUrl, ann.token)
            : anyOf(others, ann);
        const text = `deltas count=${DELTAS} every=50`;
        const { task } = await sendSafely(on, text, { returnImmediately: true });
        return { task, follower: new Follower(task.id, () => anyOf(others, ann)) };
      }),
    );
    const ends = followed.map(({ follower }) => follower.toTheEnd());
    await sleep(Math.random() * 1500);
    const killed = performance.now();
    await victim.kill9();
    const added = fleet.add();
    const states = await Promise.all(ends);
    await added;
    for (const [i, { task, follower }] of followed.entries()) {
      const log = await truth.log('acme', task.id);
      const fault = follower.fault(log);
      if (fault !== undefined) faults.push(`${task.id}: ${fault}`);
      if (states[i] !== 'TASK_STATE_COMPLETED') faults.push(`${task.id}: ${states[i] ?? ''}`);
      const second = follower.events.find(({ id }) => (id?.epoch ?? 1) > 1);
      if (second !== undefined) {
        interrupted += 1;
        continued.push(second.at - killed);
      }
      const stored = await anyOf(others, ann).get(task.id);
      const attempt = second === undefined ? 1 : 2;
      const told = deltasIn(answerOf(stored));
      const right = numbered(attempt, DELTAS).join();
      if (told.join() !== right) faults.push(`${task.id}: ${told.join()}`);
      expect(isTerminal(stored.status.state)).toBe(true);
    }
  }
  note(FAULT, 'runs', ROUNDS * RUNS);
  note(FAULT, 'runs that lost their owner half-way', interrupted);
  note(FAULT, 'going on elsewhere after', spread(continued));
  expect(faults).toEqual([]);
  atMost(FAULT, 'tasks lost, stuck or told wrongly', faults.length, 0);
  // Lease + 2 s on a machine of one's own; a busy one is given three more.
  atMost(FAULT, 'slowest continuation, ms', Math.max(...continued), LEASE_MS + 5000);
  expect(interrupted).toBeGreaterThan((ROUNDS * RUNS) / 2);
});
