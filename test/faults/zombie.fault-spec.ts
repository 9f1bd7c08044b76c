import { afterAll, beforeAll, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { LEASE_MS } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, sleep } from '../support/wait.js';
import { FaultBench } from './bench.js';
import { atMost, note } from './figures.js';
import { Follower } from './follower.js';

const FAULT = 'SIGSTOP beyond the lease';
const ROUNDS = 5;
const RUNS = 10;
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

it('should have a paused owner write nothing when it wakes up', async () => {
  let late = 0;
  const faults: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [zombie, other] = round % 2 === 0 ? bench.alive : [...bench.alive].reverse();
    const onZombie = new A2aClient(zombie!.baseUrl, FaultBench.ann.token);
    const onOther = new A2aClient(other!.baseUrl, FaultBench.ann.token);
    const followed = await Promise.all(
      Array.from({ length: RUNS }, async () => {
        const { id } = await onZombie.start('deltas count=60 every=100');
        const follower = new Follower(id, () => onOther);
        return { tenant: 'acme', id, follower, ended: follower.toTheEnd() };
      }),
    );
    await sleep(500 + Math.random() * 1500);
    zombie!.sigstop();
    await sleep(LEASE_MS + 2500);
    zombie!.sigcont();
    faults.push(...(await bench.faults(followed)));
    for (const { id } of followed) {
      const log = await bench.truth.log('acme', id);
      const taken = log.findIndex((entry) => entry.id.epoch > 1);
      late += log.slice(taken < 0 ? log.length : taken).filter((e) => e.id.epoch === 1).length;
    }
    await eventually(
      'it has let go',
      async () => (await zombie!.metric('nightjar_active_runs')) === 0,
      20_000,
    );
  }
  note(FAULT, 'runs whose owner was paused', ROUNDS * RUNS);
  atMost(FAULT, 'events of the old epoch after the take-over', late, 0);
  expect(faults).toEqual([]);
  atMost(FAULT, 'streams with a gap, tasks lost', faults.length, 0);
});
