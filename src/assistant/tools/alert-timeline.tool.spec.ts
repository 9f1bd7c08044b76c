import { describe, expect, it } from 'vitest';
import { alertOf, FakeSources } from '../../../test/support/fake-sources.js';
import { SourceError } from '../sources/source-error.js';
import { TenantSources } from '../sources/tenant-sources.js';
import { alertTimeline } from './alert-timeline.tool.js';
import { SourceReads } from './source-reads.js';
import { ToolInputError } from './tool.js';

const signal = new AbortController().signal;

function context(fake: FakeSources) {
  return { reads: new SourceReads(new TenantSources([fake.router, fake.metrics])) };
}

describe('alert_timeline', () => {
  it('should order what the router knows, and say that what has ended is unknown', async () => {
    const now = Date.now();
    const fake = new FakeSources({
      alerts: [
        alertOf({ alertname: 'Second', team: 'a' }, { startsAt: now - 60_000 }),
        alertOf({ alertname: 'First', team: 'a' }, { startsAt: now - 8 * 3600_000 }),
        alertOf({ alertname: 'Other', team: 'b' }, { startsAt: now - 1000 }),
      ],
    });
    const down = () =>
      Promise.reject(new SourceError(fake.metrics, { kind: 'unreachable', code: 'ECONNREFUSED' }));
    Object.assign(fake.metrics.metrics!, { query: down, queryRange: down, rules: down });
    const where = [{ label: 'team', op: '=' as const, values: ['a'] }];
    const result = await alertTimeline.run({ where }, context(fake), signal);
    expect(result.timeline.map(({ name }) => name)).toEqual(['First', 'Second']);
    expect(result.timeline[0]).toMatchObject({ exact: true, times: 1 });
    expect(result.ended_known).toBe(false);
    expect(result.sources.filter(({ error }) => error !== undefined)).toHaveLength(1);
  });

  it('should put to the source what PromQL can say', async () => {
    const fake = new FakeSources();
    const where = [
      { label: 'team', op: '=~' as const, values: ['a"b|c'] },
      { label: 'not-a-name', op: '=' as const, values: ['x'] },
      { op: 'contains' as const, values: ['y'] },
    ];
    await alertTimeline.run({ where }, context(fake), signal);
    expect(fake.asked.map(({ expr }) => expr)).toEqual([
      String.raw`max_over_time(ALERTS{alertstate="firing",team=~"a\"b|c"}[180s])`,
      String.raw`ALERTS{alertstate="firing",team=~"a\"b|c"}`,
    ]);
  });

  it('should tell when an ended alert began to fire, not since when it waited', async () => {
    const end = Date.now() - 3_600_000;
    const start = end - 6 * 3_600_000;
    const labels = { __name__: 'ALERTS', alertname: 'Slow', alertstate: 'firing' };
    const sampled = start + 20 * 180_000;
    const began = sampled - 110_000;
    const series = (name: string, ...times: number[]) => ({
      labels: { ...labels, alertname: name },
      samples: times.map((at) => ({ at, value: '1' })),
    });
    const fake = new FakeSources({
      query: (expr) => ({
        kind: 'matrix',
        warnings: [],
        series: expr.startsWith('max_over_time')
          ? [series('Slow', sampled, sampled + 180_000), series('Early', start)]
          : expr.endsWith('[480s]')
            ? [series('Slow', began, began + 15_000), series('Early', start - 200_000, start)]
            : [],
      }),
    });
    const period = { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
    const { timeline } = await alertTimeline.run(period, context(fake), signal);
    expect(fake.asked.some(({ expr }) => expr.includes('FOR_STATE'))).toBe(false);
    expect(timeline).toMatchObject([
      { name: 'Early', first: new Date(start).toISOString(), exact: false },
      { name: 'Slow', first: new Date(began).toISOString(), exact: true },
    ]);
  });

  it.each([
    { start: '2026-01-02T00:00:00Z', end: '2026-01-01T00:00:00Z' },
    { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
  ])('should refuse the period $start to $end', async (period) => {
    const run = alertTimeline.run(period, context(new FakeSources()), signal);
    await expect(run).rejects.toBeInstanceOf(ToolInputError);
  });
});
