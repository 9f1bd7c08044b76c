import type { LabelSet } from '../../sources/source.types.js';

/** Which of the series a word means. */
export interface FoundHosts {
  readonly label: string;
  readonly values: readonly string[];
  /** False: the word is only a part of the values. */
  readonly whole: boolean;
}

/** Where the same word stands in several labels: the likeliest first. */
const LIKELY = [
  'instance',
  'ident',
  'host',
  'hostname',
  'nodename',
  'node',
  'pod',
  'service',
  'job',
];
const MOST_VALUES = 50;

/** The label whose values the word names; undefined when it is in none. */
export function findHosts(word: string, series: readonly LabelSet[]): FoundHosts | undefined {
  const wanted = word.toLowerCase();
  for (const [fits, whole] of [
    [isCalled, true],
    [holds, false],
  ] as const) {
    const found = new Map<string, Set<string>>();
    for (const labels of series) {
      for (const [label, value] of Object.entries(labels)) {
        if (!fits(value.toLowerCase(), wanted)) continue;
        const values = found.get(label) ?? new Set();
        found.set(label, values.add(value));
      }
    }
    const [best] = [...found].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
    if (best === undefined) continue;
    const values = [...best[1]].sort().slice(0, MOST_VALUES);
    return { label: best[0], values, whole };
  }
  return undefined;
}

/** `web-1`, of `web-1`, `web-1:9100` and `web-1.example.com:9100`. */
function isCalled(value: string, wanted: string): boolean {
  const host = value.replace(/:\d+$/, '');
  const isAddress = /^[\d.]+$/.test(host);
  return value === wanted || host === wanted || (!isAddress && host.split('.')[0] === wanted);
}

function holds(value: string, wanted: string): boolean {
  return wanted.length >= 2 && value.includes(wanted);
}

function rank(label: string): number {
  const index = LIKELY.indexOf(label);
  return index === -1 ? LIKELY.length : index;
}

/** A matcher of PromQL. */
export interface Matcher {
  readonly label: string;
  readonly op: string;
  readonly value: string;
}

/** `instance=~"web-1:9100|web-2:9100"`; `isOut`: every other value. */
export function matcherOf(label: string, values: readonly string[], isOut: boolean): Matcher {
  const [only] = values;
  if (values.length === 1 && only !== undefined) {
    return { label, op: isOut ? '!=' : '=', value: only };
  }
  const value = values.map((one) => one.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  return { label, op: isOut ? '!~' : '=~', value };
}

/** As an expression of a named metric takes it. */
export function matcherText({ label, op, value }: Matcher): string {
  return `${label}${op}${JSON.stringify(value)},`;
}
