import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backendOf, callerOf, Core, coreConfig, say, tenant } from '../support/core.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';

const ctx = callerOf('acme', 'alice');
const RUNS = 45;

let redis: RedisServer;
let cores: Core[] = [];
beforeEach(async () => {
  redis = await RedisServer.start();
});
afterEach(async () => {
  for (const core of cores) core.vanish();
  cores = [];
  await redis.stop();
});

/** @param sweeps false: it beats, but looks for the dead only when it is told to. */
async function instance(
  places: number,
  sweeps = true,
  serves: readonly string[] = ['acme'],
): Promise<Core> {
  const base = coreConfig(redis.url, { tenants: serves.map((id) => tenant(id)) });
  const beat = { heartbeatMs: 200, sweepMs: 200, leaseMs: sweeps ? 1_000 : 60_000 };
  const execution = { ...base.execution, ...beat, maxRunsPerInstance: places };
  const backend = backendOf(async function* (_turn, signal) {
    yield { kind: 'step', text: 'hanging' };
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
  });
  const core = await new Core({ ...base, execution }, backend).start();
  cores.push(core);
  return core;
}

async function fill(core: Core, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await core.tasks.submit(ctx, say('hang'));
}

describe('an instance that dies with many runs', () => {
  it('should be taken over in batches of 20: the first at once, the next later', async () => {
    const dead = await instance(RUNS);
    const heir = await instance(500, false);
    await fill(dead, RUNS);
    dead.vanish();
    const look = (): Promise<void> => heir.takeover.takeOverFrom(dead.lease.instance);
    await look();
    await look();
    expect(heir.execution.runs()).toHaveLength(20);
    await eventually('the second batch', async () => {
      await look();
      return heir.execution.runs().length > 20 ? true : undefined;
    });
    expect(heir.execution.runs()).toHaveLength(40);
    await eventually('the rest', async () => {
      await look();
      return heir.execution.runs().length === RUNS ? true : undefined;
    });
  });

  it('should be shared by those who have places, each run by one', async () => {
    const dead = await instance(RUNS);
    const small = await instance(10);
    const large = await instance(500);
    await fill(dead, RUNS);
    dead.vanish();
    const count = (core: Core): number => core.execution.runs().length;
    await eventually(
      'all are taken over',
      () => {
        expect(count(small)).toBeLessThanOrEqual(10);
        return Promise.resolve(count(small) + count(large) === RUNS ? true : undefined);
      },
      30_000,
    );
    expect(count(small)).toBeGreaterThan(0);
    const ids = [...small.execution.runs(), ...large.execution.runs()].map(({ taskId }) => taskId);
    expect(new Set(ids).size).toBe(RUNS);
  });
});

describe('a run of a tenant that the survivor does not know yet', () => {
  it('should wait for one that does, and not be dropped', async () => {
    const dead = await instance(RUNS);
    const stranger = await instance(500, false, ['globex']);
    const heir = await instance(500, false);
    await fill(dead, 1);
    dead.vanish();
    await stranger.takeover.takeOverFrom(dead.lease.instance);
    expect(stranger.execution.runs()).toHaveLength(0);
    await heir.takeover.takeOverFrom(dead.lease.instance);
    expect(heir.execution.runs()).toHaveLength(1);
  });
});

describe('an instance whose places are all taken', () => {
  it('should refuse new work with 503, start nothing, and take some again later', async () => {
    const core = await instance(2);
    await fill(core, 2);
    const refused = core.tasks.submit(ctx, say('one too many'));
    await expect(refused).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 2 });
    const { tasks } = await core.tasks.list(ctx, { pageSize: 10 });
    expect(tasks).toHaveLength(2);
    await core.tasks.cancel(ctx, tasks[0]!.id);
    await eventually('there is a place', async () => {
      const submitted = await core.tasks.submit(ctx, say('again')).catch(() => undefined);
      return submitted?.how;
    });
  });
});
