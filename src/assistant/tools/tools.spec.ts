import { describe, expect, it } from 'vitest';
import { alertOf, FakeSources, NOW } from '../../../test/support/fake-sources.js';
import { READ_TOOLS } from '../../config/toolsets.js';
import { asLabels } from '../sources/shape.js';
import { SourceError } from '../sources/source-error.js';
import { TenantSources } from '../sources/tenant-sources.js';
import { countAlerts } from './count-alerts.tool.js';
import { getAlert } from './get-alert.tool.js';
import { compileWhere, showWhere } from './label-matcher.js';
import { listAlerts } from './list-alerts.tool.js';
import { listTargets } from './list-targets.tool.js';
import { queryMetrics } from './query-metrics.tool.js';
import { SourceReads } from './source-reads.js';
import { type ToolContext, ToolInputError } from './tool.js';
import { TOOLS } from './tool-registry.js';

const NEVER = new AbortController().signal;

function contextOf(sources: FakeSources): ToolContext {
  return { reads: new SourceReads(new TenantSources([sources.router, sources.metrics])) };
}

const ALERTS = [
  alertOf({ alertname: 'A', severity: 'warning', team: 'core' }, { age: 5 }),
  alertOf({ alertname: 'B', severity: 'critical', team: 'payments' }, { age: 50 }),
  alertOf(
    { alertname: 'C', severity: 'critical' },
    { age: 500, state: 'suppressed', summary: 'slow disk' },
  ),
];

describe('the tool registry', () => {
  it('should hold the tools that mcp.toolsets may name one by one, and no other', () => {
    const reading = TOOLS.filter(({ readOnly }) => readOnly).map(({ name }) => name);
    expect(reading.sort()).toEqual([...READ_TOOLS].sort());
  });

  it('should hold uniquely named tools with an object schema, all of them read-only', () => {
    const names = TOOLS.map((tool) => tool.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([
        'list_alerts',
        'get_alert',
        'count_alerts',
        'list_silences',
        'query_metrics',
        'list_targets',
        'list_rules',
      ]),
    );
    for (const tool of TOOLS) {
      expect(tool.readOnly).toBe(true);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(JSON.stringify(tool.inputSchema)).not.toContain('$schema');
    }
  });

  it('should refuse arguments that do not fit, in words', async () => {
    const context = contextOf(new FakeSources());
    await expect(listAlerts.run({ limit: 1000 }, context, NEVER)).rejects.toThrow(ToolInputError);
    await expect(listAlerts.run({ limit: 1000 }, context, NEVER)).rejects.toThrow(/limit/);
    const unknown: object = { nosuch: 1 };
    await expect(listAlerts.run(unknown, context, NEVER)).rejects.toThrow(/nosuch/);
  });
});

describe('list_alerts', () => {
  it('should list the worst and newest first, bounded, with totals', async () => {
    const result = await listAlerts.run(
      { limit: 2 },
      contextOf(new FakeSources({ alerts: ALERTS })),
      NEVER,
    );
    expect(result.alerts.map(({ name }) => name)).toEqual(['B', 'C']);
    expect(result).toMatchObject({
      total: 3,
      suppressed: 1,
      unfiltered: 3,
      has_more: true,
      view: 'router',
    });
    expect(result.sources).toEqual([{ name: 'fake-am', type: 'alertmanager' }]);
    expect(result.query).toBe('alerts: state=firing');
    expect(Date.parse(result.time)).toBeGreaterThan(0);
  });

  it.each([
    [{ severity: ['CRITICAL'] }, 'BC'],
    [{ state: 'active' as const }, 'AB'],
    [{ text: 'DISK' }, 'C'],
    [{ where: [{ label: 'team', op: '=' as const, values: ['core', 'payments'] }] }, 'AB'],
    [{ where: [{ label: 'team', op: '!=' as const, values: ['core'] }] }, 'BC'],
    [{ where: [{ label: 'team', op: '=' as const, values: [''] }] }, 'C'],
    [{ where: [{ op: '=' as const, values: ['core'] }] }, 'A'],
    [{ where: [{ op: '!=' as const, values: ['core'] }] }, 'BC'],
    [{ where: [{ label: 'team', op: '=~' as const, values: ['pay.*'] }] }, 'B'],
    [
      {
        where: [
          {
            any: [
              { label: 'team', op: '=' as const, values: ['core'] },
              { label: 'alertname', op: '=' as const, values: ['C'] },
            ],
          },
        ],
      },
      'AC',
    ],
    [{ started_after: new Date(NOW - 10 * 60_000).toISOString() }, 'A'],
    [{ started_before: new Date(NOW - 50 * 60_000).toISOString() }, 'C'],
  ])('should filter by %j', async (args, names) => {
    const result = await listAlerts.run(
      args,
      contextOf(new FakeSources({ alerts: ALERTS })),
      NEVER,
    );
    expect(
      result.alerts
        .map(({ name }) => name)
        .sort()
        .join(''),
    ).toBe(names);
    expect(result.total).toBe(names.length);
  });

  it('should bound what a source sends', async () => {
    const labels = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`l${String(i)}`, 'v'.repeat(5000)]),
    );
    const alerts = [alertOf({ alertname: 'Big', ...labels }, { summary: 's'.repeat(50_000) })];
    const result = await listAlerts.run({}, contextOf(new FakeSources({ alerts })), NEVER);
    expect(JSON.stringify(result).length).toBeLessThan(10_000);
    expect(result.alerts[0]?.more_labels).toBe(69);
  });

  it('should read each source once within a context', async () => {
    const sources = new FakeSources({ alerts: ALERTS });
    let reads = 0;
    const list = sources.router.alerts?.list;
    const router = {
      ...sources.router,
      alerts: {
        view: 'router' as const,
        list: (signal: AbortSignal) => ((reads += 1), list?.(signal) ?? Promise.resolve([])),
      },
    };
    const context = { reads: new SourceReads(new TenantSources([router])) };
    await listAlerts.run({}, context, NEVER);
    await countAlerts.run({}, context, NEVER);
    expect(reads).toBe(1);
  });

  it('should report a dead source, and keep its error out of the document', async () => {
    const sources = new FakeSources({ alerts: ALERTS });
    const info = { name: 'dead', type: 'alertmanager' as const };
    const dead = {
      ...sources.router,
      ...info,
      alerts: {
        view: 'router' as const,
        list: () => Promise.reject(new SourceError(info, { kind: 'http', status: 401 })),
      },
    };
    const context = { reads: new SourceReads(new TenantSources([dead, sources.router])) };
    const result = await listAlerts.run({}, context, NEVER);
    expect(result.total).toBe(3);
    expect(JSON.parse(JSON.stringify(result.sources))).toEqual([
      { name: 'fake-am', type: 'alertmanager' },
      { ...info, error: "Alertmanager at dead refused the gateway's credentials (HTTP 401)" },
    ]);
  });
});

describe('count_alerts', () => {
  it('should count by two labels, the absent ones too', async () => {
    const result = await countAlerts.run(
      { by: ['severity', 'team'] },
      contextOf(new FakeSources({ alerts: ALERTS })),
      NEVER,
    );
    expect(result.groups).toEqual([
      { keys: ['critical', ''], count: 1 },
      { keys: ['critical', 'payments'], count: 1 },
      { keys: ['warning', 'core'], count: 1 },
    ]);
    expect(result).toMatchObject({ total: 3, total_groups: 3, has_more: false });
  });

  it('should count by the routing groups, in which an alert may be twice', async () => {
    const sources = new FakeSources({ alerts: ALERTS });
    const group = {
      source: 'fake-am',
      labels: asLabels({ team: 'core' }, ''),
      receiver: 'pager',
      fingerprints: [ALERTS[0]?.fingerprint ?? ''],
    };
    const router = {
      ...sources.router,
      silences: {
        list: () => Promise.resolve([]),
        groups: () => Promise.resolve([group, { ...group, receiver: 'mail' }]),
      },
    };
    const context = { reads: new SourceReads(new TenantSources([router])) };
    const result = await countAlerts.run({ by: ['@group'] }, context, NEVER);
    expect(result.groups).toEqual([
      { keys: [''], count: 2 },
      { keys: ['team=core → mail'], count: 1 },
      { keys: ['team=core → pager'], count: 1 },
    ]);
  });
});

describe('get_alert', () => {
  it('should tell everything about one, with its silence', async () => {
    const [, , quiet] = ALERTS;
    const alert = {
      ...(quiet ?? alertOf({})),
      silencedBy: ['s1', 's2'],
      generatorUrl: 'http://user:pw@prom/graph',
    };
    const silence = {
      source: 'fake-am',
      id: 's1',
      state: 'active' as const,
      matchers: [{ name: 'a', op: '=' as const, value: 'b' }],
      createdBy: 'al',
      comment: 'c',
      startsAt: NOW,
      endsAt: NOW,
    };
    const context = contextOf(
      new FakeSources({ alerts: [alert], silences: [silence, { ...silence, id: 'x' }] }),
    );
    const result = await getAlert.run({ name: 'C' }, context, NEVER);
    expect(result.total).toBe(1);
    expect(result.alerts[0]).toMatchObject({
      silenced_by: ['s1', 's2'],
      silences: [{ id: 's1', matchers: ['a="b"'] }],
    });
    expect(result.alerts[0]?.generator_url).toBe('http://prom/graph');
  });
});

describe('query_metrics and list_targets', () => {
  it('should sum a range up and keep values as they came', async () => {
    const values = ['3', '10', 'NaN', '2'];
    const samples = values.map((value, index) => ({ at: NOW + index, value }));
    const sources = new FakeSources({
      query: () => ({
        kind: 'matrix',
        warnings: [],
        series: [{ labels: asLabels({}, ''), samples }],
      }),
    });
    const range = {
      start: new Date(NOW - 3_600_000).toISOString(),
      end: new Date(NOW).toISOString(),
    };
    const result = await queryMetrics.run({ expr: 'x', range }, contextOf(sources), NEVER);
    expect(result.series[0]).toMatchObject({
      value: '2',
      range: { samples: 4, first: '3', min: '2', max: '10' },
    });
    await expect(
      queryMetrics.run(
        { expr: 'x', range: { start: range.end, end: range.start } },
        contextOf(sources),
        NEVER,
      ),
    ).rejects.toThrow(ToolInputError);
  });

  it('should give many series and many groups page by page, to the last one', async () => {
    const names = Array.from({ length: 45 }, (_, index) => `s${String(index).padStart(2, '0')}`);
    const sources = new FakeSources({
      alerts: names.map((name) => alertOf({ alertname: name })),
      query: () => ({
        kind: 'vector',
        warnings: [],
        series: names.map((name) => ({
          labels: asLabels({ name }, ''),
          samples: [{ at: NOW, value: '1' }],
        })),
      }),
    });
    const series: unknown[] = [];
    const groups: unknown[] = [];
    for (let offset = 0; offset < names.length; offset += 20) {
      const page = { limit: 20, offset };
      const told = await queryMetrics.run({ expr: 'x', ...page }, contextOf(sources), NEVER);
      const by = ['alertname'];
      const counted = await countAlerts.run({ by, ...page }, contextOf(sources), NEVER);
      const end = Math.min(offset + 20, names.length);
      const where = { next_offset: end, has_more: end < names.length };
      expect(told).toMatchObject({ ...where, total: names.length });
      expect(counted).toMatchObject({ ...where, total_groups: names.length });
      series.push(...told.series.map(({ labels }) => labels['name']));
      groups.push(...counted.groups.flatMap(({ keys }) => keys));
    }
    expect(series).toEqual(names);
    expect(groups.toSorted()).toEqual(names.toSorted());
  });

  it('should page through series that come in another order each time, and keep an asked one', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `s${String(index).padStart(2, '0')}`);
    let turn = 0;
    const sources = new FakeSources({
      query: () => {
        turn += 7;
        return {
          kind: 'vector',
          warnings: [],
          series: [...names.slice(turn % 30), ...names.slice(0, turn % 30)].map((name) => ({
            labels: asLabels({ name }, ''),
            samples: [{ at: NOW, value: '1' }],
          })),
        };
      },
    });
    const ask = async (expr: string, offset: number) => {
      const told = await queryMetrics.run({ expr, limit: 10, offset }, contextOf(sources), NEVER);
      return told.series.map(({ labels }) => labels['name']);
    };
    expect([...(await ask('x', 0)), ...(await ask('x', 10)), ...(await ask('x', 20))]).toEqual(
      names,
    );
    turn = 0;
    expect((await ask('sort_desc(x)', 0))[0]).toBe('s07');
    expect((await ask('topk(30, x)', 0))[0]).toBe('s14');
  });

  it('should put the targets that are down first, without credentials of their errors', async () => {
    const base = { source: 'fake-prom', scrapeUrl: '', lastScrape: 0 };
    const targets = [
      { ...base, labels: asLabels({ job: 'a' }, ''), health: 'up' as const, lastError: '' },
      {
        ...base,
        labels: asLabels({ job: 'b' }, ''),
        health: 'down' as const,
        lastError: 'Get "http://u:pw@h/m": EOF',
      },
    ];
    const result = await listTargets.run({}, contextOf(new FakeSources({ targets })), NEVER);
    expect(result.targets.map(({ health }) => health)).toEqual(['down', 'up']);
    expect(result.targets[0]?.last_error).toBe('Get "http://h/m": EOF');
    expect(result).toMatchObject({ up: 1, down: 1, unknown: 0, total: 2 });
  });
});

describe('matchers', () => {
  it('should read labels only, never what objects inherit', () => {
    expect(compileWhere([{ label: 'constructor', op: '=', values: [''] }])(asLabels({}, ''))).toBe(
      true,
    );
    expect(
      showWhere([
        { label: 'a', op: '=', values: ['x', 'y'] },
        { op: 'contains', values: ['z'] },
      ]),
    ).toBe('a in ("x", "y"), any text contains "z"');
  });
});
