import { describe, expect, it } from 'vitest';
import { answerPast } from '../../../test/support/alert-past.js';
import { alertOf, FakeSources } from '../../../test/support/fake-sources.js';
import { SourceError } from '../sources/source-error.js';
import { TenantSources } from '../sources/tenant-sources.js';
import { alertTimeline } from './alert-timeline.tool.js';
import { iso } from './iso-time.js';
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
      String.raw`count_over_time({__name__=~"ALERTS|ALERTS_FOR_STATE",alertstate=~"firing|",team=~"a\"b|c"}[21900s])`,
      String.raw`ALERTS{alertstate="firing",team=~"a\"b|c"}`,
    ]);
  });

  const end = Math.floor((Date.now() - 3_600_000) / 1000) * 1000;
  const before = (seconds: number): number => end - seconds * 1000;
  const over = (start: number) => ({ start: iso(start), end: iso(end) });

  it('should tell each stretch, and say what fired before the period', async () => {
    const fake = new FakeSources({
      query: answerPast([
        {
          labels: { alertname: 'Again' },
          stretches: [
            [before(600), before(312)],
            [before(300), end + 9000],
          ],
        },
        { labels: { alertname: 'Early' }, stretches: [[before(9000), before(60)]] },
        {
          labels: { alertname: 'Away' },
          stretches: [[before(900), before(90)]],
          missing: [[before(600), before(300)]],
        },
      ]),
    });
    const { timeline } = await alertTimeline.run(over(before(1200)), context(fake), signal);
    expect(timeline).toMatchObject([
      { name: 'Early', first: iso(before(1200)), before: true, last: iso(before(60)), times: 1 },
      { name: 'Away', first: iso(before(900)), times: 1, exact: true },
      { name: 'Again', first: iso(before(600)), since: iso(before(300)), times: 2, exact: true },
    ]);
    expect(timeline[2]?.last).toBeUndefined();
  });

  it('should fall back to looks at a grid, and say so', async () => {
    const labels = { __name__: 'ALERTS', alertname: 'Long', alertstate: 'firing' };
    const series = (value: string, ...times: number[]) => {
      return { labels, samples: times.map((at) => ({ at, value })) };
    };
    const fake = new FakeSources({
      query: (expr) => ({
        ...{ kind: 'matrix', warnings: [] },
        series: expr.startsWith('count')
          ? [series('60001', end)]
          : expr.startsWith('max')
            ? [series('1', before(600), before(580), before(300))]
            : [],
      }),
    });
    const result = await alertTimeline.run(over(before(20_000)), context(fake), signal);
    expect(result.precision_seconds).toBe(20);
    expect(result.timeline).toMatchObject([
      { first: iso(before(600)), last: iso(before(280)), times: 2, exact: false },
    ]);
  });

  it('should not take the begin at the router for the first of several', async () => {
    const began = [before(500), before(100)] as const;
    const labels = { alertname: 'Again' };
    const fake = new FakeSources({
      alerts: [alertOf(labels, { startsAt: began[1] })],
      query: answerPast([
        {
          labels,
          stretches: [
            [began[0], before(112)],
            [began[1], end + 9000],
          ],
        },
      ]),
    });
    const { timeline } = await alertTimeline.run(over(before(1000)), context(fake), signal);
    expect(timeline).toMatchObject([{ first: iso(began[0]), since: iso(began[1]), times: 2 }]);
  });

  it.each([
    { start: '2026-01-02T00:00:00Z', end: '2026-01-01T00:00:00Z' },
    { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
  ])('should refuse the period $start to $end', async (period) => {
    const run = alertTimeline.run(period, context(new FakeSources()), signal);
    await expect(run).rejects.toBeInstanceOf(ToolInputError);
  });
});
