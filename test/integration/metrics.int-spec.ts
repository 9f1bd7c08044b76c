import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/assistant/tools/tool-registry.js';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { openai, ScriptedLlm, status } from '../support/scripted-llm.js';
import { eventually } from '../support/wait.js';

const DEMO = [{ type: 'demo', name: 'demo' }] as const;
const ANN = caller('acme', 'ann');
const BOB = caller('model', 'bob');
const EVE = caller('third', 'eve');

describe('what a gateway measures', () => {
  let redis: RedisServer;
  let llm: ScriptedLlm;
  let fleet: Fleet;
  let gateway: Gateway;
  let ann: A2aClient;

  beforeAll(async () => {
    redis = await RedisServer.start();
    llm = await ScriptedLlm.start();
    fleet = await Fleet.start(1, {
      redisUrl: redis.url,
      callers: [ANN, BOB, EVE],
      config: { metrics: { tenantLabels: 2 } },
      tenants: [
        {
          id: 'acme',
          assistant: { backend: 'builtin' },
          sources: DEMO,
          limits: { streamsPerUser: 1 },
        },
        {
          id: 'model',
          sources: DEMO,
          assistant: {
            backend: 'llm',
            provider: 'openai-compatible',
            baseUrl: llm.url,
            model: 'test',
          },
        },
        { id: 'third', limits: { activePerUser: 1 } },
      ],
    });
    gateway = fleet.gateways[0]!;
    ann = new A2aClient(gateway.baseUrl, ANN.token);
  });
  afterAll(async () => {
    await fleet.stop();
    await llm.close();
    await redis.stop();
  });

  it('should show counters with 0 before anything happened', async () => {
    const text = await (await fetch(`${gateway.managementUrl}/metrics`)).text();
    for (const connection of ['writes', 'reads', 'control', 'subscriber']) {
      expect(text).toContain(`nightjar_redis_reconnects_total{connection="${connection}"} 0\n`);
    }
    for (const tenant of ['acme', 'model', 'other']) {
      const labels = `state="TASK_STATE_COMPLETED",tenant="${tenant}"`;
      expect(text).toContain(`nightjar_tasks_settled_total{${labels}} 0\n`);
    }
    expect(text).toContain('nightjar_quota_refusals_total{quota="active_user"} 0\n');
    expect(text).not.toContain('third');
  });

  it('should time a run, its first token, its tools and its scripts', async () => {
    const stream = await ann.stream('what is firing?');
    await stream.ended;
    await eventually(
      'the run is measured',
      async () =>
        (await gateway.metric(
          'nightjar_run_duration_seconds_count{backend="builtin",outcome="completed"}',
        )) === 1,
    );
    const settled = 'nightjar_tasks_settled_total{state="TASK_STATE_COMPLETED",tenant="acme"}';
    expect(await gateway.metric(settled)).toBe(1);
    const first = 'nightjar_time_to_first_token_seconds_count{backend="builtin"}';
    expect(await gateway.metric(first)).toBe(1);
    const calls = 'nightjar_tool_calls_total{tool="list_alerts",outcome="success"}';
    expect(await gateway.metric(calls)).toBe(1);
    expect(await gateway.metric('nightjar_tool_duration_seconds_count')).toBeGreaterThan(0);
    // Slow enough for an append of its own.
    await new A2aClient(gateway.baseUrl, EVE.token).send('deltas count=3 every=100');
    for (const script of ['create-task', 'append-events', 'settle-task', 'read-log']) {
      const name = `nightjar_script_duration_seconds_count{script="${script}"}`;
      expect(await gateway.metric(name), script).toBeGreaterThan(0);
    }
    expect(await gateway.metric('nightjar_hub_lag_seconds_count')).toBeGreaterThan(0);
    // Of one machine and a quiet Redis: whatever it is, it is no minute.
    expect(await gateway.metric('nightjar_hub_lag_seconds_sum')).toBeLessThan(60);
  });

  it('should time what is read in a pipeline, too', async () => {
    const before = await gateway.metric(
      'nightjar_script_duration_seconds_count{script="read-task"}',
    );
    const { id } = await ann.send('what is firing?');
    await ann.get(id);
    expect(
      await gateway.metric('nightjar_script_duration_seconds_count{script="read-task"}'),
    ).toBeGreaterThan(before);
  });

  it('should count the tokens and the failed requests of a model', async () => {
    llm.script(
      status(500),
      openai.calls({ id: 'c', name: 'list_alerts', args: {} }),
      openai.says('Checkout fails.'),
    );
    await new A2aClient(gateway.baseUrl, BOB.token).send('what is wrong?');
    expect(await gateway.metric('nightjar_llm_requests_total{outcome="ok"}')).toBe(2);
    expect(await gateway.metric('nightjar_llm_requests_total{outcome="overloaded"}')).toBe(1);
    for (const direction of ['sent', 'received']) {
      const name = `nightjar_llm_tokens_total{tenant="model",direction="${direction}",counted="estimate"}`;
      expect(await gateway.metric(name), direction).toBeGreaterThan(direction === 'sent' ? 500 : 0);
    }
  });

  it('should count what a limit refuses, by the limit, and say which to the caller', async () => {
    const eve = new A2aClient(gateway.baseUrl, EVE.token);
    const { id } = await eve.start('hang');
    const refused = await eve.sendRaw('hang');
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('"quota":"active_user"');
    expect(await gateway.metric('nightjar_quota_refusals_total{quota="active_user"}')).toBe(1);
    const mcp = await fetch(`${gateway.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-user-token': EVE.token,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'n9e_assistant', arguments: { message: 'hang' } },
      }),
    });
    expect(await mcp.text()).toContain('Too many active tasks');
    expect(await gateway.metric('nightjar_quota_refusals_total{quota="active_user"}')).toBe(2);
    await eve.cancel(id);
    const canceled = 'nightjar_tasks_settled_total{state="TASK_STATE_CANCELED",tenant="other"}';
    expect(await gateway.metric(canceled)).toBe(1);
  });

  it('should have no label that grows with what callers send', async () => {
    const text = await (await fetch(`${gateway.managementUrl}/metrics`)).text();
    const tools = [...text.matchAll(/tool="([^"]*)"/g)].map(([, tool]) => tool);
    expect(tools.filter((tool) => !TOOLS.some(({ name }) => name === tool))).toEqual([]);
    for (const { user } of [ANN, BOB, EVE]) expect(text).not.toMatch(new RegExp(`"${user}"`));
    expect(text).not.toContain('"third"');
  });
});
