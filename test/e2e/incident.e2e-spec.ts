import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { type Alertmanager, startAlertmanager } from '../support/alertmanager.js';
import { type Caller, caller, Fleet, type Gateway } from '../support/gateway.js';
import { type Exporter, startExporter, startPrometheus } from '../support/prometheus.js';
import { RedisServer } from '../support/redis-server.js';
import { type LlmRequest, openai, ScriptedLlm } from '../support/scripted-llm.js';
import type { ServiceProcess } from '../support/service-process.js';
import { answerOf } from '../support/task-log.js';
import { eventually } from '../support/wait.js';

/** What fires, in this order; `disk_used` has ended when the questions are asked. */
const ORDER = [
  { alert: 'DiskFull', metric: 'disk_used', value: 0.97 },
  { alert: 'Errors', metric: 'errors', value: 7 },
  { alert: 'Slow', metric: 'latency', value: 3 },
];
/** What an MCP client refuses is over so many tokens; a model has its context for more than one. */
const TOKENS = 25_000;
const CROWD = 5000;
const TEAMS = ['payments', 'identity', 'search'];
const teamOf = (n: number): string => TEAMS[n % 7 < 4 ? 0 : n % 7 < 6 ? 1 : 2]!;

const ann = caller('acme', 'ann');
const many = caller('crowd', 'ann');
const plain = caller('plain', 'ann');
let redis: RedisServer;
let router: Alertmanager;
let pair: readonly Alertmanager[];
let exporter: Exporter;
let prometheus: ServiceProcess;
let llm: ScriptedLlm;
let fleet: Fleet;
let a: Gateway;
let b: Gateway;

beforeAll(async () => {
  [redis, router, exporter, llm, pair] = await Promise.all([
    RedisServer.start(),
    startAlertmanager(),
    startExporter(),
    ScriptedLlm.start(),
    Promise.all([startAlertmanager(), startAlertmanager()]),
  ]);
  for (const { metric } of ORDER) exporter.set(metric, 0);
  prometheus = await startPrometheus({
    alertmanagerUrl: router.url,
    scrape: [{ job: 'app', targets: [exporter.target] }],
    rules: ORDER.map(({ alert, metric, value }) => ({
      alert,
      expr: `${metric} > ${value / 2}`,
      for: '0s',
      labels: { severity: 'critical' },
    })),
  });
  const http = {
    type: 'alertmanager',
    name: 'pager',
    webUrl: 'https://pager.example.com',
  } as const;
  const model = { backend: 'llm', provider: 'openai-compatible', baseUrl: llm.url, model: 'm' };
  const assistant = { ...model, contextTokens: 60_000 };
  const crowd = { ...http, urls: pair.map(({ url }) => url) };
  const sources = [
    { ...http, url: router.url },
    { type: 'prometheus', name: 'metrics', url: prometheus.url } as const,
  ];
  const ask = { policy: 'ask-caller' };
  [fleet] = await Promise.all([
    Fleet.start(2, {
      redisUrl: redis.url,
      tenants: [
        { id: 'acme', assistant, sources, writes: { create_silence: ask, expire_silence: ask } },
        { id: 'crowd', assistant, sources: [crowd], mcp: { toolsets: ['assistant', 'direct'] } },
        { id: 'plain', assistant: { backend: 'builtin' }, sources: [crowd] },
      ],
      callers: [ann, many, plain],
    }),
    unfold(),
    gather(),
  ]);
  [a, b] = fleet.gateways as [Gateway, Gateway];
});
afterAll(async () => {
  await fleet.stop();
  await Promise.all([prometheus, router, ...pair, exporter].map((one) => one.stop()));
  await llm.close();
  await redis.stop();
});
afterEach(() => {
  expect(llm.complaints).toEqual([]);
});

/** The incident: one after another begins to fire, then the first one ends. */
async function unfold(): Promise<void> {
  for (const { alert, metric, value } of ORDER) {
    exporter.set(metric, value);
    await eventually(`${alert} fires`, () => fires(alert), 30_000, 100);
  }
  exporter.set('disk_used', 0);
  await eventually('the router knows', async () => {
    const alerts = (await router.get('/alerts')) as { labels: Record<string, string> }[];
    const names = alerts.map(({ labels }) => labels['alertname']);
    return names.includes('Slow') && !(await fires('DiskFull'));
  });
}

async function fires(alert: string): Promise<boolean> {
  const query = encodeURIComponent(`ALERTS{alertname="${alert}",alertstate="firing"}`);
  const response = await fetch(`${prometheus.url}/api/v1/query?query=${query}`);
  const { data } = (await response.json()) as { data: { result: unknown[] } };
  return data.result.length > 0;
}

/** The same alerts to both of a pair that does not gossip. */
async function gather(): Promise<void> {
  const endsAt = new Date(Date.now() + 3_600_000);
  const alerts = Array.from({ length: CROWD }, (_, n) => ({
    labels: { alertname: 'PodRestarts', severity: 'warning', team: teamOf(n), pod: `pod-${n}` },
    annotations: { summary: `pod-${n} restarts again and again, ${'and '.repeat(20)}again` },
    endsAt,
  }));
  await Promise.all(pair.map((one) => one.post(alerts)));
}

interface Said {
  readonly text: string;
  readonly status: string;
  readonly chat: string;
  readonly taskId: string;
  /** The first bytes of each picture in PNG. */
  readonly pictures: readonly string[];
}

type Ask = (gateway: Gateway, who: Caller, message: string, chat?: string) => Promise<Said>;

const SURFACES: Readonly<Record<string, Ask>> = {
  A2A: async (gateway, who, message, chat) => {
    const client = new A2aClient(gateway.baseUrl, who.token);
    const task = await client.send(message, chat === undefined ? {} : { contextId: chat });
    const parts = task.artifacts?.flatMap((artifact) => artifact.parts) ?? [];
    return {
      text: [answerOf(task), ...(task.status.message?.parts ?? []).map(({ text }) => text)].join(
        '\n',
      ),
      status: task.status.state.replace('TASK_STATE_', '').toLowerCase(),
      chat: task.contextId,
      taskId: task.id,
      pictures: parts
        .filter(({ mediaType }) => mediaType === 'image/png')
        .map(({ raw = '' }) => magic(raw)),
    };
  },
  MCP: async (gateway, who, message, chat) => {
    const { content, structuredContent } = await callTool(gateway, who, 'n9e_assistant', {
      message,
      ...(chat === undefined ? {} : { chat_id: chat }),
    });
    return {
      text: structuredContent['content'] as string,
      status: structuredContent['status'] as string,
      chat: structuredContent['chat_id'] as string,
      taskId: structuredContent['task_id'] as string,
      pictures: content
        .filter(({ mimeType }) => mimeType === 'image/png')
        .map(({ data = '' }) => magic(data)),
    };
  },
};

function magic(base64: string): string {
  return Buffer.from(base64, 'base64').subarray(1, 4).toString();
}

interface ToolAnswer {
  readonly content: readonly { readonly mimeType?: string; readonly data?: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
}

async function callTool(
  gateway: Gateway,
  who: Caller,
  name: string,
  args: Record<string, unknown>,
): Promise<ToolAnswer> {
  const client = new Client({ name: 'nightjar-test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${who.token}` } };
  const url = new URL('/mcp', gateway.baseUrl);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  try {
    return (await client.callTool({ name, arguments: args })) as unknown as ToolAnswer;
  } finally {
    await client.close();
  }
}

/** A result of a tool as the model got it, out of its fence. */
function resultIn(request: LlmRequest, tool: string): Record<string, unknown> {
  const fenced = openai
    .resultsIn(request)
    .flatMap((text) => [...text.matchAll(/<<<data \w+ tool (\w+)>>>\n([\s\S]*?)\n<<<end/g)]);
  const [, , json = ''] = fenced.findLast(([, name]) => name === tool) ?? [];
  return JSON.parse(json) as Record<string, unknown>;
}

interface AmSilence {
  readonly id: string;
  readonly comment: string;
  readonly status: { readonly state: string };
}

/** What Alertmanager's own API says of the silences of a task. */
async function silencesOf({ taskId }: Said): Promise<AmSilence[]> {
  const all = (await router.get('/silences')) as AmSilence[];
  return all.filter(({ comment }) => comment.includes(taskId));
}

const SILENCE = {
  id: 'c-1',
  name: 'create_silence',
  args: { matchers: [{ name: 'alertname', value: 'Slow' }], duration_minutes: 60 },
};

describe.each(Object.entries(SURFACES))(
  'an incident that a model looks into, over %s',
  (_, ask) => {
    it('should tell what fired first, from the tool’s own order, what has ended included', async () => {
      llm.script(
        openai.calls({ id: 'c-1', name: 'alert_timeline', args: {} }),
        (request, response) => {
          const { timeline } = resultIn(request, 'alert_timeline') as {
            timeline: { name: string; last?: string }[];
          };
          const told = timeline.map(
            ({ name, last }) => `${name}${last === undefined ? '' : ' (over)'}`,
          );
          return openai.says(`In order: ${told.join(', ')}.`)(request, response);
        },
      );
      const said = await ask(a, ann, 'what fired first?');
      expect(said.text).toContain('In order: DiskFull (over), Errors, Slow.');
      const task = await new A2aClient(b.baseUrl, ann.token).get(said.taskId);
      const result = task.artifacts?.find(({ name }) => name === 'result')?.parts[0]?.data;
      expect(result).toMatchObject({ evidence: [{ tool: 'alert_timeline', outcome: 'success' }] });
      expect(JSON.stringify(result)).toContain('metrics');
    });

    it('should silence the noisy one once another instance has the yes, and end it again', async () => {
      llm.script(openai.calls(SILENCE));
      const asked = await ask(a, ann, 'silence the slow one for an hour');
      expect(asked).toMatchObject({ status: 'input_required' });
      expect(asked.text).toContain('`alertname="Slow"`');
      expect(await silencesOf(asked)).toEqual([]);
      const done = await ask(b, ann, 'yes', asked.chat);
      expect(done).toMatchObject({ status: 'completed', taskId: asked.taskId });
      const [silence, ...more] = await silencesOf(asked);
      expect(more).toEqual([]);
      expect(silence).toMatchObject({ status: { state: 'active' } });
      expect(done.text).toContain(silence!.id);

      llm.script(openai.calls({ id: 'c-2', name: 'expire_silence', args: { id: silence!.id } }));
      const proposed = await ask(b, ann, 'and lift it', asked.chat);
      expect(proposed.status).toBe('input_required');
      expect((await ask(a, ann, 'yes', asked.chat)).status).toBe('completed');
      expect(await silencesOf(asked)).toMatchObject([{ status: { state: 'expired' } }]);
    });

    it('should not silence it once another instance has the no', async () => {
      llm.script(openai.calls(SILENCE));
      const asked = await ask(b, ann, 'silence the slow one for an hour');
      const refused = await ask(a, ann, 'no', asked.chat);
      expect(refused).toMatchObject({ status: 'completed', taskId: asked.taskId });
      expect(refused.text).toContain('Nothing was done');
      expect(await silencesOf(asked)).toEqual([]);
    });

    it('should show a picture of the value', async () => {
      const args = { expr: 'latency', start: new Date(Date.now() - 120_000).toISOString() };
      llm.script(openai.calls({ id: 'c-1', name: 'chart', args }), (request, response) => {
        const { series, firing } = resultIn(request, 'chart') as {
          series: { max: number }[];
          firing: { name: string }[];
        };
        const names = firing.map(({ name }) => name).join();
        return openai.says(`up to ${series[0]!.max}, while ${names} fired`)(request, response);
      });
      const said = await ask(b, ann, 'how did the latency go?');
      expect(said.text).toContain('up to 3, while');
      expect(said.text).toContain('Slow');
      expect(said.pictures).toEqual(['PNG']);
    });

    it('should leave the model room in a crowd of 5,000 and tell it what was left out', async () => {
      const rows = new Set<string>();
      const page = (offset: number) => ({ limit: 100, offset });
      let shown = 0;
      const listed = (request: LlmRequest): number => {
        expect(request.text.length / 4).toBeLessThan(TOKENS);
        const result = resultIn(request, 'list_alerts') as {
          alerts: { fingerprint: string }[];
          next_offset: number;
        };
        expect(result).toMatchObject({ total: CROWD, has_more: true });
        for (const { fingerprint } of result.alerts) rows.add(fingerprint);
        shown += result.alerts.length;
        return result.next_offset;
      };
      llm.script(
        openai.calls({ id: 'c-1', name: 'list_alerts', args: page(0) }),
        (request, response) => {
          const args = page(listed(request));
          return openai.calls({ id: 'c-2', name: 'list_alerts', args })(request, response);
        },
        (request, response) => {
          listed(request);
          const args = { by: ['team'] };
          return openai.calls({ id: 'c-3', name: 'count_alerts', args })(request, response);
        },
        (request, response) => {
          const { total, groups } = resultIn(request, 'count_alerts') as {
            total: number;
            groups: { keys: string[]; count: number }[];
          };
          const told = groups.map(({ keys, count }) => `${keys.join()} ${count}`).join(', ');
          return openai.says(`${total}: ${told}; ${shown} seen one by one`)(request, response);
        },
      );
      const said = await ask(a, many, 'who has the most alerts?');
      const counts = TEAMS.map((team) => {
        const count = Array.from({ length: CROWD }, (_, n) => n).filter((n) => teamOf(n) === team);
        return `${team} ${count.length}`;
      });
      expect(said.text).toContain(`${CROWD}: ${counts.join(', ')}; ${shown} seen`);
      // No alert twice, though the pages were cut, and each is at both of the pair.
      expect(rows.size).toBe(shown);
      expect(shown).toBeGreaterThan(50);
    });

    it('should say how many there are without a model too, well within a result', async () => {
      const said = await ask(b, plain, 'what is firing?');
      expect(said.text).toContain(`**${CROWD} alerts are firing**`);
      expect(said.text).toMatch(/4980 more/);
      expect(said.text.length / 2.5).toBeLessThan(TOKENS / 2);
      const grouped = await ask(b, plain, 'how many alerts by team?');
      for (const team of TEAMS) {
        const count = Array.from({ length: CROWD }, (_, n) => n).filter((n) => teamOf(n) === team);
        expect(grouped.text).toMatch(new RegExp(`\\| \`?${team}\`? \\| ${count.length} \\|`));
      }
    });
  },
);

it('should walk 5,000 alerts page by page over MCP, to the last one', async () => {
  const read = async (offset: number) => {
    const args = { tool: 'list_alerts', arguments: { limit: 100, offset, order: 'name' } };
    const { structuredContent } = await callTool(b, many, 'invoke', args);
    const output = structuredContent['output'] as string;
    expect(output.length / 2.5).toBeLessThan(TOKENS / 2);
    return JSON.parse(output) as {
      alerts: { fingerprint: string }[];
      next_offset: number;
      has_more: boolean;
    };
  };
  const first = await read(0);
  const second = await read(first.next_offset);
  const ids = [...first.alerts, ...second.alerts].map(({ fingerprint }) => fingerprint);
  expect(new Set(ids).size).toBe(ids.length);
  expect(second.next_offset).toBe(ids.length);
  const last = await read(CROWD - 10);
  expect(last).toMatchObject({ has_more: false, next_offset: CROWD });
  expect(last.alerts).toHaveLength(10);
});
