import { LlmBackend } from '../../src/assistant/llm/llm-backend.js';
import { llmConfig } from '../support/llm-bench.js';
import { openai, ScriptedLlm } from '../support/scripted-llm.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Frame } from '../../src/assistant/assistant-backend.js';
import { BuiltinBackend } from '../../src/assistant/builtin/builtin-backend.js';
import { contentOf, turnOf } from '../support/fake-sources.js';
import { N9eSource } from '../../src/assistant/sources/n9e/n9e.source.js';
import { TenantSources } from '../../src/assistant/sources/tenant-sources.js';
import { alertHistory } from '../../src/assistant/tools/alert-history.tool.js';
import { listAlerts } from '../../src/assistant/tools/list-alerts.tool.js';
import { SourceReads } from '../../src/assistant/tools/source-reads.js';
import { TOOLS } from '../../src/assistant/tools/tool-registry.js';
import { SourceError } from '../../src/assistant/sources/source-error.js';
import type { N9eSourceConfig } from '../../src/config/config.types.js';
import { businessError, html, N9eServer, plain, type Row } from '../support/n9e-server.js';

const TOKEN = '0b7c2f7e-6d0e-4c57-9f0b-0c0d6f0c9a11';
const NOW = Date.now();
const SECONDS = Math.floor(NOW / 1000);
/** In everything that belongs to a group that is not ours. */
const SECRET = 'other-teams-secret';
const never = (): AbortSignal => new AbortController().signal;

function event(group: number, name: string, more: Row = {}): Row {
  return {
    id: Math.random(),
    group_id: group,
    group_name: group === 1 ? 'prod' : `${SECRET}-group`,
    hash: `hash-${name}`,
    rule_name: name,
    rule_note: `note of ${name}`,
    severity: 1,
    tags: ['service=checkout', 'host=db=1'],
    annotations: {},
    trigger_time: SECONDS - 60,
    first_trigger_time: SECONDS - 600,
    notify_rules: [{ id: 1, name: 'pager' }],
    ...more,
  };
}

let server: N9eServer;
let source: N9eSource;

function config(over: Partial<N9eSourceConfig> = {}): N9eSourceConfig {
  return {
    type: 'n9e',
    name: 'night',
    url: server.url,
    timeoutMs: 5000,
    maxBytes: 1_000_000,
    headers: { 'X-User-Token': TOKEN },
    busiGroups: [1],
    datasources: [7],
    mutes: false,
    ...over,
  };
}

beforeEach(async () => {
  server = await N9eServer.start();
  Object.assign(server.facts, {
    users: { [TOKEN]: { id: 5, username: 'nightjar', groups: [1, 2, 3] } },
    groups: [
      { id: 1, name: 'prod' },
      { id: 2, name: `${SECRET}-group` },
      { id: 3, name: 'staging' },
    ],
    current: [event(1, 'DiskFull'), event(2, SECRET), event(0, `${SECRET}-none`)],
    past: [
      event(1, 'DiskFull', { is_recovered: 1, recover_time: SECONDS - 30 }),
      event(2, SECRET, { is_recovered: 1, recover_time: SECONDS - 30 }),
    ],
    rules: [
      {
        id: 1,
        group_id: 1,
        name: 'DiskFull',
        prom_ql: 'disk > 1',
        severity: 1,
        cur_event_count: 1,
      },
      { id: 2, group_id: 2, name: SECRET, prom_ql: SECRET },
    ],
    targets: [
      {
        ident: 'web-1',
        group_ids: [1, 2],
        group_objs: [
          { id: 1, name: 'prod' },
          { id: 2, name: `${SECRET}-group` },
        ],
        target_up: 2,
        tags: ['dc=eu'],
      },
      { ident: SECRET, group_ids: [2], group_objs: [{ id: 2, name: SECRET }], target_up: 0 },
    ],
    mutes: [
      {
        id: 11,
        group_id: 1,
        note: 'moving',
        cause: '',
        tags: [{ key: 'host', func: 'in', value: 'a.1 b' }],
        btime: SECONDS - 60,
        etime: SECONDS + 60,
        create_by: 'bob',
      },
      {
        id: 12,
        group_id: 2,
        note: SECRET,
        tags: [{ key: 'x', func: '==', value: SECRET }],
        btime: 0,
        etime: SECONDS + 60,
      },
    ],
    boards: [
      { id: 5, group_id: 1, name: 'Hosts', tags: 'linux' },
      { id: 6, group_id: 2, name: SECRET, tags: SECRET },
    ],
    series: {
      7: [{ metric: { __name__: 'up', host: 'web-1' }, value: [SECONDS, '1'] }],
      8: [{ metric: { __name__: 'up', host: SECRET }, value: [SECONDS, '1'] }],
    },
  });
  source = new N9eSource(config());
});
afterEach(async () => {
  await source.close();
  await server.stop();
});

describe('what n9e tells', () => {
  it('should be read in our terms', async () => {
    const [alert] = await source.alerts.list(never());
    expect(alert).toMatchObject({
      source: 'night',
      fingerprint: 'hash-DiskFull',
      labels: {
        alertname: 'DiskFull',
        severity: 'critical',
        busigroup: 'prod',
        service: 'checkout',
        host: 'db=1',
      },
      annotations: { summary: 'note of DiskFull' },
      startsAt: (SECONDS - 600) * 1000,
      receivers: ['pager'],
    });
    const [mute] = await source.silences.list(never());
    expect(mute).toMatchObject({
      id: '11',
      state: 'active',
      createdBy: 'bob',
      comment: 'moving',
      matchers: [{ name: 'host', op: '=~', value: 'a\\.1|b' }],
    });
    const [target] = await source.inventory.targets(never());
    expect(target).toMatchObject({
      health: 'up',
      labels: { ident: 'web-1', dc: 'eu', busigroup: 'prod' },
    });
    const [rule] = await source.inventory.rules(never());
    expect(rule).toMatchObject({
      name: 'DiskFull',
      state: 'firing',
      group: 'prod',
      expr: 'disk > 1',
    });
    expect(await source.dashboards.list(never())).toEqual([
      { id: 5, name: 'Hosts', tags: 'linux', busiGroup: 'prod' },
    ]);
    const [past] = await source.history.list({ since: NOW - 1e6, until: NOW }, never());
    expect(past).toMatchObject({ ended: true, endedAt: (SECONDS - 30) * 1000 });
    const result = await source.metrics?.query('up', undefined, never());
    expect(result?.series[0]).toMatchObject({
      labels: { host: 'web-1' },
      samples: [{ value: '1' }],
    });
  });

  it('should be read to its last page', async () => {
    server.facts.current = Array.from({ length: 1203 }, (_, index) =>
      event(1, `a${String(index)}`),
    );
    expect(await source.alerts.list(never())).toHaveLength(1203);
  });
});

describe('more than is read at once', () => {
  const many = (group: number, count: number, more: Row = {}): Row[] =>
    Array.from({ length: count }, (_, index) => event(group, `a${String(index)}`, more));

  async function told(text: string): Promise<string> {
    const frames: Frame[] = [];
    const backend = new BuiltinBackend(new TenantSources([source]));
    for await (const frame of backend.run(turnOf(text), never())) frames.push(frame);
    return contentOf(frames);
  }

  beforeEach(async () => {
    await source.close();
    source = new N9eSource(config({ maxBytes: 16_000_000 }));
  });

  it('should be said by what is left out, of events of now and of the past', async () => {
    const ended = { is_recovered: 1, recover_time: SECONDS - 30 };
    Object.assign(server.facts, { current: many(1, 5007), past: many(1, 5008, ended) });
    const ctx = { reads: new SourceReads(new TenantSources([source])) };
    const says = (total: number, left: number): unknown =>
      expect.arrayContaining([
        { name: 'night', type: 'n9e' },
        expect.objectContaining({
          error: `n9e at night has ${total}, of which ${left} were not read and are left out`,
        }),
      ]);
    const past = await alertHistory.run({}, ctx, never());
    expect(past).toMatchObject({ total: 5008, has_more: true, sources: says(5008, 8) });
    const last = await alertHistory.run({ offset: 4990 }, ctx, never());
    expect(last).toMatchObject({ total: 5008, next_offset: 5000, has_more: false });
    expect(await alertHistory.run({ state: 'ended' }, ctx, never())).toMatchObject({ total: 5000 });
    const now = await listAlerts.run({}, ctx, never());
    expect(now).toMatchObject({ total: 5000, sources: says(5007, 7) });
    expect(await told('what is firing?')).toContain('5007, of which 7 were not read');
    expect(await told('is NoSuchAlert firing?')).toContain('5007, of which 7 were not read');
    expect(await told('最近一小时恢复的告警')).toContain('共有 5008 条，其中 8 条未读取');
  });

  it('should be said of targets, and not be where the last page is just full', async () => {
    const target = (index: number): Row => ({
      ident: `web-${String(index)}`,
      group_ids: [1],
      group_objs: [],
      target_up: 2,
      tags: [],
    });
    server.facts.targets = Array.from({ length: 5001 }, (_, index) => target(index));
    server.facts.current = many(1, 5000);
    expect((await source.inventory.targets(never())).cut?.message).toContain('5001, of which 1 ');
    expect((await source.alerts.list(never())).cut).toBeUndefined();
    expect(await told('which targets are down?')).toContain('5001, of which 1 ');
  });

  it('should not be counted where it holds what is not ours', async () => {
    server.facts.current = [...many(1, 4999), ...many(2, 3000)];
    const { cut, length } = await source.alerts.list(never());
    expect([length, cut?.message]).toEqual([
      4999,
      'n9e at night has more than the 4999 that were read; the rest was left out',
    ]);
  });
});

describe('the builtin backend over n9e', () => {
  it.each([
    ['which alerts resolved today?', 'DiskFull'],
    ['最近一小时恢复的告警', 'DiskFull'],
    ['查看 prod 业务组当前正在告警的事件', 'DiskFull'],
    ['list silences', 'bob'],
    ['which targets are down?', '0'],
  ])('should answer %j from it', async (text, found) => {
    const backend = new BuiltinBackend(new TenantSources([source]));
    const frames: Frame[] = [];
    for await (const frame of backend.run(turnOf(text), never())) frames.push(frame);
    expect(contentOf(frames)).toContain(found);
    expect(contentOf(frames)).toContain('night');
    expect(JSON.stringify(frames)).not.toContain(SECRET);
  });

  it('should show a user of n9e only what is theirs', async () => {
    const backend = new BuiltinBackend(new TenantSources([source]));
    const frames: Frame[] = [];
    const turn = turnOf('what is firing?', { busiGroups: [3] });
    for await (const frame of backend.run(turn, never())) frames.push(frame);
    expect(contentOf(frames)).not.toContain('DiskFull');
  });
});

describe('the llm backend over n9e', () => {
  it('should show a user of n9e only what is theirs', async () => {
    const told: string[] = [];
    const llm = await ScriptedLlm.start(
      openai.calls({ id: 'c-1', name: 'list_alerts', args: {} }),
      (request, response) => {
        told.push(...openai.resultsIn(request));
        return openai.says('Nothing.')(request, response);
      },
    );
    const sources = new TenantSources([source]);
    const backend = new LlmBackend({ config: llmConfig(llm.url), sources, secrets: [] });
    const turn = turnOf('what is firing?', { busiGroups: [3] });
    for await (const frame of backend.run(turn, never())) expect(frame.kind).not.toBe('fail');
    await backend.close();
    await llm.close();
    expect(told.join()).toContain('"total":0');
    expect(told.join()).not.toContain('DiskFull');
  });
});

describe('what belongs to other groups', () => {
  it('should not come out of any tool, nor be asked of any other datasource', async () => {
    const reads = new SourceReads(new TenantSources([source]));
    const ARGS: Record<string, unknown> = {
      query_metrics: { expr: 'up' },
      chart: { expr: 'up' },
      list_labels: { match: 'up', label: 'host' },
      get_alert: { source: 'night', fingerprint: `hash-${SECRET}` },
      explain_rule: { name: SECRET },
      list_silences: { state: 'any' },
      list_targets: {},
    };
    for (const tool of TOOLS) {
      const text = await tool
        .run(ARGS[tool.name] ?? {}, { reads }, never())
        .then(JSON.stringify, (error: unknown) => String(error));
      // Else nothing was looked at. Only what has no page to read, and nothing to read it from, refuses.
      expect([tool.name, text.startsWith('{') || tool.name === 'read_runbook']).toEqual([
        tool.name,
        true,
      ]);
      // The name that was asked for comes back as the query; nothing else may.
      const { query, ...rest } = text.startsWith('{') ? (JSON.parse(text) as Row) : {};
      expect([tool.name, JSON.stringify(rest)]).toEqual([
        tool.name,
        expect.not.stringContaining(SECRET),
      ]);
      expect(query === undefined || typeof query === 'string').toBe(true);
    }
    expect(server.requests.every(({ token }) => token === TOKEN)).toBe(true);
  });

  it('should stay hidden when the group is named, or gone from n9e', async () => {
    const byName = new N9eSource(config({ busiGroups: ['prod', 'no such group'] }));
    expect((await byName.alerts.list(never())).map(({ labels }) => labels['alertname'])).toEqual([
      'DiskFull',
    ]);
    await byName.close();
    const none = new N9eSource(config({ busiGroups: [99] }));
    expect(await none.alerts.list(never())).toEqual([]);
    expect(await none.silences.list(never())).toEqual([]);
    expect(await none.inventory.targets(never())).toEqual([]);
    expect(await none.inventory.rules(never())).toEqual([]);
    await none.close();
  });

  it('should be the border of a user as well, within that of the tenant', async () => {
    const wide = new N9eSource(config({ busiGroups: [1, 3] }));
    const own = wide.narrowedTo([2, 3]);
    expect(await own.busiGroups.list(never())).toEqual([{ id: 3, name: 'staging' }]);
    expect(await own.alerts.list(never())).toEqual([]);
    expect(await wide.alerts.list(never())).toHaveLength(1);
    const nobody = wide.narrowedTo([]);
    await expect(nobody.metrics?.query('up', undefined, never())).rejects.toThrow(/no busi group/);
    await wide.close();
  });

  it('should have no metrics where no datasource is named', () => {
    expect(new N9eSource(config({ datasources: [] })).metrics).toBeUndefined();
  });
});

describe('how n9e fails', () => {
  it.each<[string, (response: Parameters<typeof html>[0]) => void, RegExp]>([
    ['an unknown path, which is its pages', html, /not JSON/],
    [
      'an error in a 200',
      (response) => {
        businessError(response, 'forbidden <b>');
      },
      /refused the request: forbidden/,
    ],
    [
      'a plain text',
      (response) => {
        plain(response, 403, 'forbidden');
      },
      /credentials \(HTTP 403\)/,
    ],
    ['an empty 500', (response) => response.writeHead(500).end(), /HTTP 500/],
    ['an answer without dat', (response) => response.writeHead(200).end('{}'), /unexpected shape/],
  ])('should be told as what it is: %s', async (_name, fault, said) => {
    server.faults.set('/busi-groups', fault);
    await expect(source.alerts.list(never())).rejects.toThrow(said);
    await expect(source.alerts.list(never())).resolves.toHaveLength(1);
    server.faults.set('/alert-cur-events', fault);
    const failed = await source.alerts.list(never()).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(SourceError);
    expect(String(failed)).toMatch(said);
  });

  it('should read "no data" as nothing', async () => {
    server.faults.set('/query-instant', (response) => {
      businessError(response, 'no data');
    });
    expect((await source.metrics?.query('up', undefined, never()))?.series).toEqual([]);
  });

  it('should refuse a wrong token of its own', async () => {
    const wrong = new N9eSource(config({ headers: { 'X-User-Token': 'wrong' } }));
    await expect(wrong.alerts.list(never())).rejects.toThrow(/credentials \(HTTP 401\)/);
    await wrong.close();
  });
});
