import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Frame } from '../../src/assistant/assistant-backend.js';
import { LlmBackend } from '../../src/assistant/llm/llm-backend.js';
import { Redactor } from '../../src/assistant/llm/redactor.js';
import { openSources, type TenantSources } from '../../src/assistant/sources/tenant-sources.js';
import { chart } from '../../src/assistant/tools/chart.tool.js';
import type { ToolArtifact, ToolOutlet } from '../../src/assistant/tools/tool.js';
import { alertTimeline } from '../../src/assistant/tools/alert-timeline.tool.js';
import { explainRule } from '../../src/assistant/tools/explain-rule.tool.js';
import { listLabels, searchMetrics } from '../../src/assistant/tools/search-metrics.tool.js';
import { SourceReads } from '../../src/assistant/tools/source-reads.js';
import { startAlertmanager } from '../support/alertmanager.js';
import { contentOf, turnOf } from '../support/fake-sources.js';
import { llmConfig } from '../support/llm-bench.js';
import { type Exporter, startExporter, startPrometheus } from '../support/prometheus.js';
import { openai, ScriptedLlm } from '../support/scripted-llm.js';
import type { ServiceProcess } from '../support/service-process.js';
import { eventually } from '../support/wait.js';

/** 27 series of constants. */
const MANY = Array.from('abc')
  .flatMap((x, i) => Array.from('abc').map((y, j) => [`${x}${y}`, (i + 1) * 10 + j + 1] as const))
  .flatMap(([name, value]) => [0, 1, 2].map((k) => [`${name}${k}`, value * 10 + k + 1] as const))
  .map(([name, value]) => `label_replace(vector(${value}), "n", "${name}", "", "")`)
  .join(' or ');
const signal = new AbortController().signal;

/** Against real services: three rules that begin to fire one after another, one of which ends. */
describe('the tools of an incident', () => {
  let alertmanager: ServiceProcess;
  let prometheus: ServiceProcess;
  let exporter: Exporter;
  let sources: TenantSources;

  beforeAll(async () => {
    exporter = await startExporter();
    exporter.set('disk_used', 0.5);
    exporter.set('errors{service="checkout"}', 0);
    exporter.set('latency', 0.1);
    alertmanager = await startAlertmanager();
    prometheus = await startPrometheus({
      alertmanagerUrl: alertmanager.url,
      scrape: [{ job: 'app', targets: [exporter.target] }],
      rules: [
        { alert: 'DiskFull', expr: 'disk_used > 0.9', labels: { severity: 'critical' } },
        { alert: 'Errors', expr: 'errors{service=~"check.*"} >= 5 and on() (latency < 100)' },
        { alert: 'Slow', expr: 'latency > 1' },
      ],
    });
    const configs = [
      { ...http('alertmanager', 'am'), url: alertmanager.url },
      { ...http('prometheus', 'prom'), url: prometheus.url },
    ];
    sources = openSources(configs, { redactor: new Redactor(['s3cret']) });
    exporter.set('disk_used', 0.97);
    await firing('DiskFull');
    exporter.set('errors{service="checkout"}', 7);
    await firing('Errors');
    exporter.set('latency', 3);
    await firing('Slow');
    exporter.set('disk_used', 0.5);
    await eventually(
      'DiskFull ends',
      async () => !(await names()).includes('DiskFull'),
      20_000,
      200,
    );
  }, 90_000);

  afterAll(async () => {
    await sources.close();
    await prometheus.stop();
    await alertmanager.stop();
    await exporter.stop();
  });

  function http<T extends 'alertmanager' | 'prometheus'>(type: T, name: string) {
    return { type, name, timeoutMs: 5000, maxBytes: 1_000_000, headers: {} };
  }

  async function names(): Promise<readonly string[]> {
    const { answers } = await new SourceReads(sources).alerts(signal);
    return answers.flatMap(({ value }) => value.map(({ labels }) => labels['alertname'] ?? ''));
  }

  async function firing(name: string): Promise<void> {
    await eventually(`${name} fires`, async () => (await names()).includes(name), 20_000, 200);
  }

  it('should tell what fired first, what has ended since, and when', async () => {
    const start = new Date(Date.now() - 5 * 60_000).toISOString();
    const args = { start };
    const result = await alertTimeline.run(args, { reads: new SourceReads(sources) }, signal);
    expect(result.timeline.map(({ name }) => name)).toEqual(['DiskFull', 'Errors', 'Slow']);
    const [disk, errors, slow] = result.timeline;
    expect(disk).toMatchObject({ severity: 'critical', exact: true, times: 1 });
    expect(disk?.last).toBeDefined();
    expect(errors).toMatchObject({ exact: true, labels: { service: 'checkout' } });
    expect(errors?.last).toBeUndefined();
    expect(Date.parse(slow?.first ?? '')).toBeGreaterThan(Date.parse(errors?.first ?? ''));
    expect(result).toMatchObject({ total: 3, has_more: false, ended_known: true });
    expect(result.sources.map(({ name }) => name)).toEqual(['prom', 'am']);
  });

  /** The chart tool as a backend calls it, with what it gave to the user. */
  async function draw(args: Parameters<typeof chart.run>[0]) {
    const made: ToolArtifact[] = [];
    const outlet: ToolOutlet = {
      language: 'en',
      attach: (artifact) => made.push(artifact),
    };
    const result = await chart.run(args, { reads: new SourceReads(sources), outlet }, signal);
    const part = (name: string) => made[0]?.parts.find(({ filename }) => filename === name);
    const bytes = (name: string) => Buffer.from(part(name)?.raw ?? '', 'base64');
    return {
      result,
      made,
      bytes,
      data: made[0]?.parts.find(({ data }) => data !== undefined)?.data,
    };
  }

  it('should draw a value with the alerts about it, also those that have ended', async () => {
    const start = new Date(Date.now() - 120_000).toISOString();
    const { result, made, bytes, data } = await draw({
      expr: 'disk_used',
      start,
      title: 's3cret <b>',
    });
    expect(result).toMatchObject({ total: 1, drawn: 1, unit: 'number', picture: 'chart.png' });
    expect(result.series[0]).toMatchObject({ max: 0.97, last: 0.5, shown: { max: '0.97' } });
    expect(result.firing.map(({ name }) => name)).toContain('DiskFull');
    const [disk] = result.firing.filter(({ name }) => name === 'DiskFull');
    expect(disk?.stretches).toHaveLength(1);
    expect(disk?.stretches[0]?.end).toBeDefined();
    expect(made).toHaveLength(1);
    expect(bytes('chart.png').subarray(1, 4).toString()).toBe('PNG');
    expect(bytes('chart.png').length).toBeLessThan(256 * 1024);
    const svg = bytes('chart.svg').toString();
    expect(svg).toContain('[redacted] &lt;b&gt;');
    expect(svg).toContain('firing: DiskFull');
    expect(svg).toContain('>UTC<');
    expect(data).toMatchObject({ kind: 'nightjar.chart/1', series: [{ max: 0.97 }] });
  });

  it('should tell and shade the highest of what lies between the points of a long range', async () => {
    const start = new Date(Date.now() - 24 * 3_600_000).toISOString();
    const { result, bytes, data } = await draw({ expr: 'disk_used', start });
    expect(result.min_max).toEqual({ of: 'samples' });
    // It was so high for some seconds, minutes before the point that it belongs to.
    expect(result.series[0]).toMatchObject({ max: 0.97, last: 0.5 });
    expect(result.series[0]?.max_after).toBeDefined();
    expect(bytes('chart.svg').toString()).toContain('from its lowest to its highest sample');
    const shown = data as { series: readonly { highs: readonly unknown[] }[] };
    expect(shown.series[0]?.highs).toBeUndefined();
    const [head = '', ...rows] = bytes('chart.csv').toString().trim().split('\r\n');
    expect(head).toMatch(/\{.*\}"?,"?disk_used\{.*\} min"?,"?disk_used\{.*\} max"?$/);
    expect(rows.at(-1)?.split(',').slice(1)).toEqual(['0.5', '0.5', '0.97']);
    const derived = await draw({ expr: 'disk_used * 2', start });
    expect(derived.result).toMatchObject({
      min_max: { of: 'evaluations', each_seconds: 18 },
      series: [{ last: 1 }],
    });
  });

  it('should leave out what is no number, and draw nothing where there is nothing', async () => {
    const nothing = await draw({ expr: 'no_such_metric' });
    expect(nothing.result).toMatchObject({ total: 0, series: [], firing: [] });
    expect(nothing.result.no_picture).toBe('there is no value to draw');
    expect(nothing.made).toEqual([]);
    const infinite = await draw({ expr: 'disk_used / 0' });
    expect(infinite.result).toMatchObject({ total: 1, series: [] });
    expect(infinite.made).toEqual([]);
    const some = await draw({
      expr: 'disk_used > 0 or vector(0) / 0',
      start: new Date(Date.now() - 120_000).toISOString(),
    });
    expect(some.bytes('chart.svg').toString()).toContain('NaN and infinite values are left out.');
    expect(some.bytes('chart.svg').toString()).not.toMatch(/NaN[^ ]|Infinity/);
  });

  it('should draw the highest of many series, say so, and put all numbers into a file', async () => {
    const { result, bytes } = await draw({
      expr: MANY,
      start: new Date(Date.now() - 600_000).toISOString(),
    });
    expect(result).toMatchObject({ total: 27, drawn: 6, has_more: true });
    expect(result.series.map(({ max }) => max).slice(0, 2)).toEqual([333, 332]);
    expect(bytes('chart.svg').toString()).toContain('6 of 27 series are drawn');
    const [head = '', row = ''] = bytes('chart.csv').toString().split('\r\n');
    expect(head.match(/""n""/g) ?? head.match(/n=""/g)).toHaveLength(27);
    expect(row).toMatch(/^\d{4}-\d\d-\d\dT[^,]+,[\d.]+,/);
  });

  it('should give a picture to the user of a model, and the figures to the model', async () => {
    const args = { expr: 'errors', title: 'Errors' };
    const llm = await ScriptedLlm.start(
      openai.calls({ id: 'c-1', name: 'chart', args }),
      (request, response) => {
        const [result = ''] = openai.resultsIn(request);
        const shown = /"max":(\d+)/.exec(result)?.[1] ?? '';
        return openai.says(`At most ${shown}; pictured: ${String(result.includes('chart.png'))}.`)(
          request,
          response,
        );
      },
    );
    const backend = new LlmBackend({ config: llmConfig(llm.url), sources, secrets: [] });
    const frames: Frame[] = [];
    for await (const frame of backend.run(turnOf('graph the errors'), signal)) frames.push(frame);
    await backend.close();
    await llm.close();
    expect(llm.complaints).toEqual([]);
    expect(contentOf(frames)).toBe('At most 7; pictured: true.');
    const [picture] = frames.filter((frame) => frame.kind === 'artifact');
    expect(picture?.parts.map(({ mediaType }) => mediaType)).toContain('image/png');
  });

  it('should find metrics, labels and values by parts of their names', async () => {
    const ctx = () => ({ reads: new SourceReads(sources) });
    const found = await searchMetrics.run({ words: ['DISK'] }, ctx(), signal);
    expect(found.metrics).toEqual([{ name: 'disk_used', source: 'prom' }]);
    const some = await searchMetrics.run({ limit: 2 }, ctx(), signal);
    expect(some).toMatchObject({ has_more: true, metrics: [{}, {}] });
    expect(some.total).toBeGreaterThan(5);
    const names = await listLabels.run({ match: 'errors' }, ctx(), signal);
    expect(names.values).toEqual(['__name__', 'instance', 'job', 'service']);
    const args = { match: 'ALERTS{alertstate="firing"}', label: 'alertname', text: 'slo' };
    expect((await listLabels.run(args, ctx(), signal)).values).toEqual(['Slow']);
    await expect(listLabels.run({ match: 'sum(up)' }, ctx(), signal)).rejects.toThrow(
      'no expression',
    );
  });

  it('should let a model tell what fired first', async () => {
    const llm = await ScriptedLlm.start(
      openai.calls({ id: 'c-1', name: 'alert_timeline', args: {} }),
      (request, response) => {
        const [result = ''] = openai.resultsIn(request);
        const order = [...result.matchAll(/"name":"(DiskFull|Errors|Slow)"/g)].map(([, n]) => n);
        return openai.says(`First ${order.join(', then ')}.`)(request, response);
      },
    );
    const backend = new LlmBackend({ config: llmConfig(llm.url), sources, secrets: [] });
    const frames: Frame[] = [];
    for await (const frame of backend.run(turnOf('what fired first?'), signal)) frames.push(frame);
    await backend.close();
    await llm.close();
    expect(llm.complaints).toEqual([]);
    expect(contentOf(frames)).toBe('First DiskFull, then Errors, then Slow.');
  });

  it('should keep the order, exactly, also in a long period', async () => {
    const start = new Date(Date.now() - 7 * 24 * 3600_000).toISOString();
    const context = { reads: new SourceReads(sources) };
    const { timeline, precision_seconds } = await alertTimeline.run({ start }, context, signal);
    expect(precision_seconds).toBe(0);
    expect(timeline.map(({ name }) => name)).toEqual(['DiskFull', 'Errors', 'Slow']);
  });

  it('should filter at the source and stop at the limit', async () => {
    const where = [{ label: 'alertname', op: '=~' as const, values: ['Disk.*|Slow'] }];
    const context = { reads: new SourceReads(sources) };
    const result = await alertTimeline.run({ where, limit: 1 }, context, signal);
    expect(result.timeline.map(({ name }) => name)).toEqual(['DiskFull']);
    expect(result).toMatchObject({ total: 2, has_more: true });
  });

  it('should show why a rule fires, with the measured value and its threshold', async () => {
    const context = { reads: new SourceReads(sources) };
    const { rules, alerts } = await explainRule.run({ name: 'Slow', minutes: 1 }, context, signal);
    expect(rules).toMatchObject([
      {
        state: 'firing',
        expr: 'latency > 1',
        holds_total: 1,
        holds_for: [{ value: '3' }],
        measured: { expr: 'latency', condition: '> 1', series: [{ value: '3' }] },
      },
    ]);
    expect(rules[0]?.measured?.series[0]?.range).toMatchObject({ first: '0.1', max: '3' });
    expect(alerts).toMatchObject([{ name: 'Slow', state: 'active' }]);
  });

  it('should show why a rule does not fire, and leave alone what cannot be taken apart', async () => {
    const context = { reads: new SourceReads(sources) };
    const ended = await explainRule.run({ name: 'DiskFull', minutes: 1 }, context, signal);
    expect(ended.rules[0]).toMatchObject({
      holds_total: 0,
      measured: { condition: '> 0.9', series: [{ value: '0.5', range: { max: '0.97' } }] },
    });
    expect(ended.alerts_total).toBe(0);
    const both = await explainRule.run({ name: 'Errors' }, context, signal);
    expect(both.rules[0]).toMatchObject({ holds_total: 1, holds_for: [{ value: '7' }] });
    expect(both.rules[0]?.measured).toBeUndefined();
    expect((await explainRule.run({ name: 'Nothing' }, context, signal)).total).toBe(0);
  });
});
