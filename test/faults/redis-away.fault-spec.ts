import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisServer } from '../support/redis-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { eventually, sleep } from '../support/wait.js';
import { FaultBench, total } from './bench.js';
import { atMost, note, spread } from './figures.js';

let redis: RedisServer;
let proxy: TcpProxy;
let bench: FaultBench;

beforeAll(async () => {
  redis = await RedisServer.start({ aof: true });
  proxy = await TcpProxy.start(redis.port);
  bench = await FaultBench.start(2, proxy.url, { truthUrl: redis.url });
});
afterAll(async () => {
  await bench.stop();
  await proxy.stop();
  await redis.stop();
});

it('should lose nothing when Redis is killed and comes back with its append-only file', async () => {
  const fault = 'Redis killed, AOF';
  const followed = await bench.follow(10, 'deltas count=120 every=100');
  await sleep(3000);
  await redis.kill9();
  await sleep(500);
  await redis.restart();
  expect(await bench.faults(followed)).toEqual([]);
  atMost(fault, 'runs lost', 0, 0);
  atMost(fault, 'snapshots in place of events', total(followed, 'snapshots'), 0);
  note(fault, 'longest silence of a reader', silences(followed));
  await servesAgain();
});

it.each([2, 30])(
  'should hold when Redis cannot be reached for %i s in mid-stream',
  async (seconds) => {
    const fault = `Redis away ${seconds} s`;
    const followed = await bench.follow(10, 'deltas count=120 every=100');
    await sleep(3000);
    const began = performance.now();
    proxy.refuse();
    await sleep(500);
    const asked = performance.now();
    const meanwhile = bench
      .any()
      .sendRaw('instant')
      .then((answer) => ({ answer, ms: Math.round(performance.now() - asked) }));
    await sleep(seconds * 1000 - (performance.now() - began));
    proxy.allow();
    const back = performance.now();
    const again = servesAgain().then(() => Math.round(performance.now() - back));
    // A caller has a little patience: a short outage it does not notice.
    const { answer, ms } = await meanwhile;
    if (seconds > 5 || answer.status !== 200) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    const states = await Promise.all(followed.map(({ ended }) => ended));
    note(fault, 'a new message meanwhile', `${answer.status} after ${ms} ms`);
    const completed = states.filter((state) => state === 'TASK_STATE_COMPLETED').length;
    note(fault, 'runs that went on', `${completed} of 10`);
    note(fault, 'longest silence of a reader', silences(followed));
    // Thirty seconds is what a run waits: one that gave up has ended, and says why.
    const others = states.filter((state) => state !== 'TASK_STATE_COMPLETED');
    if (seconds < 30) expect(others).toEqual([]);
    else expect(new Set([...others, 'TASK_STATE_FAILED'])).toEqual(new Set(['TASK_STATE_FAILED']));
    const faults = await bench.faults(followed);
    const wrong = faults.filter((text) => !text.endsWith('TASK_STATE_FAILED'));
    expect(wrong).toEqual([]);
    atMost(fault, 'streams with a gap or without an end', wrong.length, 0);
    note(fault, 'ready for new work after', `${await again} ms at most`);
  },
);

function silences(followed: Awaited<ReturnType<FaultBench['follow']>>): string {
  return spread(followed.map(({ follower }) => follower.longestSilence));
}

async function servesAgain(): Promise<void> {
  for (const gateway of bench.alive) {
    await eventually('it is ready again', () => gateway.isReady(), 20_000, 100);
  }
}
