import { describe, expect, it } from 'vitest';
import { SourceError } from '../sources/source-error.js';
import type { MetricsSource, QueryResult } from '../sources/source.types.js';
import { type Drawer, extremesQuery, withExtremes } from './chart-extremes.js';
import { figuresOf, type Grid, gridLine } from './chart-lines.js';

const START = Date.parse('2026-11-30T00:00:00Z');
const GRID: Grid = { start: START, end: START + 3 * 360_000, stepSeconds: 360 };
const { signal } = new AbortController();

function series(values: readonly (number | string)[], named = false): QueryResult {
  const labels = { ...(named ? { __name__: 'load' } : {}), instance: 'a' };
  const samples = values.map((value, index) => ({
    at: START + index * 360_000,
    value: String(value),
  }));
  return { kind: 'matrix', series: [{ labels, samples }], warnings: [] };
}

const LINE = gridLine('prom', series([4, 4, 4, 4], true).series[0]!, GRID);

/** Asked for min_over_time and max_over_time of the line. */
function drawer(
  answer: (query: string, signal: AbortSignal) => Promise<QueryResult>,
  more: Partial<Drawer> = {},
): Drawer & { readonly asked: string[] } {
  const asked: string[] = [];
  const metrics = {
    queryRange: (query: string, _: Grid, abort: AbortSignal) => {
      asked.push(query);
      return answer(query, abort);
    },
  } as unknown as MetricsSource;
  return { source: 'prom', metrics, tookMs: 10, series: 1, asked, ...more };
}

function swinging(): Drawer & { readonly asked: string[] } {
  return drawer((query) =>
    Promise.resolve(series(query.startsWith('min') ? [-9, 0, 4, 4] : [99, 4, 6, 'NaN'])),
  );
}

describe('extremesQuery', () => {
  it.each([
    ['load', 'max_over_time(load[360s])', 'samples'],
    ['load{a="}"}', 'max_over_time(load{a="}"}[360s])', 'samples'],
    ['{__name__="load"}', 'max_over_time({__name__="load"}[360s])', 'samples'],
    ['rate(x[5m])', 'max_over_time((rate(x[5m])\n)[360s:15s])', 'evaluations'],
    ['load offset 1h', 'max_over_time((load offset 1h\n)[360s:15s])', 'evaluations'],
    ['a + b # c', 'max_over_time((a + b # c\n)[360s:15s])', 'evaluations'],
  ])('should ask for the extremes of %s', (expr, high, of) => {
    expect(extremesQuery(expr, GRID)).toMatchObject({ high, extremes: { of } });
  });

  it('should ask for no more than some thousand evaluations', () => {
    const days = 90;
    const long = { start: 0, end: days * 86_400_000, stepSeconds: 32_400 };
    const { extremes } = extremesQuery('rate(x[5m])', long)!;
    expect(extremes).toEqual({ of: 'evaluations', each_seconds: 1556 });
  });

  it('should ask nothing where points are as close as samples', () => {
    expect(extremesQuery('load', { ...GRID, stepSeconds: 30 })).toBeUndefined();
  });
});

describe('withExtremes', () => {
  it('should tell what lies between the points, and nothing of what came before the first', async () => {
    const { lines, extremes } = await withExtremes('load', [LINE], GRID, [swinging()], signal);
    expect(extremes).toEqual({ of: 'samples' });
    expect(lines[0]).toMatchObject({ lows: [4, 0, 4, 4], highs: [4, 4, 6, 4] });
    expect(figuresOf(lines[0]!, GRID)).toMatchObject({
      ...{ min: 0, max: 6, last: 4, mean: 4 },
      maxAfter: START + 360_000,
      maxAt: START + 720_000,
    });
  });

  it('should say no later or earlier time for a highest value that is a point', () => {
    const line = gridLine('prom', series([4, 7, 4, 4]).series[0]!, GRID);
    expect(figuresOf({ ...line, lows: line.values, highs: line.values }, GRID)).toEqual(
      expect.not.objectContaining({ maxAfter: expect.anything() as unknown }),
    );
  });

  it.each([
    [
      'is refused',
      () =>
        Promise.reject(
          new SourceError(
            { name: 'prom', type: 'prometheus' },
            { kind: 'refused', text: 'too many samples' },
          ),
        ),
    ],
    ['takes too long', () => Promise.reject(new DOMException('late', 'TimeoutError'))],
  ])('should leave the chart as it is where the question %s', async (_, answer) => {
    const drawn = await withExtremes('load', [LINE], GRID, [drawer(answer)], signal);
    expect(drawn).toEqual({ lines: [LINE], extremes: { of: 'points', each_seconds: 360 } });
  });

  it.each([
    ['a chart that took long itself', { tookMs: 2000 }],
    ['thousands of series', { series: 1e6 }],
  ])('should not ask at all after %s', async (_, more) => {
    const one = { ...swinging(), ...more };
    const { extremes } = await withExtremes('load', [LINE], GRID, [one], signal);
    expect([extremes.of, one.asked]).toEqual(['points', []]);
  });

  it('should take those of no source when another one refuses', async () => {
    const other = drawer(() =>
      Promise.reject(new SourceError({ name: 'b', type: 'prometheus' }, { kind: 'not_json' })),
    );
    const drawn = await withExtremes('load', [LINE], GRID, [swinging(), other], signal);
    expect(drawn.extremes.of).toBe('points');
    expect(drawn.lines).toEqual([LINE]);
  });

  it('should end with the turn', async () => {
    const ending = new AbortController();
    const never = drawer(
      (_, abort) =>
        new Promise((_resolve, reject) => {
          abort.addEventListener('abort', () => {
            reject(abort.reason as Error);
          });
        }),
    );
    const drawn = withExtremes('load', [LINE], GRID, [never], ending.signal);
    ending.abort(new Error('canceled'));
    await expect(drawn).rejects.toThrow('canceled');
  });
});
