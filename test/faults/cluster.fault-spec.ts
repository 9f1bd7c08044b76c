import { afterAll, beforeAll, expect, it } from 'vitest';
import { caller, type Caller } from '../support/gateway.js';
import { RedisCluster } from '../support/redis-cluster.js';
import { sleep } from '../support/wait.js';
import { FaultBench, type Followed, LOTS, total } from './bench.js';
import { atMost, note, spread } from './figures.js';
import { Follower } from './follower.js';
import { anyOf, sendSafely } from './work.js';

let cluster: RedisCluster;
let bench: FaultBench;
let people: Caller[];

beforeAll(async () => {
  cluster = await RedisCluster.start({ replicas: true, nodeTimeoutMs: 2000, aof: true });
  const tenants = await Promise.all([0, 1, 2].map((n) => cluster.tagOf(n, 'tenant')));
  people = tenants.map((id) => caller(id, 'ann'));
  bench = await FaultBench.start(2, cluster.url, {
    tenants: tenants.map((id) => ({ id, limits: LOTS })),
    callers: people,
    env: { NIGHTJAR_LEASE_MS: '8000' },
  });
});
afterAll(async () => {
  await bench.stop();
  await cluster.stop();
});

/** Five runs of each tenant, on three masters. */
async function followAll(text: string): Promise<Followed[]> {
  return Promise.all(
    people.flatMap((who) =>
      Array.from({ length: 5 }, async () => {
        const pick = () => anyOf(bench.alive, who);
        const { task } = await sendSafely(pick, text, { returnImmediately: true });
        const follower = new Follower(task.id, pick);
        return { tenant: who.tenant, id: task.id, follower, ended: follower.toTheEnd() };
      }),
    ),
  );
}

it('should stream on while slots move', async () => {
  const fault = 'Cluster, slots move';
  const followed = await followAll('deltas count=200 every=50');
  let moves = 0;
  for (let round = 0; round < 3; round += 1) {
    for (const [n, who] of people.entries()) {
      const slot = await cluster.slotOf(who.tenant);
      const [home, other] = [cluster.masters[n]!, cluster.masters[(n + 1) % 3]!];
      await cluster.moveSlot(slot, home, other);
      await cluster.moveSlot(slot, other, home);
      moves += 2;
    }
  }
  const faults = await bench.faults(followed);
  note(fault, 'slots moved with their keys', moves);
  note(
    fault,
    'longest silence of a reader',
    spread(followed.map((f) => f.follower.longestSilence)),
  );
  expect(faults).toEqual([]);
  atMost(fault, 'streams with a gap, tasks lost', faults.length, 0);
  atMost(fault, 'snapshots in place of events', total(followed, 'snapshots'), 0);
});

it('should go on when a master is killed', async () => {
  const fault = 'Cluster, master killed';
  const followed = await followAll('deltas count=200 every=100');
  await sleep(3000);
  const victim = cluster.masters[1]!;
  const id = await cluster.idOf(victim);
  const began = performance.now();
  await victim.kill9();
  await cluster.failedOver(victim, id);
  note(fault, 'promoted after', `${Math.round(performance.now() - began)} ms`);
  const states = await Promise.all(followed.map(({ ended }) => ended));
  const hit = followed.filter(({ tenant }) => tenant === people[1]!.tenant);
  const rest = followed.filter(({ tenant }) => tenant !== people[1]!.tenant);
  const silence = (of: readonly Followed[]) => spread(of.map((f) => f.follower.longestSilence));
  note(fault, 'longest silence, tenant on the killed master', silence(hit));
  note(fault, 'longest silence, tenants on the others', silence(rest));
  note(fault, 'snapshots in place of lost events', total(followed, 'snapshots'));
  const completed = states.filter((state) => state === 'TASK_STATE_COMPLETED').length;
  note(fault, 'runs completed', `${completed} of ${followed.length}`);
  const wrong = (await bench.faults(followed)).filter((f) => !f.endsWith('TASK_STATE_FAILED'));
  expect(wrong).toEqual([]);
  atMost(fault, 'streams with an unannounced gap, tasks without an end', wrong.length, 0);
});
