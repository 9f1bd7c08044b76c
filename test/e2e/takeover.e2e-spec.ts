import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient, type EventStream } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway, LEASE_MS, scripted } from '../support/gateway.js';
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
import { sleep, within } from '../support/wait.js';

const KILLS = 10;
/** So many owners die at about the same time: their takeovers get into each other's way. */
const AT_ONCE = 5;
/** An owner has no place for the run of another: B takes them all. */
const FULL = { NIGHTJAR_MAX_RUNS: '2' };
const DELTAS = 120;
const PACE_MS = 100;
const RUN = `deltas count=${DELTAS} every=${PACE_MS}`;

const safe = caller('readonly', 'ann');
const unsure = caller('unmarked', 'ann');
let redis: RedisServer;
let truth: Truth;
let fleet: Fleet;
let b: Gateway;

beforeAll(async () => {
  redis = await RedisServer.start();
  truth = Truth.open(redis.url);
  fleet = await Fleet.start(1, {
    redisUrl: redis.url,
    tenants: [{ id: 'readonly' }, { id: 'unmarked', assistant: scripted({ readOnly: false }) }],
    callers: [safe, unsure],
  });
  b = fleet.gateways[0]!;
});
afterAll(async () => {
  truth.close();
  await fleet.stop();
  await redis.stop();
});

interface Round {
  readonly owner: number;
  readonly taskId: string;
  readonly stream: EventStream;
  readonly killedAt: number;
  /** Deltas that the subscriber had seen when the owner was killed. */
  readonly seen: number;
  readonly unmarked: { readonly taskId: string; readonly stream: EventStream };
}

/** Two tasks on an instance A with subscribers on B; A is killed between two deltas. */
async function killMidRun(a: Gateway): Promise<Round> {
  const task = await new A2aClient(a.baseUrl, safe.token).start(RUN);
  const other = await new A2aClient(a.baseUrl, unsure.token).start(RUN);
  const stream = await new A2aClient(b.baseUrl, safe.token).subscribe(task.id);
  const unmarked = await new A2aClient(b.baseUrl, unsure.token).subscribe(other.id);
  await stream.until(8 + Math.floor(Math.random() * 20));
  await sleep(Math.random() * PACE_MS);
  const seen = deltasIn(textOf(stream)).length;
  const killedAt = performance.now();
  await a.kill9();
  return {
    owner: a.pid,
    taskId: task.id,
    stream,
    killedAt,
    seen,
    unmarked: { taskId: other.id, stream: unmarked },
  };
}

function textOf(stream: EventStream): string {
  return stream.events
    .map(({ data }) =>
      'artifactUpdate' in data
        ? data.artifactUpdate.artifact.parts.map((part) => part.text ?? '').join('')
        : 'task' in data
          ? answerOf(data.task)
          : '',
    )
    .join('');
}

async function killAndWatch(owner: Gateway): Promise<Round> {
  const killed = await killMidRun(owner);
  expect(killed.seen).toBeGreaterThan(0);
  expect(killed.seen).toBeLessThan(DELTAS);
  const again = await within(
    'B continues',
    LEASE_MS + 4_000,
    killed.stream.find(({ id }) => id !== undefined && id.epoch > 1),
  );
  expect(again.at - killed.killedAt).toBeLessThan(LEASE_MS + 2_000);
  await within('the unmarked one ends', LEASE_MS + 4_000, killed.unmarked.stream.ended);
  return killed;
}

describe(`an instance killed in the middle of a run, ${KILLS} times`, () => {
  const rounds: Round[] = [];

  it('should be taken over by B within the lease + 2 s', async () => {
    for (let killed = 0; killed < KILLS; killed += AT_ONCE) {
      const owners = await Promise.all(Array.from({ length: AT_ONCE }, () => fleet.add(FULL)));
      rounds.push(...(await Promise.all(owners.map(killAndWatch))));
    }
  });

  it('should complete on B with every delta once per attempt, seen by the subscriber on B', async () => {
    expect(rounds).toHaveLength(KILLS);
    await within(
      'all runs complete',
      DELTAS * PACE_MS + 15_000,
      Promise.all(rounds.map(({ stream }) => stream.ended)),
    );
    const client = new A2aClient(b.baseUrl, safe.token);
    for (const { taskId, owner, stream, seen } of rounds) {
      const log = await truth.log('readonly', taskId);
      expect(faultOf(stream, log)).toBeUndefined();
      const first = deltasOfLog(log, 1);
      expect(first.length).toBeGreaterThanOrEqual(seen);
      expect(first).toEqual(numbered(1, first.length));
      expect(deltasOfLog(log, 2)).toEqual(numbered(2, DELTAS));
      expect(ranBy(fleet.journal, taskId)).toEqual([owner, b.pid]);
      const task = await client.get(taskId);
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(deltasIn(answerOf(task))).toEqual(numbered(2, DELTAS));
    }
    expect(await truth.active('readonly', 'ann')).toEqual({ user: 0, tenant: 0 });
  });

  it('should fail an unmarked run: it may have done something, and is not run again', async () => {
    const client = new A2aClient(b.baseUrl, unsure.token);
    for (const { unmarked, owner } of rounds) {
      const task = await client.get(unmarked.taskId);
      expect(task.status.state).toBe('TASK_STATE_FAILED');
      expect(task.status.message?.parts[0]?.text).toContain('may have been done');
      expect(
        faultOf(unmarked.stream, await truth.log('unmarked', unmarked.taskId)),
      ).toBeUndefined();
      expect(ranBy(fleet.journal, unmarked.taskId)).toEqual([owner]);
    }
    expect(await truth.active('unmarked', 'ann')).toEqual({ user: 0, tenant: 0 });
  });
});
