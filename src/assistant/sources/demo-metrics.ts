import { DEMO_ALERTS, DEMO_TARGETS } from './demo-data.js';

/** Metrics of the demo's targets, two of them by the names of n9e's agent. */
export const DEMO_METRICS = ['up', 'node_load1', 'cpu_usage_active', 'mem_used_percent'] as const;
type DemoMetric = (typeof DEMO_METRICS)[number];

export interface DemoSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** As Prometheus would write it. */
  readonly valueAt: (at: number) => string;
}

const MINUTE = 60_000;
const SELECTOR = /^\s*([A-Za-z_]\w*)\s*(?:\{([^{}]*)\})?\s*$/;
const MATCHER = /^\s*(\w+)\s*(=~?)\s*(?:"([^"]*)"|'([^']*)')\s*$/;
/** The two questions by which the assistant finds out what there is. */
const NAMES = /^\s*group by \(__name__\) \(\{__name__=~"([\w:|]*)"\}\)\s*$/;
const GROUPED = /^\s*group without \([\w, ]*\) \((\w+)\)\s*$/;

/**
 * The series of an expression, of the few that the demo can evaluate; undefined for any other.
 * @param anchor from when the ages of the demo's alerts count.
 */
export function demoSeries(expr: string, anchor: number): readonly DemoSeries[] | undefined {
  const names = NAMES.exec(expr)?.[1]?.split('|');
  if (names !== undefined) {
    return DEMO_METRICS.filter((name) => names.includes(name)).map((name) => ({
      labels: { __name__: name },
      valueAt: () => '1',
    }));
  }
  const [, name, conditions = ''] = SELECTOR.exec(GROUPED.exec(expr)?.[1] ?? expr) ?? [];
  const metric = DEMO_METRICS.find((known) => known === name);
  const holds = matchersOf(conditions);
  if (metric === undefined || holds === undefined) return undefined;
  return DEMO_TARGETS.filter(({ up }) => metric === 'up' || up)
    .map(({ job, instance, up }, index) => ({
      labels: {
        ...{ __name__: metric, job, instance },
        ...(metric === 'cpu_usage_active' ? { cpu: 'cpu-total' } : {}),
      },
      valueAt: (at: number) => valueOf(metric, { instance, up, index }, at, anchor),
    }))
    .filter(({ labels }) => holds(labels));
}

type Holds = (labels: Readonly<Record<string, string>>) => boolean;

function matchersOf(text: string): Holds | undefined {
  const tests: Holds[] = [];
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const [, label, op, one, other] = MATCHER.exec(part) ?? [];
    if (label === undefined) return undefined;
    const value = one ?? other ?? '';
    const values = op === '=' ? [value] : value.split('|').map(unescaped);
    tests.push((labels) => values.includes(labels[label] ?? ''));
  }
  return (labels) => tests.every((holds) => holds(labels));
}

/** Inside a string of PromQL a backslash is written twice. */
function unescaped(pattern: string): string {
  return pattern.replace(/\\+(.)/g, '$1');
}

interface DemoHost {
  readonly instance: string;
  readonly up: boolean;
  readonly index: number;
}

/** Waves of a day and of minutes, and a rise from when an alert of the host began. */
function valueOf(metric: DemoMetric, host: DemoHost, at: number, anchor: number): string {
  if (metric === 'up') return host.up ? '1' : '0';
  const alert = DEMO_ALERTS.find(({ labels }) => labels['instance'] === host.instance);
  const began = alert === undefined ? Infinity : anchor - alert.ageMinutes * MINUTE;
  const rise = Math.min(1, Math.max(0, (at - began) / (20 * MINUTE)));
  const day = Math.sin((at / (24 * 60 * MINUTE)) * 2 * Math.PI + host.index);
  const wave = Math.sin(at / (7 * MINUTE) + host.index * 2) * Math.sin(at / (3 * MINUTE));
  switch (metric) {
    case 'node_load1':
      return (0.8 + 0.3 * day + 0.2 * wave + 3.5 * rise).toFixed(2);
    case 'cpu_usage_active':
      return (28 + 8 * day + 4 * wave + 45 * rise).toFixed(2);
    case 'mem_used_percent':
      return (52 + 5 * day + wave + 12 * rise).toFixed(2);
  }
}
