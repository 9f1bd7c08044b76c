import type { Alert, LabelSet, MetricsSource, QueryResult } from '../sources/source.types.js';
import type { Clause, Predicate } from './label-matcher.js';

/** An alert in a period, whether it still fires or not; times are epoch milliseconds. */
export interface Firing {
  readonly source: string;
  readonly labels: LabelSet;
  readonly first: number;
  /** Undefined while it fires. */
  readonly last: number | undefined;
  readonly times: number;
  readonly exact: boolean;
}

export interface Period {
  readonly start: number;
  readonly end: number;
  readonly stepSeconds: number;
}

/** What a Prometheus remembers of a period. */
export interface Past {
  /** Firing at any time within the step before each sample: nothing short is missed. */
  readonly fired: QueryResult;
  /** Since when the condition holds, in epoch seconds, as of the same steps. */
  readonly since: QueryResult;
  readonly atEnd: QueryResult;
}

/** The conditions that PromQL can hold are put to the source; all are checked again here. */
export function matchersOf(where: readonly Clause[]): readonly string[] {
  return where.flatMap((clause) => {
    if ('any' in clause || clause.label === undefined || clause.values.length !== 1) return [];
    const { label, op, values } = clause;
    if (op === 'contains' || !/^[a-z_]\w*$/i.test(label)) return [];
    return [`${label}${op}${JSON.stringify(values[0])}`];
  });
}

/** @throws SourceError; the signal’s reason. */
export async function readPast(
  metrics: MetricsSource,
  matchers: readonly string[],
  { start, end, stepSeconds }: Period,
  signal: AbortSignal,
): Promise<Past> {
  const firing = `ALERTS{${['alertstate="firing"', ...matchers].join(',')}}`;
  const since = `ALERTS_FOR_STATE{${matchers.join(',')}}`;
  const over = (selector: string): Promise<QueryResult> => {
    const expr = `max_over_time(${selector}[${stepSeconds}s])`;
    return metrics.queryRange(expr, { start, end, stepSeconds }, signal);
  };
  const [a, b, c] = await Promise.all([
    over(firing),
    over(since),
    metrics.query(firing, end, signal),
  ]);
  return { fired: a, since: b, atEnd: c };
}

/** @param step in ms; `waits`: the `for` of each rule in ms, by `<source> <name>`. */
export function firingsOf(
  source: string,
  { fired, since, atEnd }: Past,
  step: number,
  waits: ReadonlyMap<string, number>,
): Firing[] {
  const onsets = new Map(since.series.map(({ labels, samples }) => [keyOf(labels), samples]));
  const still = new Set(atEnd.series.map(({ labels }) => keyOf(labels)));
  return fired.series.flatMap(({ labels: all, samples }) => {
    const [first, ...rest] = samples;
    if (first === undefined) return [];
    let last = first.at;
    let times = 1;
    for (const { at } of rest) {
      if (at - last > 1.5 * step) times += 1;
      last = at;
    }
    const labels = ownLabels(all);
    const key = keyOf(all);
    // It was not seen a step earlier, so it began within this one: the rule's own clock says when.
    const onset = Number(onsets.get(key)?.find(({ at }) => at === first.at)?.value) * 1000;
    const began = onset + (waits.get(`${source} ${labels['alertname'] ?? ''}`) ?? 0);
    const exact = began > first.at - step - 1000 && began <= first.at;
    const end = still.has(key) ? undefined : last;
    return [{ source, labels, first: exact ? began : first.at, last: end, times, exact }];
  });
}

function ownLabels(labels: LabelSet): LabelSet {
  const own = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(labels)) {
    if (name !== '__name__' && name !== 'alertstate') own[name] = value;
  }
  return own;
}

function keyOf(labels: LabelSet): string {
  return JSON.stringify(Object.entries(ownLabels(labels)).sort(([a], [b]) => compare(a, b)));
}

/**
 * The router knows when what fires now began, also before the period, and it knows alerts of which no
 * Prometheus of ours has a series. The same alert may have more labels at the router.
 */
export function withRouter(
  seen: readonly Firing[],
  firing: readonly Alert[],
  isUpToNow: boolean,
): Firing[] {
  const known = new Set<Alert>();
  const sharpened = seen.map((entry) => {
    const holds = containing(entry.labels);
    const same = firing.find((alert) => holds(alert.labels));
    if (same === undefined) return entry;
    known.add(same);
    const isSame = entry.last === undefined && entry.times === 1;
    return isSame ? { ...entry, first: same.startsAt, exact: true } : entry;
  });
  const others = firing
    .filter((alert) => !known.has(alert) && isUpToNow)
    .map(({ source, labels, startsAt }) => {
      return { source, labels, first: startsAt, last: undefined, times: 1, exact: true };
    });
  return [...sharpened, ...others];
}

function containing(labels: LabelSet): Predicate {
  const entries = Object.entries(labels);
  return (candidate) => entries.every(([name, value]) => candidate[name] === value);
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
