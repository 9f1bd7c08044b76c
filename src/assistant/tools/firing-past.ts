import type { Alert, LabelSet, QueryResult } from '../sources/source.types.js';
import type { Predicate } from './label-matcher.js';
import { LEAD, type Past, type Period } from './read-past.js';

/** An alert in a period, whether it still fires or not; times are epoch milliseconds. */
export interface Firing {
  readonly source: string;
  readonly labels: LabelSet;
  readonly first: number;
  /** It fired before `first` already, since when is not known. */
  readonly before: boolean;
  /** When the last stretch began. */
  readonly since: number;
  /** The evaluation that found it over. Undefined while it fires. */
  readonly last: number | undefined;
  /** When the stretch before the last one was over. */
  readonly over?: number;
  readonly times: number;
  /** ms that `first` and `last` may be wrong by, and gaps that are not seen; 0: exact. */
  readonly slack: number;
}

interface Stretch {
  readonly start: number;
  /** Its last sample. */
  end: number;
}

export function firingsOf(source: string, past: Past, period: Period): Firing[] {
  const still = new Set(past.atEnd.map(({ labels }) => keyOf(labels)));
  const held = byKey(past.held);
  return [...byKey(past.fired)].flatMap(([key, { labels, samples }]) => {
    const holds = held.get(key)?.samples ?? new Map<number, string>();
    const step = past.stepSeconds === undefined ? undefined : past.stepSeconds * 1000;
    const each = step ?? intervalOf(samples, holds);
    const stretches = stretchesOf(samples, holds, each ?? 0);
    const isOpen = still.has(key);
    const last = stretches.at(-1);
    const seen = stretches.filter((one) => {
      return (isOpen && one === last) || one.end + (each ?? 0) > period.start;
    });
    const [first] = seen;
    if (first === undefined || last === undefined) return [];
    const over = seen.length > 1 ? stretches.at(-2) : undefined;
    // Samples that all stand alone tell no interval, so nobody knows how long after the last one.
    const unsure = each === undefined && !isOpen ? LEAD : 0;
    return [
      {
        source,
        labels,
        first: Math.max(first.start, period.start),
        before: first.start <= period.start,
        since: Math.max(last.start, period.start),
        last: isOpen ? undefined : Math.min(last.end + (each ?? 0), period.end),
        ...(over === undefined ? {} : { over: over.end + (each ?? 0) }),
        times: seen.length,
        slack: step ?? unsure,
      },
    ];
  });
}

interface Timed {
  readonly labels: LabelSet;
  /** By their time, in order. */
  readonly samples: ReadonlyMap<number, string>;
}

/** The pieces of a series that several requests brought, put together. */
function byKey(series: QueryResult['series']): ReadonlyMap<string, Timed> {
  const found = new Map<string, { labels: LabelSet; all: [number, string][] }>();
  for (const { labels, samples } of series) {
    const key = keyOf(labels);
    const entry = found.get(key) ?? { labels: ownLabels(labels), all: [] };
    for (const { at, value } of samples) entry.all.push([at, value]);
    found.set(key, entry);
  }
  return new Map(
    [...found].map(([key, { labels, all }]) => {
      return [key, { labels, samples: new Map(all.sort(([a], [b]) => a - b)) }];
    }),
  );
}

/** The shortest time between two samples of one stretch: that between two evaluations, in ms. */
function intervalOf(
  samples: ReadonlyMap<number, string>,
  holds: ReadonlyMap<number, string>,
): number | undefined {
  let least = Infinity;
  let before = -Infinity;
  for (const at of samples.keys()) {
    if (holds.get(at) === holds.get(before)) least = Math.min(least, at - before);
    before = at;
  }
  return Number.isFinite(least) ? least : undefined;
}

/**
 * A condition that began to hold anew is a new stretch, however short the gap; one that holds since
 * the same time is none, even where Prometheus itself missed evaluations.
 */
function stretchesOf(
  samples: ReadonlyMap<number, string>,
  holds: ReadonlyMap<number, string>,
  gap: number,
): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let held: string | undefined;
  for (const at of samples.keys()) {
    const last = stretches.at(-1);
    const now = holds.get(at);
    const isKnown = now !== undefined && held !== undefined;
    const isNew = last !== undefined && (isKnown ? now !== held : at - last.end > 1.5 * gap);
    if (last === undefined || isNew) stretches.push({ start: at, end: at });
    else last.end = at;
    held = now;
  }
  return stretches;
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
    return isExact && entry.last === undefined ? sharper(entry, same.startsAt) : entry;
  });
  const others = firing
    .filter((alert) => !known.has(alert) && isUpToNow)
    .map(({ source, labels, startsAt }) => {
      const [first, since] = [startsAt, startsAt];
      const slack = isExact ? 0 : LEAD;
      return { source, labels, first, since, before: false, last: undefined, times: 1, slack };
    });
  return [...sharpened, ...others];
}

/** The router tells of the last stretch only: of the first one where there is no other. */
function sharper(entry: Firing, startsAt: number): Firing {
  const { first, times, before, slack } = entry;
  if (times === 1 && before && startsAt <= first) {
    return { ...entry, first: startsAt, since: startsAt, before: false };
  }
  if (slack === 0) return entry;
  // Between two looks it ended and began anew.
  const isAgain = startsAt > entry.since + slack;
  if (isAgain) return { ...entry, since: startsAt, times: times + 1 };
  const isOne = times === 1 && !before && startsAt <= first;
  return isOne ? { ...entry, first: startsAt, since: startsAt } : { ...entry, since: startsAt };
}

function containing(labels: LabelSet): Predicate {
  const entries = Object.entries(labels);
  return (candidate) => entries.every(([name, value]) => candidate[name] === value);
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
