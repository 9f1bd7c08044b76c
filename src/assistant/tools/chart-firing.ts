import type { Alert, LabelSet, PastAlert, QueryResult, Rule } from '../sources/source.types.js';
import { FINE_SECONDS } from './chart-extremes.js';
import type { Grid } from './chart-lines.js';
import type { ToolContext } from './tool.js';

/** An alert that has to do with a chart, and when it fired; it may have begun before the range. */
export interface ChartFiring {
  readonly name: string;
  readonly labels: LabelSet;
  readonly stretches: readonly Stretch[];
  /** It fires at the end of the range. */
  readonly open: boolean;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** These say who measures, not what is measured. */
const OF_THE_WATCHER = new Set([
  '__name__',
  'alertname',
  'alertstate',
  'job',
  'severity',
  'prometheus',
  'prometheus_replica',
  'replica',
  'monitor',
]);
const OF_THE_MEASURED = 'host hostname ident nodename service app pod'.split(' ');
const MOST_VALUES = 20;
const MOST_RULES = 20;
/** Of the alerts over the whole range: an alert comes and goes between two points of a long chart. */
const FIRING_POINTS = 2000;
const METRIC = /[A-Za-z_:][\w:]*/g;

/**
 * The alerts that fired in the range and are about what is drawn: they share a label with a line and
 * contradict none, or their rule looks at the same metric. The past comes from the ALERTS of
 * Prometheus and from sources that keep alerts, the present from the alert router.
 * @returns undefined when no source could tell of the past.
 */
export async function chartFirings(
  expr: string,
  lines: readonly { readonly labels: LabelSet }[],
  grid: Grid,
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<readonly ChartFiring[] | undefined> {
  const [rules, present, kept] = await Promise.all([
    ctx.reads.rules(signal),
    ctx.reads.alerts(signal),
    ctx.reads.gatherFrom(
      (source) => source.history,
      (history, abort) => history.list({ since: grid.start, until: grid.end }, abort),
      signal,
    ),
  ]);
  const sameMetric = rulesOn(
    expr,
    rules.answers.flatMap(({ value }) => value),
  );
  const selector = alertSelector(lines, sameMetric);
  const fine = fineGrid(grid);
  const past =
    selector === undefined
      ? { answers: [], failures: [] }
      : await ctx.reads.gatherFrom(
          (source) => (source.type === 'demo' ? undefined : source.metrics),
          (metrics, abort) => metrics.queryRange(selector, fine, abort),
          signal,
        );
  const isRelated = (labels: LabelSet): boolean =>
    lines.some((line) => relates(line.labels, labels, sameMetric.has(labels['alertname'] ?? '')));
  const seen = past.answers
    .flatMap(({ value }) => value.series)
    .map((series) => seenFiring(series, fine));
  const now = present.answers
    .flatMap(({ value }) => value)
    .map((alert) => presentFiring(alert, grid));
  const ended = kept.answers.flatMap(({ value }) => value).map((alert) => keptFiring(alert, grid));
  const all = [...seen, ...ended, ...now].filter(
    ({ labels, stretches }) => stretches.length > 0 && isRelated(labels),
  );
  const isBlind = past.answers.length + kept.answers.length === 0 && past.failures.length > 0;
  return isBlind && all.length === 0 ? undefined : merged(all, fine);
}

/** A few minutes of a week, in place of the most of an hour between two points of its line. */
function fineGrid(grid: Grid): Grid {
  const { start, end, stepSeconds } = grid;
  if (stepSeconds <= FINE_SECONDS) return grid;
  const fine = Math.min(stepSeconds, Math.ceil((end - start) / 1000 / FIRING_POINTS));
  const steps = Math.floor((end - start) / 1000 / fine);
  return { start: end - steps * fine * 1000, end, stepSeconds: fine };
}

/** Names of the alerting rules whose expression names a metric of ours. */
function rulesOn(expr: string, rules: readonly Rule[]): ReadonlySet<string> {
  const known = new Set(metricsIn(expr));
  const names = rules
    .filter(({ type }) => type === 'alerting')
    .filter((rule) => metricsIn(rule.expr).some((name) => known.has(name)))
    .map(({ name }) => name);
  return new Set(names.slice(0, MOST_RULES));
}

/** What looks like a metric: names with an underscore or colon, and `up`. */
function metricsIn(expr: string): readonly string[] {
  const bare = expr.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '').replace(/\{[^{}]*\}/g, '');
  return [...bare.matchAll(METRIC)].map(([name]) => name).filter((name) => isMetric(name));
}

function isMetric(name: string): boolean {
  return (
    name === 'up' ||
    (/[_:]/.test(name) &&
      !/^(?:\w+_over_time|\w+_quantile|group_(?:left|right)|label_\w+|count_values|clamp_\w+|sort_desc|predict_linear|day_of_\w+|days_in_\w+)$/.test(
        name,
      ))
  );
}

/**
 * Asks Prometheus for no alert that contradicts the lines; undefined when nothing is known to ask for:
 * all alerts of all teams would tell nothing about one chart.
 */
function alertSelector(
  lines: readonly { readonly labels: LabelSet }[],
  sameMetric: ReadonlySet<string>,
): string | undefined {
  const names = new Set(lines.flatMap(({ labels }) => Object.keys(labels)));
  const matchers = [...names]
    .filter((name) => !OF_THE_WATCHER.has(name) && /^[A-Za-z_]\w*$/.test(name))
    .flatMap((name) => {
      const values = [...new Set(lines.map(({ labels }) => labels[name] ?? ''))];
      // A line without the label contradicts no value of it.
      if (values.includes('') || values.length > MOST_VALUES) return [];
      return [`${name}=~${JSON.stringify([...values.map(escaped), ''].join('|'))}`];
    });
  if (matchers.length === 0) {
    if (sameMetric.size === 0) return undefined;
    matchers.push(`alertname=~${JSON.stringify([...sameMetric].map(escaped).join('|'))}`);
  }
  return `ALERTS{${['alertstate="firing"', ...matchers].join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function isNamed(labels: LabelSet): boolean {
  return OF_THE_MEASURED.some((name) => (labels[name] ?? '') !== '');
}

function relates(line: LabelSet, alert: LabelSet, isOnMetric: boolean): boolean {
  let shared = 0;
  for (const [name, value] of Object.entries(line)) {
    const other = alert[name];
    if (OF_THE_WATCHER.has(name) || other === undefined || other === '') continue;
    if (other !== value) return false;
    // One exporter may measure many hosts: its own address says nothing where they have names.
    if (name === 'instance' && (isNamed(line) || isNamed(alert))) continue;
    shared += 1;
  }
  return shared > 0 || isOnMetric;
}

function seenFiring({ labels, samples }: QueryResult['series'][number], grid: Grid): ChartFiring {
  const { __name__: _name, alertstate: _state, ...own } = labels;
  const step = grid.stepSeconds * 1000;
  const stretches: { start: number; end: number }[] = [];
  for (const { at } of samples) {
    const last = stretches.at(-1);
    if (last !== undefined && at - last.end <= 1.5 * step) last.end = at;
    else stretches.push({ start: at, end: at });
  }
  // A single sample is an instant, which nobody would see: it fired until before the next one.
  const wide = stretches.map(({ start, end }) => ({
    start,
    end: Math.min(Math.max(end, start + step), grid.end),
  }));
  const open = (stretches.at(-1)?.end ?? 0) > grid.end - step;
  return { name: labels['alertname'] ?? '', labels: own, stretches: wide, open };
}

function presentFiring({ labels, startsAt }: Alert, grid: Grid): ChartFiring {
  const stretches = startsAt >= grid.end ? [] : [{ start: startsAt, end: grid.end }];
  return { name: labels['alertname'] ?? '', labels, stretches, open: true };
}

function keptFiring({ labels, triggeredAt, endedAt }: PastAlert, grid: Grid): ChartFiring {
  const start = triggeredAt;
  const end = Math.min(endedAt ?? grid.end, grid.end);
  const name = labels['alertname'] ?? '';
  return {
    name,
    labels,
    stretches: end > start ? [{ start, end }] : [],
    open: endedAt === undefined,
  };
}

/** One entry a name, with the union of the times; the first to fire comes first. */
function merged(firings: readonly ChartFiring[], grid: Grid): readonly ChartFiring[] {
  const byName = new Map<string, ChartFiring>();
  for (const firing of firings) {
    const known = byName.get(firing.name);
    byName.set(firing.name, {
      name: firing.name,
      labels: known?.labels ?? firing.labels,
      stretches: union([...(known?.stretches ?? []), ...firing.stretches], grid),
      open: firing.open || (known?.open ?? false),
    });
  }
  return [...byName.values()].sort((a, b) => startOf(a) - startOf(b) || (a.name < b.name ? -1 : 1));
}

function union(stretches: readonly Stretch[], { stepSeconds }: Grid): readonly Stretch[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of [...stretches].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end + stepSeconds * 1000) {
      last.end = Math.max(last.end, end);
    } else joined.push({ start, end });
  }
  return joined;
}

function startOf({ stretches }: ChartFiring): number {
  return stretches[0]?.start ?? 0;
}
