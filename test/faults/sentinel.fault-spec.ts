import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisSentinels } from '../support/redis-sentinels.js';
import { sleep } from '../support/wait.js';
import { FaultBench, total } from './bench.js';
import { atMost, note, spread } from './figures.js';

let set: RedisSentinels;
let bench: FaultBench;

beforeAll(async () => {
  set = await RedisSentinels.start({ aof: true, downAfterMs: 1500 });
  bench = await FaultBench.start(2, set.url, { env: { NIGHTJAR_LEASE_MS: '8000' } });
});
afterAll(async () => {
  await bench.stop();
  await set.stop();
});

it.each(['killed', 'frozen'])('should go on when the master is %s', async (how) => {
  const fault = `Sentinel, master ${how}`;
  const old = await set.master();
  const followed = await bench.follow(20, 'deltas count=200 every=100');
  await sleep(3000);
  const began = performance.now();
  if (how === 'killed') await old.kill9();
  else old.freeze();
  await set.failedOver(old);
  note(fault, 'promoted after', `${Math.round(performance.now() - began)} ms`);
  const states = await Promise.all(followed.map(({ ended }) => ended));
  note(
    fault,
    'longest silence of a reader',
    spread(followed.map((f) => f.follower.longestSilence)),
  );
  note(fault, 'snapshots in place of lost events', total(followed, 'snapshots'));
  const completed = states.filter((state) => state === 'TASK_STATE_COMPLETED').length;
  note(fault, 'runs completed', `${completed} of ${followed.length}`);
  const faults = await bench.faults(followed);
  const wrong = faults.filter((text) => !text.endsWith('TASK_STATE_FAILED'));
  expect(wrong).toEqual([]);
  atMost(fault, 'streams with an unannounced gap, tasks without an end', wrong.length, 0);
  if (how === 'frozen') old.thaw();
  else await old.restart();
  await set.inSync();
});
