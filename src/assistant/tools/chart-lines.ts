import { cleanText } from '../sources/clean-text.js';
import type { LabelSet, QueryResult } from '../sources/source.types.js';

export interface Grid {
  readonly start: number;
  readonly end: number;
  readonly stepSeconds: number;
}

/** A series on the grid of its chart. */
export interface GridLine {
  readonly source: string;
  readonly labels: LabelSet;
  /** One for each step; null: no sample, or one that is no finite number. */
  readonly values: readonly (number | null)[];
  /** Samples that are NaN or infinite. */
  readonly unusable: number;
  /** The lowest and the highest value since the point before; absent: not known. */
  readonly lows?: readonly (number | null)[];
  readonly highs?: readonly (number | null)[];
}

/** What a line comes to, times in epoch milliseconds; undefined for one without a value. */
export interface LineFigures {
  readonly samples: number;
  readonly first: number;
  readonly last: number;
  readonly lastAt: number;
  readonly min: number;
  readonly max: number;
  readonly maxAt: number;
  /** It was reached after this and until `maxAt`; absent: at `maxAt`. */
  readonly maxAfter?: number;
  readonly mean: number;
  /** Stretches without a value between the first one and the last. */
  readonly gaps: number;
}

export function stepsOf({ start, end, stepSeconds }: Grid): number {
  return Math.floor((end - start) / 1000 / stepSeconds) + 1;
}

export function gridLine(
  source: string,
  { labels, samples }: QueryResult['series'][number],
  grid: Grid,
): GridLine {
  const values = new Array<number | null>(stepsOf(grid)).fill(null);
  let unusable = 0;
  for (const { at, value } of samples) {
    const index = Math.round((at - grid.start) / 1000 / grid.stepSeconds);
    if (index < 0 || index >= values.length) continue;
    // `+Inf` and `NaN` are no JavaScript numbers, either.
    const number = value.trim() === '' ? NaN : Number(value);
    if (Number.isFinite(number)) values[index] = number;
    else unusable += 1;
  }
  return { source, labels, values, unusable };
}

export function figuresOf(
  { values, lows = values, highs = values }: GridLine,
  grid: Grid,
): LineFigures | undefined {
  const at = (index: number): number => grid.start + index * grid.stepSeconds * 1000;
  let figures: { first: number; last: number } | undefined;
  let [samples, sum, gaps, lastIndex] = [0, 0, 0, 0];
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    if (figures === undefined) figures = { first: value, last: value };
    else {
      if (index > lastIndex + 1) gaps += 1;
      figures.last = value;
    }
    samples += 1;
    sum += value;
    lastIndex = index;
  }
  if (figures === undefined) return undefined;
  const min = lows.reduce<number>((least, low) => Math.min(least, low ?? least), Infinity);
  const max = highs.reduce<number>((most, high) => Math.max(most, high ?? most), -Infinity);
  const maxIndex = highs.indexOf(max);
  const isPoint = values[maxIndex] === max;
  return {
    ...figures,
    samples,
    gaps,
    min,
    max,
    mean: sum / samples,
    lastAt: at(lastIndex),
    maxAt: at(maxIndex),
    ...(isPoint ? {} : { maxAfter: at(maxIndex - 1) }),
  };
}

/** The labels that all lines share, without their values where only one has them. */
export function commonLabels(lines: readonly { readonly labels: LabelSet }[]): LabelSet {
  const [first, ...others] = lines;
  const common = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(first?.labels ?? {})) {
    if (others.every(({ labels }) => labels[name] === value)) common[name] = value;
  }
  return common;
}

/** `web-1:9100`, `web-1:9100 mode=user`: what tells this line from the others of its chart. */
export function lineName({ labels }: { readonly labels: LabelSet }, common: LabelSet): string {
  const own = Object.entries(labels).filter(([name]) => !(name in common));
  const [only] = own;
  if (only === undefined) {
    return nameOf(ownName(labels) ?? labels['__name__'] ?? '');
  }
  const main =
    own.find(([name]) => name === 'instance' || name === 'ident') ??
    (own.length === 1 ? only : undefined);
  const rest = own.filter((pair) => pair !== main).map(([name, value]) => `${name}=${value}`);
  return nameOf([...(main === undefined ? [] : [main[1]]), ...rest].join(' '));
}

const HOSTS = ['host', 'hostname', 'nodename'];
/** Of what is behind an address; elsewhere they may be those of the exporter. */
const THINGS = ['pod', 'service'];

/** `web-1` rather than `127.0.0.1:9100`. */
function ownName(labels: LabelSet): string | undefined {
  const address = labels['instance'] ?? labels['ident'];
  const isName = address !== undefined && !/^[\d.]+(?::\d+)?$/.test(address);
  const known = [...HOSTS, ...(isName ? [] : THINGS)].find((label) => label in labels);
  return known === undefined ? address : labels[known];
}

function nameOf(text: string): string {
  const clean = cleanText(text, 120);
  return clean === '' ? '–' : clean;
}

/** `node_load1{instance="web-1:9100"}`. */
export function seriesText(labels: LabelSet, max = 300): string {
  const { __name__: name = '', ...rest } = labels;
  const pairs = Object.entries(rest).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return cleanText(`${name}{${pairs.join(', ')}}`, max);
}
