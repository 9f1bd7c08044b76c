import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSources, type TenantSources } from '../../src/assistant/sources/tenant-sources.js';
import { alertTimeline, type TimelineRow } from '../../src/assistant/tools/alert-timeline.tool.js';
import { SourceReads } from '../../src/assistant/tools/source-reads.js';
import { openMetrics, type PastFiring } from '../support/alert-past.js';
import { startPrometheus } from '../support/prometheus.js';
import type { ServiceProcess } from '../support/service-process.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const signal = new AbortController().signal;
/** Everything here happened in the hours before it. */
const END = Math.floor(Date.now() / 1000) * 1000 - HOUR;
const ago = (ms: number): number => END - ms;

const WORLD = {
  /** A gap of two evaluations between long stretches. */
  shortGap: {
    labels: { alertname: 'ShortGap', severity: 'critical' },
    stretches: [
      [ago(40 * MINUTE), ago(20 * MINUTE + 12_000)],
      [ago(20 * MINUTE), ago(-10 * MINUTE)],
    ],
    every: 3,
  },
  ended: {
    labels: { alertname: 'Ended' },
    stretches: [[ago(35 * MINUTE), ago(30 * MINUTE)]],
    every: 30,
  },
  /** It fired before the period, and Prometheus was away for two minutes. */
  before: {
    labels: { alertname: 'Before' },
    stretches: [[ago(90 * MINUTE), ago(10 * MINUTE)]],
    missing: [[ago(32 * MINUTE), ago(30 * MINUTE)]],
  },
  flapping: {
    labels: { alertname: 'Flapping' },
    stretches: [0, 1, 2, 3, 4].map((n) => {
      return [ago((39 - n) * MINUTE), ago((39 - n) * MINUTE - 15_000)] as const;
    }),
  },
} satisfies Readonly<Record<string, PastFiring>>;

describe('alert_timeline over the past of a Prometheus', () => {
  let prometheus: ServiceProcess;
  let sources: TenantSources;

  beforeAll(async () => {
    const bulk: PastFiring = {
      labels: { alertname: 'Bulk' },
      stretches: [
        [ago(80 * HOUR), ago(79 * HOUR)],
        [ago(78 * HOUR), ago(0)],
      ],
      every: 8,
    };
    prometheus = await startPrometheus({ past: openMetrics([...Object.values(WORLD), bulk]) });
    sources = openSources([
      {
        ...{ type: 'prometheus', name: 'prom', url: prometheus.url, headers: {} },
        ...{ timeoutMs: 20_000, maxBytes: 8_000_000 },
      },
    ]);
  }, 60_000);

  afterAll(async () => {
    await sources.close();
    await prometheus.stop();
  });

  async function timeline(start: number, end: number, name?: string) {
    const period = { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
    const where =
      name === undefined ? [] : [{ label: 'alertname', op: '=' as const, values: [name] }];
    return alertTimeline.run({ ...period, where }, { reads: new SourceReads(sources) }, signal);
  }

  const iso = (at: number): string => new Date(at).toISOString();

  it('should tell each stretch, however short the gap, in the right order', async () => {
    const result = await timeline(ago(60 * MINUTE), END);
    const rows = result.timeline.filter(({ name }) => name !== 'Bulk');
    expect(rows.map(({ name }) => name)).toEqual(['Before', 'ShortGap', 'Flapping', 'Ended']);
    const [before, shortGap, flapping, ended] = rows as [
      TimelineRow,
      TimelineRow,
      TimelineRow,
      TimelineRow,
    ];
    const from = (name: keyof typeof WORLD): number => WORLD[name].stretches[0]?.[0] ?? 0;
    expect(before).toMatchObject({ first: iso(ago(60 * MINUTE)), before: true, times: 1 });
    expect(before.last).toBe(iso(ago(10 * MINUTE)));
    expect(shortGap).toMatchObject({ first: iso(from('shortGap')), times: 2, exact: true });
    expect(shortGap).toMatchObject({ since: iso(ago(20 * MINUTE)) });
    expect(shortGap.last).toBeUndefined();
    // Each of its samples stands alone: nothing tells how long after the last one it was over.
    expect(flapping).toMatchObject({ first: iso(from('flapping')), times: 5, exact: false });
    expect(flapping.last).toBe(iso(ago(35 * MINUTE)));
    expect(ended).toMatchObject({ first: iso(from('ended')), times: 1, exact: true });
    expect(ended.last).toBe(iso(ago(30 * MINUTE)));
    expect(result.precision_seconds).toBe(300);
  });

  it.each([1, 3, 10, 24])('should count stretches, not samples, in %s minutes', async (minutes) => {
    const { timeline: rows } = await timeline(
      ago(35 * MINUTE),
      ago((35 - minutes) * MINUTE),
      'Ended',
    );
    expect(rows).toMatchObject([{ times: 1, first: iso(ago(35 * MINUTE)), exact: true }]);
  });

  it('should say of a long past that its times are no more than looks at it', async () => {
    const result = await timeline(ago(160 * HOUR), END, 'Bulk');
    const [row] = result.timeline;
    expect(row).toMatchObject({ exact: false, times: 2 });
    expect(result.precision_seconds).toBeGreaterThan(0);
    const began = Date.parse(row?.first ?? '') - ago(80 * HOUR);
    expect(Math.abs(began)).toBeLessThanOrEqual(result.precision_seconds * 1000);
  });
});
