import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet, LEASE_MS } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { ranBy } from '../support/task-log.js';
import { within } from '../support/wait.js';

const ann = caller('acme', 'ann');
let redis: RedisServer;
let fleet: Fleet;
beforeAll(async () => {
  redis = await RedisServer.start();
  fleet = await Fleet.start(4, { redisUrl: redis.url, tenants: [{ id: 'acme' }], callers: [ann] });
});
afterAll(async () => {
  await fleet.stop();
  await redis.stop();
});

describe('a run that kills every process that runs it', () => {
  it('should be given up after two takeovers, and the fleet lives', async () => {
    const client = new A2aClient(fleet.gateways[0]!.baseUrl, ann.token);
    const { id } = await client.start('kill');
    const task = await within('the run is given up', 4 * (LEASE_MS + 6_000), settled(id));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.status.message?.parts[0]?.text).toContain('given up');
    const victims = ranBy(fleet.journal, id);
    expect(new Set(victims).size).toBe(3);
    const living = fleet.gateways.filter(({ pid }) => !victims.includes(pid));
    expect(living).toHaveLength(1);
    const last = new A2aClient(living[0]!.baseUrl, ann.token);
    expect((await last.send('instant')).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

/** From whoever is left: which ones die is chance. */
async function settled(id: string): ReturnType<A2aClient['get']> {
  for (;;) {
    for (const gateway of fleet.gateways) {
      const client = new A2aClient(gateway.baseUrl, ann.token);
      const task = await client.get(id).catch(() => undefined);
      if (task !== undefined && /FAILED|COMPLETED/.test(task.status.state)) return task;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
