import { SourceError } from '../sources/source-error.js';
import type { MetricsSource, QueryResult } from '../sources/source.types.js';
import { type Grid, type GridLine, gridLine } from './chart-lines.js';

/** What the lowest and highest values of a chart are of. */
export type ExtremesOf =
  /** Every sample that the source has. */
  | { readonly of: 'samples' }
  /** The expression, evaluated so often between the points of the line. */
  | { readonly of: 'evaluations'; readonly each_seconds: number }
  /** The points of the line alone: what lies in between is not among them. */
  | { readonly of: 'points'; readonly each_seconds: number };

/** Most scrape intervals are no shorter: below that nothing lies between the points. */
export const FINE_SECONDS = 30;
/** Samples that the source has to read for one of the two queries, were it scraped each 15 s. */
const MOST_SAMPLES = 20_000_000;
const USUAL_SCRAPE_SECONDS = 15;
/** Evaluations of an expression over the whole range; the chart itself takes 241. */
const MOST_EVALUATIONS = 5000;
/** Of the chart's own query: one that took longer is not asked for twenty times as much. */
const SLOW_MS = 1500;
const LATE_MS = 3000;

/** The metrics source that gave lines, and how long it took for them. */
export interface Drawer {
  readonly source: string;
  readonly metrics: MetricsSource;
  readonly tookMs: number;
  readonly series: number;
}

/**
 * Asks for the lowest and the highest value since the point before, of each point: a line of one value
 * a step hides what lies between. A source that refuses or takes long leaves the chart as it is.
 * @throws the signal's reason when it aborts.
 */
export async function withExtremes(
  expr: string,
  lines: readonly GridLine[],
  grid: Grid,
  drawers: readonly Drawer[],
  signal: AbortSignal,
): Promise<{ readonly lines: readonly GridLine[]; readonly extremes: ExtremesOf }> {
  const points = { of: 'points', each_seconds: grid.stepSeconds } as const;
  const asked = extremesQuery(expr, grid);
  if (asked === undefined || lines.length === 0 || !areCheap(drawers, grid)) {
    return { lines, extremes: points };
  }
  const late = AbortSignal.any([signal, AbortSignal.timeout(LATE_MS)]);
  const answers = await Promise.all(
    drawers.flatMap(({ source, metrics }) =>
      [asked.low, asked.high].map(async (query) => {
        const answer = await answerOf(() => metrics.queryRange(query, grid, late));
        return answer?.series.map((series) => gridLine(source, series, grid));
      }),
    ),
  );
  signal.throwIfAborted();
  // Of one source and not of the other: figures that cannot be compared.
  if (answers.includes(undefined)) return { lines, extremes: points };
  const [lows, highs] = [0, 1].map(
    (odd) =>
      new Map(
        answers
          .filter((_, index) => index % 2 === odd)
          .flatMap((found) => found ?? [])
          .map((line) => [keyOf(line), line.values] as const),
      ),
  );
  const banded = lines.map((line) => bandOf(line, lows?.get(keyOf(line)), highs?.get(keyOf(line))));
  return { lines: banded, extremes: asked.extremes };
}

async function answerOf(ask: () => Promise<QueryResult>): Promise<QueryResult | undefined> {
  try {
    return await ask();
  } catch (error) {
    const isLate = error instanceof DOMException;
    if (error instanceof SourceError || isLate) return undefined;
    throw error;
  }
}

function areCheap(drawers: readonly Drawer[], { start, end }: Grid): boolean {
  const series = drawers.reduce((sum, one) => sum + one.series, 0);
  const samples = ((end - start) / 1000 / USUAL_SCRAPE_SECONDS) * series;
  return samples <= MOST_SAMPLES && drawers.every(({ tookMs }) => tookMs <= SLOW_MS);
}

const SELECTOR =
  /^\s*(?:[A-Za-z_:][\w:]*\s*)?(?:\{(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|[^{}"'`])*\})?\s*$/;

/** Undefined: the points are as close as samples are. */
export function extremesQuery(
  expr: string,
  { start, end, stepSeconds }: Grid,
): { readonly low: string; readonly high: string; readonly extremes: ExtremesOf } | undefined {
  if (stepSeconds <= FINE_SECONDS) return undefined;
  const isSelector = SELECTOR.test(expr) && expr.trim() !== '';
  const seconds = Math.max(
    USUAL_SCRAPE_SECONDS,
    Math.ceil((end - start) / 1000 / MOST_EVALUATIONS),
  );
  const range = isSelector
    ? `${expr.trim()}[${String(stepSeconds)}s]`
    : // A comment at its end would swallow the bracket.
      `(${expr}\n)[${String(stepSeconds)}s:${String(seconds)}s]`;
  return {
    low: `min_over_time(${range})`,
    high: `max_over_time(${range})`,
    extremes: isSelector ? { of: 'samples' } : { of: 'evaluations', each_seconds: seconds },
  };
}

/** Functions over time drop the name. */
function keyOf({ source, labels }: Pick<GridLine, 'source' | 'labels'>): string {
  const own = Object.entries(labels).filter(([name]) => name !== '__name__');
  return JSON.stringify([source, own.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

type Values = GridLine['values'];

/** The line itself is within its band; at the first point what came before is out of the range. */
function bandOf(line: GridLine, lows: Values | undefined, highs: Values | undefined): GridLine {
  const pick = (of: Values | undefined, better: (a: number, b: number) => number): Values =>
    line.values.map((value, index) => {
      const other = index === 0 ? null : (of?.[index] ?? null);
      if (value === null || other === null) return value ?? other;
      return better(value, other);
    });
  return { ...line, lows: pick(lows, Math.min), highs: pick(highs, Math.max) };
}
