import { queryMetrics } from '../../tools/query-metrics.tool.js';
import { closing, unanswered } from '../answer/closing.js';
import { code } from '../answer/markdown.js';
import { findHosts, matcherOf } from '../metrics/find-hosts.js';
import { asksForChart, asksForValue, withoutChartWords } from '../metrics/chart-words.js';
import {
  type MetricVariant,
  type NamedMetric,
  namedMetricIn,
  NAMED_METRICS,
} from '../metrics/named-metrics.js';
import type { Concept } from '../lexicon/concept.js';
import { cutUp, type Question, readQuestion } from '../parse/question.js';
import type { Segment } from '../parse/segment.js';
import { Vocabulary } from '../parse/vocabulary.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { answerChart } from './chart.js';

const NOTHING = new Vocabulary([]);
const HOUR = 3_600_000;
/** A word of these makes it a question about something else. */
const OTHER_TOPICS: readonly Concept[] = [
  'alert',
  'firing',
  'pending',
  'resolved',
  'silence',
  'silenced',
  'target',
  'rule',
  'source',
  'by',
  'most',
  'least',
];
const MOST_SERIES = 100;
const NEAR = 8;

export interface NamedQuestion {
  readonly metric: NamedMetric;
  /** The question without the metric's name and what asks for a picture. */
  readonly rest: string;
}

/** `cpu of web-1 over the last 6 hours`, `画一下 web-1 的内存`; undefined for any other question. */
export function namedQuestion(
  text: string,
  first: Question,
  segments: readonly Segment[],
): NamedQuestion | undefined {
  const named = namedMetricIn(text);
  if (named === undefined || first.domain === 'write') return undefined;
  const { metric } = named;
  const rest = withoutChartWords(named.rest);
  const about = readQuestion(rest, NOTHING, { now: 0, zone: 'UTC' }).sentence;
  if (OTHER_TOPICS.some((concept) => about.any(concept))) return undefined;
  if (asksForChart(text)) return { metric, rest };
  // An alert is called so: 磁盘使用率过高.
  const isName = segments.some((one) => one.mention !== undefined && metric.words.test(one.text));
  if (isName || first.sentence.any('detail')) return undefined;
  return asksForValue(text) || first.time?.after !== undefined ? { metric, rest } : undefined;
}

/** Finds out how the sources call what is asked for, and of which hosts; then draws it. */
export async function* answerNamed(run: TurnRun, { metric, rest }: NamedQuestion): Handling {
  const { words } = run;
  const names = NAMED_METRICS.flatMap(({ variants }) =>
    variants.flatMap(({ needs }) => [...needs]),
  );
  const there = yield* run.call(queryMetrics, {
    expr: `group by (__name__) ({__name__=~"${[...new Set(names)].join('|')}"})`,
    limit: MOST_SERIES,
  });
  const none = unanswered(run, there, 'metrics');
  if (none !== undefined) return { blocks: none };
  const known = new Set(there.series.map(({ labels }) => labels['__name__'] ?? ''));
  const variant = metric.variants.find(({ needs }) => needs.every((name) => known.has(name)));
  const title = metric.title[words.language];
  if (variant === undefined) {
    const looked = metric.variants.map(({ needs }) => needs.join(', ')).join(' / ');
    const told = words.noMetric(title, code(looked, 300));
    return { blocks: [told, ...closing(run, { ...there, query: looked })] };
  }
  const asked = readQuestion(rest, NOTHING, run);
  const end = Math.min(asked.time?.before ?? run.now, run.now);
  const start = asked.time?.after ?? end - HOUR;
  const hosts = yield* hostsOf(run, asked, rest, variant);
  if ('missing' in hosts) {
    const near = hosts.near.map((one) => code(one)).join(', ');
    const told = words.noHost(title, code(hosts.missing), near);
    return { blocks: [told, ...closing(run, { ...there, query: variant.needs[0] })] };
  }
  const window = windowOf(end - start);
  return yield* answerChart(run, {
    expr: variant.expr(hosts.where, window),
    title: hosts.said.length === 0 ? title : words.metricOf(title, hosts.said.join(', ')),
    unit: metric.unit,
    range: { start, end },
    notes: hosts.notes,
    ignored: [],
  });
}

type Hosts =
  | {
      readonly where: string;
      readonly said: readonly string[];
      readonly notes: readonly {
        readonly kind: 'part';
        readonly typed: string;
        readonly found: string;
      }[];
    }
  | { readonly missing: string; readonly near: readonly string[] };

/** What is left of the question says whose values are meant. */
async function* hostsOf(
  run: TurnRun,
  asked: Question,
  rest: string,
  { needs, inner }: MetricVariant,
): Handling<Hosts> {
  const matchers = cutUp(rest, NOTHING, run).segments.flatMap(({ matcher }) => matcher ?? []);
  const explicit = matchers.map(({ label, op, value }) => `${label}${op}${JSON.stringify(value)},`);
  const shown = new Set(matchers.map(({ label, value }) => `${label}=${value}`));
  const { unmatched, ignored } = asked.conditions;
  const said = [...new Set([...unmatched.map(({ text }) => text), ...ignored])].filter(
    (text) => !shown.has(text) && !asked.timeTexts.includes(text),
  );
  if (said.length === 0) return { where: explicit.join(''), said: [...shown], notes: [] };
  const without = ['__name__', ...inner].filter((label) => label !== '__name__');
  const of =
    without.length === 0 ? needs[0] : `group without (${without.join(', ')}) (${needs[0]})`;
  const ability = await run.reads.gatherFrom(
    (source) => source.metrics,
    (metrics, abort) => metrics.query(of, undefined, abort),
    run.signal,
  );
  const series = ability.answers.flatMap(({ value }) => value.series.map(({ labels }) => labels));
  const byLabel = new Map<string, Set<string>>();
  const notes: { kind: 'part'; typed: string; found: string }[] = [];
  for (const word of said) {
    const found = findHosts(word, series);
    if (found === undefined) {
      const values = series.map((labels) => labels['instance'] ?? labels['ident'] ?? '');
      const near = [...new Set(values)].filter((value) => value !== '').sort();
      return { missing: word, near: near.slice(0, NEAR) };
    }
    const values = byLabel.get(found.label) ?? new Set();
    for (const value of found.values) values.add(value);
    byLabel.set(found.label, values);
    if (!found.whole) {
      const value = found.values.join('|');
      notes.push({ kind: 'part', typed: word, found: `${found.label}=${value}` });
    }
  }
  const where = [...byLabel].map(([label, values]) => matcherOf(label, [...values]));
  return { where: [...explicit, ...where].join(''), said: [...shown, ...said], notes };
}

/** Four points of the chart at least, and never less than what most scrape intervals need. */
function windowOf(milliseconds: number): string {
  return `${String(Math.max(5, Math.ceil((milliseconds / 240 / 60_000) * 2)))}m`;
}
