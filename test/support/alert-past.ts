import type { QueryResult } from '../../src/assistant/sources/source.types.js';

/** An alert of the past with the times between which its rule found it firing; epoch milliseconds. */
export interface PastFiring {
  readonly labels: Readonly<Record<string, string>>;
  readonly stretches: readonly (readonly [number, number])[];
  /** Seconds between evaluations of the rule; default 15. */
  readonly every?: number;
  /** Times whose evaluations are missing, as while Prometheus was away. */
  readonly missing?: readonly (readonly [number, number])[];
}

export interface PastSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly at: number;
  readonly value: string;
}

/**
 * What a Prometheus wrote of it: ALERTS and ALERTS_FOR_STATE at each evaluation, the last one before
 * the end of each stretch.
 */
export function samplesOf({ labels, stretches, every = 15, missing = [] }: PastFiring) {
  const samples: PastSample[] = [];
  for (const [start, end] of stretches) {
    for (let at = start; at < end; at += every * 1000) {
      if (missing.some(([from, to]) => at >= from && at < to)) continue;
      const alerts = { __name__: 'ALERTS', alertstate: 'firing', ...labels };
      const holds = { __name__: 'ALERTS_FOR_STATE', ...labels };
      samples.push({ labels: alerts, at, value: '1' });
      samples.push({ labels: holds, at, value: String(Math.floor(start / 1000)) });
    }
  }
  return samples;
}

/** For `promtool tsdb create-blocks-from openmetrics`. */
export function openMetrics(firings: readonly PastFiring[]): readonly string[] {
  return firings
    .flatMap(samplesOf)
    .map(({ labels: { __name__: name = '', ...rest }, at, value }) => {
      const pairs = Object.entries(rest).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
      return `${name}{${pairs.join(',')}} ${value} ${(at / 1000).toFixed(3)}`;
    });
}

type Series = QueryResult['series'][number];

/** Answers what alert_timeline asks a Prometheus that saw these. */
export function answerPast(
  firings: readonly PastFiring[],
): (expr: string, at: number) => QueryResult {
  const all = firings.flatMap(samplesOf);
  return (expr, at) => {
    const window = /\[(\d+)s\]/.exec(expr)?.[1];
    if (!expr.includes('ALERTS')) return { kind: 'vector', series: [], warnings: [] };
    const holds = matcherOf(expr);
    const from = window === undefined ? at - 60_000 : at - Number(window) * 1000;
    const series = new Map<string, Series>();
    for (const { labels, at: when, value } of all) {
      if (when < from || when > at || !holds(labels)) continue;
      const key = JSON.stringify(labels);
      const known = series.get(key)?.samples ?? [];
      series.set(key, { labels, samples: [...known, { at: when, value }] });
    }
    if (window === undefined) {
      const open = firings.filter(({ stretches }) => stretches.some(([a, b]) => a <= at && at < b));
      const names = new Set(open.map(({ labels }) => JSON.stringify(labels)));
      const still = [...series.values()].filter(({ labels }) => {
        const { __name__: _name, alertstate: _state, ...own } = labels;
        return names.has(JSON.stringify(own));
      });
      return { kind: 'vector', series: still, warnings: [] };
    }
    const isCount = expr.startsWith('count_over_time');
    const counted = [...series.values()].map(
      ({ labels: { __name__: _name, ...rest }, samples }) => {
        return { labels: rest, samples: [{ at, value: String(samples.length) }] };
      },
    );
    return {
      kind: isCount ? 'vector' : 'matrix',
      series: isCount ? counted : [...series.values()],
      warnings: [],
    };
  };
}

function matcherOf(expr: string): (labels: Readonly<Record<string, string>>) => boolean {
  const name = /^(\w+)\{/.exec(expr)?.[1];
  const found = [...expr.matchAll(/(\w+)(=~|!~|!=|=)("(?:\\.|[^"\\])*")/g)];
  return (labels) =>
    (name === undefined || labels['__name__'] === name) &&
    found.every(([, label = '', op, quoted = '""']) => {
      const value = JSON.parse(quoted) as string;
      const own = labels[label] ?? '';
      const isLike =
        op === '=' || op === '!=' ? own === value : new RegExp(`^(?:${value})$`).test(own);
      return isLike === (op === '=' || op === '=~');
    });
}
