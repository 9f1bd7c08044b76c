import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/config/limits.js';
import { backendOf, callerOf, Core, coreConfig, say, tenant } from '../support/core.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';

let server: RedisServer;
let cores: Core[] = [];
beforeAll(async () => {
  server = await RedisServer.start();
});
afterEach(async () => {
  for (const core of cores) await core.stop();
  cores = [];
});
afterAll(async () => {
  await server.stop();
});

const ctx = callerOf('acme', 'alice');
const PAGE = { pageSize: 100 };

/** Two instances whose tenant keeps so much of a user. */
async function gateways(limits: {
  retainedTasksPerUser?: number;
  retainedBytesPerUser?: number;
}): Promise<readonly [Core, Core]> {
  const tenants = [tenant('acme', { limits: { ...DEFAULT_LIMITS, ...limits } })];
  const config = coreConfig(server.url, { tenants });
  const backend = backendOf(async function* ({ text }) {
    await Promise.resolve();
    if (text === 'ask') yield { kind: 'input_required', question: '?', expects: 'text' };
    else yield { kind: 'content', text: text === 'long' ? 'x'.repeat(400_000) : 'done' };
  });
  cores = [await new Core(config, backend).start(), await new Core(config, backend).start()];
  return cores as [Core, Core];
}

async function ask(core: Core, text: string): Promise<string> {
  const { taskId } = await core.tasks.submit(ctx, say(text));
  const signal = new AbortController().signal;
  await core.tasks.waitSettled(ctx, taskId, { timeoutMs: 20_000, signal });
  return taskId;
}

const idsOf = async (core: Core): Promise<string[]> =>
  (await core.tasks.list(ctx, PAGE)).tasks.map(({ id }) => id);

describe('what a user keeps', () => {
  it('should be the newest tasks, whichever instances sweep; open questions stay', async () => {
    const [a, b] = await gateways({ retainedTasksPerUser: 5 });
    const open = await ask(a, 'ask');
    const ids: string[] = [];
    for (let n = 0; n < 40; n += 1) ids.push(await ask(n % 2 === 0 ? a : b, 'hello'));
    await eventually('the oldest are gone', async () => {
      await Promise.all([a.retention.sweep(), b.retention.sweep()]);
      return (await idsOf(a)).length === 6 ? true : undefined;
    });
    expect((await idsOf(b)).sort()).toEqual([...ids.slice(-5), open].sort());
    await expect(a.tasks.get(ctx, ids[0]!)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    await Promise.all([a.retention.sweep(), b.retention.sweep()]);
    expect(await idsOf(a)).toHaveLength(6);
  });

  it('should be no more memory than allowed, and always the last answer', async () => {
    const [a, b] = await gateways({ retainedBytesPerUser: 1024 * 1024 });
    await ask(a, 'hello');
    for (let n = 0; n < 4; n += 1) await ask(a, 'long');
    const last = await ask(b, 'long');
    await eventually('the oldest are gone', async () => {
      await b.retention.sweep();
      const ids = await idsOf(b);
      return ids.length < 4 ? ids : undefined;
    });
    expect((await idsOf(b))[0]).toBe(last);
  });
});
