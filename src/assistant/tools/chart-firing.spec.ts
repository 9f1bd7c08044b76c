import { describe, expect, it } from 'vitest';
import { FakeSources, NOW } from '../../../test/support/fake-sources.js';
import type { QueryResult, Source } from '../sources/source.types.js';
import { TenantSources } from '../sources/tenant-sources.js';
import { chartFirings } from './chart-firing.js';
import { SourceReads } from './source-reads.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FIRED = { start: NOW - 3 * DAY, end: NOW - 3 * DAY + 20 * MINUTE };

/** An alert that fired for 20 minutes, three days ago, as Prometheus samples it on the grid asked for. */
function prometheus(): Source {
  const { metrics, ...source } = new FakeSources().metrics;
  return {
    ...source,
    metrics: {
      ...metrics!,
      queryRange: (_, { start, end, stepSeconds }): Promise<QueryResult> => {
        const steps = Math.floor((end - start) / 1000 / stepSeconds) + 1;
        const times = Array.from(
          { length: steps },
          (__, index) => start + index * stepSeconds * 1000,
        );
        const samples = times
          .filter((at) => at >= FIRED.start && at <= FIRED.end)
          .map((at) => ({ at, value: '1' }));
        const labels = { __name__: 'ALERTS', alertname: 'Slow', instance: 'a' };
        const series = samples.length === 0 ? [] : [{ labels, samples }];
        return Promise.resolve({ kind: 'matrix', series, warnings: [] });
      },
    },
  };
}

describe('chartFirings', () => {
  it('should see what fired between two points of a long chart, and when', async () => {
    const reads = new SourceReads(new TenantSources([prometheus()]));
    const stepSeconds = 2520;
    const grid = { start: NOW - 240 * stepSeconds * 1000, end: NOW, stepSeconds };
    const lines = [{ labels: { instance: 'a' } }];
    const { signal } = new AbortController();
    const [slow] = (await chartFirings('load_1', lines, grid, { reads }, signal)) ?? [];
    const [stretch] = slow?.stretches ?? [];
    expect(stretch?.start).toBeGreaterThanOrEqual(FIRED.start);
    expect(stretch?.start).toBeLessThan(FIRED.start + 6 * MINUTE);
    expect(stretch?.end).toBeGreaterThan(FIRED.end - 6 * MINUTE);
    expect(stretch?.end).toBeLessThan(FIRED.end + 6 * MINUTE);
  });
});
