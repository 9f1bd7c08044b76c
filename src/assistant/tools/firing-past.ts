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
  readonly atEnd: QueryResult;
  /** The samples before the first one of `fired`, as the rule wrote them, by the time of that. */
  readonly onsets: ReadonlyMap<number, QueryResult>;
}

/** Onsets that are looked up; each is a query. */
const MOST_ONSETS = 24;
/** ms: what no evaluation interval of a rule exceeds. */
const BEFORE = 5 * 60_000;

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
  const over = `max_over_time(${firing}[${stepSeconds}s])`;
  const [fired, atEnd] = await Promise.all([
    metrics.queryRange(over, { start, end, stepSeconds }, signal),
    metrics.query(firing, end, signal),
  ]);
  const begun = new Set(fired.series.flatMap(({ samples: [first] }) => first?.at ?? []));
  const seconds = stepSeconds + BEFORE / 1000;
  const onsets = await Promise.all(
    [...begun].slice(0, MOST_ONSETS).map(async (at) => {
      return [at, await metrics.query(`${firing}[${String(seconds)}s]`, at, signal)] as const;
    }),
  );
  return { fired, atEnd, onsets: new Map(onsets) };
}

/** @param step in ms. */
export function firingsOf(source: string, { fired, atEnd, onsets }: Past, step: number): Firing[] {
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
    const raw = onsets.get(first.at)?.series.find((one) => keyOf(one.labels) === key)?.samples;
    // The first evaluation at which it fired, not the one at which it began to wait. Samples from
    // before the step: it fired already, since when nobody knows.
    const began = raw?.[0]?.at ?? -Infinity;
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
  view: 'router' | 'rules',
): Firing[] {
  // Prometheus itself tells since when the condition holds, which is before it fires.
  const isExact = view === 'router';
  const known = new Set<Alert>();
  const sharpened = seen.map((entry) => {
    const holds = containing(entry.labels);
    const same = firing.find((alert) => holds(alert.labels));
    if (same === undefined) return entry;
    known.add(same);
    const isSame = isExact && entry.last === undefined && entry.times === 1;
    return isSame ? { ...entry, first: same.startsAt, exact: true } : entry;
  });
  const others = firing
    .filter((alert) => !known.has(alert) && isUpToNow)
    .map(({ source, labels, startsAt }) => {
      return { source, labels, first: startsAt, last: undefined, times: 1, exact: isExact };
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
