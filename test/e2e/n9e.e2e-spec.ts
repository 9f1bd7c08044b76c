import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client2025 } from '../integration/mcp-wire.js';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway, LEASE_MS } from '../support/gateway.js';
import { N9eServer } from '../support/n9e-server.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf } from '../support/task-log.js';
import { eventually } from '../support/wait.js';

const OWN = '0b7c2f7e-6d0e-4c57-9f0b-0c0d6f0c9a00';
const ANN = '0b7c2f7e-6d0e-4c57-9f0b-0c0d6f0c9a01';
const BOB = '0b7c2f7e-6d0e-4c57-9f0b-0c0d6f0c9a02';
const SECONDS = Math.floor(Date.now() / 1000);
const carl = caller('acme', 'carl');

let redis: RedisServer;
let n9e: N9eServer;
let fleet: Fleet;
let a: Gateway;
let b: Gateway;

beforeAll(async () => {
  redis = await RedisServer.start();
  n9e = await N9eServer.start();
  Object.assign(n9e.facts, {
    groups: [
      { id: 1, name: 'prod' },
      { id: 2, name: 'staging' },
      { id: 3, name: 'secret' },
    ],
    users: {
      [OWN]: { id: 1, username: 'nightjar', groups: [1, 2, 3] },
      [ANN]: { id: 7, username: 'ann', groups: [1, 3] },
      [BOB]: { id: 8, username: 'bob', groups: [2], readOnly: [2] },
    },
    current: ['ProdDown', 'StagingDown', 'SecretDown'].map((name, index) => ({
      id: index + 1,
      group_id: index + 1,
      group_name: ['prod', 'staging', 'secret'][index],
      hash: name,
      rule_name: name,
      severity: 1,
      ...{ rule_prod: 'metric', cate: 'prometheus', datasource_id: 7 },
      tags: [`rulename=${name}`],
      trigger_time: SECONDS - 60,
    })),
  });
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    config: { auth: { n9e: { url: n9e.url, tenant: 'acme', mutes: true } } },
    tenants: [
      {
        id: 'acme',
        assistant: { backend: 'builtin' },
        sources: [
          {
            type: 'n9e',
            name: 'night',
            url: n9e.url,
            headers: { 'X-User-Token': OWN },
            busiGroups: [1, 2],
            mutes: true,
          },
        ],
        writes: {
          create_silence: { policy: 'ask-caller' },
          expire_silence: { policy: 'ask-caller' },
        },
      },
    ],
    callers: [carl],
  });
  [a, b] = fleet.gateways as [Gateway, Gateway];
});
afterAll(async () => {
  await fleet.stop();
  await n9e.stop();
  await redis.stop();
});

async function firing(gateway: Gateway, token: string): Promise<string[]> {
  const task = await new A2aClient(gateway.baseUrl, token).send('what is firing?');
  return ['ProdDown', 'StagingDown', 'SecretDown'].filter((name) => answerOf(task).includes(name));
}

describe('users of n9e by their own tokens', () => {
  it('should see their own busi groups within those of the tenant, on every surface', async () => {
    expect(await firing(a, carl.token)).toEqual(['ProdDown', 'StagingDown']);
    // Ann has the group `secret` in n9e, this tenant has not.
    expect(await firing(a, ANN)).toEqual(['ProdDown']);
    expect(await firing(b, BOB)).toEqual(['StagingDown']);
    const mcp = await client2025(b.baseUrl, ANN);
    try {
      const answer = await mcp.call({ message: 'what is firing?' });
      expect(answer.texts.join()).toContain('ProdDown');
      expect(answer.texts.join()).not.toMatch(/StagingDown|SecretDown/);
    } finally {
      await mcp.close();
    }
  });

  it('should own what they ask for, on every instance', async () => {
    const asked = await new A2aClient(a.baseUrl, ANN).send('what is firing?');
    expect((await new A2aClient(b.baseUrl, ANN).get(asked.id)).id).toBe(asked.id);
    await expect(new A2aClient(b.baseUrl, BOB).get(asked.id)).rejects.toThrow(/404/);
    await expect(new A2aClient(b.baseUrl, carl.token).get(asked.id)).rejects.toThrow(/404/);
  });

  it('should be refused once n9e does not know them', async () => {
    const stranger = await new A2aClient(a.baseUrl, 'x'.repeat(36)).call('GET', '/a2a/tasks');
    expect(stranger.status).toBe(401);
  });

  it('should mute where n9e lets them write, asked on A and approved on B, and nowhere else', async () => {
    const refused = await new A2aClient(a.baseUrl, BOB).send('silence StagingDown for an hour');
    expect(answerOf(refused)).toContain('n9e lets you change no mutes there');
    expect(n9e.facts.mutes).toEqual([]);
    const asked = await new A2aClient(a.baseUrl, ANN).send('silence ProdDown for an hour');
    expect(asked.status.message?.parts[0]?.text).toMatch(
      /busi group prod.*covers 1 alert that fires now/s,
    );
    const done = await new A2aClient(b.baseUrl, ANN).send('yes', {
      taskId: asked.id,
      contextId: asked.contextId,
    });
    expect(answerOf(done)).toContain('the silence `1` is in `night`');
    expect(n9e.facts.mutes).toMatchObject([{ group_id: 1, create_by: 'nightjar' }]);
    n9e.facts.mutes = [];
  });

  it('should leave that to users of the tenant: asked on A, approved on B over MCP, ended', async () => {
    const client = new A2aClient(a.baseUrl, carl.token);
    expect(answerOf(await client.send('silence alertname="SecretDown" for 1h'))).toMatch(
      /nothing that fires now fits/,
    );
    const asked = await client.send('silence ProdDown for an hour');
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.status.message?.parts[0]?.text).toMatch(
      /busi group prod.*covers 1 alert that fires now/s,
    );
    const mcp = await client2025(b.baseUrl, carl.token);
    const say = async (message: string): Promise<string> =>
      (await mcp.call({ message, chat_id: asked.contextId })).texts.join();
    try {
      expect(await say('yes')).toContain('the silence `1` is in `night`');
      expect(n9e.facts.mutes).toMatchObject([
        { group_id: 1, tags: [{ key: 'rulename', value: 'ProdDown' }], disabled: 0 },
      ]);
      const bob = await new A2aClient(a.baseUrl, BOB).send('expire silence 1');
      expect(answerOf(bob)).toContain('no silence 1');
      expect(await say('expire silence 1')).toContain('needs your approval');
      expect(await say('yes')).toContain('has ended');
      expect(n9e.facts.mutes).toMatchObject([{ id: 1, disabled: 1 }]);
    } finally {
      await mcp.close();
    }
  });

  it('should see no mute asked for twice when its owner is killed in the middle of it', async () => {
    const doomed = await fleet.add();
    const posts = (): number =>
      n9e.requests.filter(({ path }) => path.endsWith('/busi-group/1/alert-mutes')).length;
    const before = posts();
    const asked = await new A2aClient(a.baseUrl, carl.token).send('silence ProdDown for an hour');
    // Whether it was made is told by nobody.
    n9e.faults.set('/busi-group/1/alert-mutes', () => undefined);
    // Not the preview: that is over by now.
    const approved = new A2aClient(doomed.baseUrl, carl.token).send('yes', {
      taskId: asked.id,
      contextId: asked.contextId,
    });
    approved.catch(() => undefined);
    await eventually('it is being made', () => posts() > before);
    await doomed.kill9();
    const ended = await eventually(
      'another instance ends it',
      async () => {
        const task = await new A2aClient(b.baseUrl, carl.token).get(asked.id);
        return task.status.state === 'TASK_STATE_WORKING' ? undefined : task;
      },
      LEASE_MS + 20_000,
    );
    expect(ended.status.state).toBe('TASK_STATE_FAILED');
    expect(ended.status.message?.parts[0]?.text).toMatch(
      /may have been done.*busi group prod.*No such silence was in `night` at .*not known/s,
    );
    expect(posts()).toBe(before + 1);
  });

  it('should never have their tokens passed on as the source’s', () => {
    const reads = n9e.requests.filter(({ path }) => path.includes('/alert-cur-events'));
    expect(new Set(reads.map(({ token }) => token))).toEqual(new Set([OWN]));
  });
});
