import type { LabelSet, MetricsSource, QueryResult } from '../sources/source.types.js';
import type { Clause } from './label-matcher.js';

/** Epoch milliseconds. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** What a Prometheus remembers of a period. */
export interface Past {
  /** Series of ALERTS that fire: each evaluation of the rule, or one look each `stepSeconds`. */
  readonly fired: QueryResult['series'];
  /** ALERTS_FOR_STATE: since when the condition holds, so a new value is a new stretch. */
  readonly held: QueryResult['series'];
  readonly atEnd: QueryResult['series'];
  /** Absent: `fired` are the samples themselves. */
  readonly stepSeconds?: number;
}

/** ms: what no evaluation interval of a rule exceeds. */
export const LEAD = 5 * 60_000;
/** Samples that are read at most; beyond it only looks at a grid are affordable. */
const MOST_SAMPLES = 60_000;
/** Samples of one request: some 300 KB. */
const CHUNK = 10_000;
/** Of all series of a grid together, and of one series. */
const GRID_POINTS = 200_000;
const MOST_POINTS = 1000;
const LEAST_POINTS = 60;

/** The conditions that PromQL can hold are put to the source; the caller checks all of them again. */
export function matchersOf(where: readonly Clause[]): readonly string[] {
  return where.flatMap((clause) => {
    if ('any' in clause || clause.label === undefined || clause.values.length !== 1) return [];
    const { label, op, values } = clause;
    if (op === 'contains' || !/^[a-z_]\w*$/i.test(label)) return [];
    return [`${label}${op}${JSON.stringify(values[0])}`];
  });
}

/**
 * Reads every sample where that is affordable: a grid misses each gap that is shorter than its step,
 * and takes the gaps between two evaluations for ends.
 * @throws SourceError; the signal’s reason.
 */
export async function readPast(
  metrics: MetricsSource,
  matchers: readonly string[],
  period: Period,
  signal: AbortSignal,
): Promise<Past> {
  const { start, end } = period;
  const firing = `ALERTS{${['alertstate="firing"', ...matchers].join(',')}}`;
  const names = ['__name__=~"ALERTS|ALERTS_FOR_STATE"', 'alertstate=~"firing|"'];
  const both = `{${[...names, ...matchers].join(',')}}`;
  const seconds = Math.ceil((end - start + LEAD) / 1000);
  const [counted, atEnd] = await Promise.all([
    metrics.query(`count_over_time(${both}[${String(seconds)}s])`, end, signal),
    metrics.query(firing, end, signal),
  ]);
  const fires = counted.series.some(({ labels }) => labels['alertstate'] === 'firing');
  if (!fires) return { fired: [], held: [], atEnd: atEnd.series };
  const total = counted.series.reduce((sum, { samples: [one] }) => sum + Number(one?.value), 0);
  if (total > MOST_SAMPLES) {
    const points = Math.floor(GRID_POINTS / counted.series.length);
    const most = Math.min(MOST_POINTS, Math.max(LEAST_POINTS, points));
    const stepSeconds = Math.max(1, Math.ceil((end - start) / 1000 / most));
    const over = `max_over_time(${firing}[${String(stepSeconds)}s])`;
    const { series } = await metrics.queryRange(over, { start, end, stepSeconds }, signal);
    return { fired: series, held: [], atEnd: atEnd.series, stepSeconds };
  }
  const chunks = Math.max(1, Math.ceil(total / CHUNK));
  const each = Math.ceil(seconds / chunks);
  const parts = await Promise.all(
    Array.from({ length: chunks }, (_, index) =>
      metrics.query(`${both}[${String(each)}s]`, end - index * each * 1000, signal),
    ),
  );
  const series = parts.flatMap((part) => part.series);
  const isFiring = ({ labels }: { readonly labels: LabelSet }): boolean =>
    labels['alertstate'] === 'firing';
  return {
    fired: series.filter(isFiring),
    held: series.filter((one) => !isFiring(one)),
    atEnd: atEnd.series,
  };
}
