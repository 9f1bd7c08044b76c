import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
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
import { eventually, sleep, within } from '../support/wait.js';

const DELTAS = 50;
const RUN = `deltas count=${DELTAS} every=100`;
const ann = caller('readonly', 'ann');
const eve = caller('unmarked', 'eve');
let redis: RedisServer;
let truth: Truth;
let fleet: Fleet;
let a: Gateway;
let b: Gateway;
let onA: A2aClient;
let onB: A2aClient;

beforeAll(async () => {
  redis = await RedisServer.start();
  truth = Truth.open(redis.url);
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [{ id: 'readonly' }, { id: 'unmarked', assistant: scripted({ readOnly: false }) }],
    callers: [ann, eve],
    env: { NIGHTJAR_DRAIN_SECONDS: '2' },
  });
  [a, b] = fleet.gateways as [Gateway, Gateway];
});
afterAll(async () => {
  truth.close();
  await fleet.stop();
  await redis.stop();
});

/** B stays; where A has ended another one takes its place. */
beforeEach(async () => {
  if (a.exitCode !== undefined) a = await fleet.add();
  onA = new A2aClient(a.baseUrl, ann.token);
  onB = new A2aClient(b.baseUrl, ann.token);
});

describe('an instance that sleeps past its lease and wakes up', () => {
  it('should write nothing any more, end its run and serve again', async () => {
    const task = await onA.start(RUN);
    const stream = await onB.subscribe(task.id);
    await stream.until(8);
    a.sigstop();
    const taken = await within(
      'B takes over',
      LEASE_MS + 4_000,
      stream.find(({ id }) => id !== undefined && id.epoch > 1),
    );
    a.sigcont();
    await within('the run ends', 20_000, stream.ended);
    const log = await truth.log('readonly', task.id);
    expect(faultOf(stream, log)).toBeUndefined();
    const late = log.filter(({ id }) => id.seq > taken.id!.seq && id.epoch === 1);
    expect(late).toEqual([]);
    expect(deltasOfLog(log, 2)).toEqual(numbered(2, DELTAS));
    expect(ranBy(fleet.journal, task.id)).toEqual([a.pid, b.pid]);
    await eventually(
      'A has let go of its run',
      async () => (await a.metric('nightjar_active_runs')) === 0,
    );
    expect(answerOf(await onA.send('instant'))).toBe('done');
    expect(deltasIn(answerOf(await onA.get(task.id)))).toEqual(numbered(2, DELTAS));
  });

  it('should not take a Redis that was frozen for the death of everybody', async () => {
    const tasks = await Promise.all([onA.start(RUN), onB.start(RUN)]);
    await sleep(1_000);
    redis.freeze();
    await sleep(LEASE_MS + 1_000);
    redis.thaw();
    for (const { id } of tasks) {
      await eventually(
        'it completes',
        async () => (await onB.state(id)) === 'TASK_STATE_COMPLETED',
        20_000,
        100,
      );
      expect(deltasOfLog(await truth.log('readonly', id), 1)).toEqual(numbered(1, DELTAS));
      expect(ranBy(fleet.journal, id)).toHaveLength(1);
    }
  });
});

describe('an instance that is asked to end', () => {
  it('should take no new work, end its streams kindly and hand its runs over', async () => {
    const task = await onA.start(RUN);
    const own = await onA.subscribe(task.id);
    const other = await onB.subscribe(task.id);
    await own.until(6);
    a.sigterm();
    await eventually('A is not ready', async () => !(await a.isReady().catch(() => false)), 1_000);
    const refused = await onA.sendRaw('instant').catch(() => undefined);
    if (refused !== undefined) {
      expect(refused.status).toBe(503);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(await within('A exits', 10_000, a.exited())).toBe(0);
    await within('the stream on A ends', 1_000, own.ended);
    expect(own.retryMs).toBeGreaterThan(0);

    await within('the stream on B ends', 20_000, other.ended);
    const log = await truth.log('readonly', task.id);
    expect(faultOf(other, log)).toBeUndefined();
    expect(deltasOfLog(log, 2)).toEqual(numbered(2, DELTAS));
    expect((await onB.get(task.id)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(ranBy(fleet.journal, task.id)).toEqual([a.pid, b.pid]);
    // What the client of A saw goes on at B, without a gap.
    const last = own.events.filter(({ id }) => id !== undefined).at(-1)!.id!;
    const rest = await onB.subscribe(task.id, `${last.seq}-${last.epoch}`);
    await rest.ended;
    expect(rest.events[0]!.id!.seq).toBe(last.seq + 1);
  });

  it('should finish what fits into its drain time, with its stream open to the end', async () => {
    const task = await onA.start('deltas count=12 every=100');
    const stream = await onA.subscribe(task.id);
    a.sigterm();
    await within('the stream ends', 5_000, stream.ended);
    expect(faultOf(stream, await truth.log('readonly', task.id))).toBeUndefined();
    expect(await within('A exits', 10_000, a.exited())).toBe(0);
    expect((await onB.get(task.id)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(ranBy(fleet.journal, task.id)).toEqual([a.pid]);
  });

  it('should not run an unmarked backend a second time', async () => {
    const task = await new A2aClient(a.baseUrl, eve.token).start('deltas count=100 every=100');
    const client = new A2aClient(b.baseUrl, eve.token);
    await eventually(
      'it works',
      async () => (await client.state(task.id)) === 'TASK_STATE_WORKING',
    );
    await sleep(500);
    a.sigterm();
    expect(await within('A exits', 10_000, a.exited())).toBe(0);
    const ended = await eventually(
      'it has failed',
      async () => {
        const now = await client.get(task.id);
        return now.status.state === 'TASK_STATE_FAILED' ? now : undefined;
      },
      LEASE_MS + 4_000,
    );
    expect(ended.status.message?.parts[0]?.text).toContain('may have been done');
    expect(ranBy(fleet.journal, task.id)).toEqual([a.pid]);
  });
});
