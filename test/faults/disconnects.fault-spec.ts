import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisServer } from '../support/redis-server.js';
import { FaultBench } from './bench.js';
import { atMost, note } from './figures.js';
import { Follower } from './follower.js';
import { sendSafely } from './work.js';

const FAULT = 'disconnects';
const TRIALS = 10_000;
const TASKS = 20;
const READERS = 80;
let redis: RedisServer;
let bench: FaultBench;

beforeAll(async () => {
  redis = await RedisServer.start();
  bench = await FaultBench.start(2, redis.url);
});
afterAll(async () => {
  await bench.stop();
  await redis.stop();
});

it(`should be exact for clients that go away and come back ${TRIALS} times`, async () => {
  let trials = 0;
  let rounds = 0;
  const faults: string[] = [];
  let events = 0;
  while (trials < TRIALS && rounds < 12) {
    rounds += 1;
    const ids = await Promise.all(
      Array.from({ length: TASKS }, async () => {
        const text = 'deltas count=300 every=60';
        const { task } = await sendSafely(bench.any, text, { returnImmediately: true });
        return task.id;
      }),
    );
    const followers = Array.from({ length: READERS }, (_, i) => {
      const id = ids[i % TASKS]!;
      const onStream = (disconnect: () => void): void => {
        if (trials >= TRIALS) return;
        setTimeout(
          () => {
            trials += 1;
            disconnect();
          },
          20 + Math.random() * 280,
        );
      };
      return { id, follower: new Follower(id, bench.any, onStream) };
    });
    await Promise.all(followers.map(({ follower }) => follower.toTheEnd()));
    for (const id of ids) {
      const log = await bench.truth.log('acme', id);
      for (const reader of followers.filter((f) => f.id === id)) {
        const fault = reader.follower.fault(log);
        if (fault !== undefined) faults.push(`${id}: ${fault}`);
        if (reader.follower.snapshots > 0) faults.push(`${id}: a snapshot without a reason`);
        events += reader.follower.events.length;
      }
    }
  }
  note(FAULT, 'disconnects and resubscribes', trials);
  note(FAULT, 'events read', events);
  expect(faults).toEqual([]);
  atMost(FAULT, 'gaps and duplicates', faults.length, 0);
  expect(trials).toBeGreaterThanOrEqual(TRIALS);
});
