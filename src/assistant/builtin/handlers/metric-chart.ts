import type { JsonValue } from '../../../domain/a2a.js';
import type { LabelSet } from '../../sources/source.types.js';
import { queryMetrics } from '../../tools/query-metrics.tool.js';
import { reportOf, type SourceReport } from '../../tools/tool.js';
import { closing, unanswered } from '../answer/closing.js';
import { code } from '../answer/markdown.js';
import type { ChartMemory } from '../chart-memory.js';
import { findHosts, type Matcher, matcherOf, matcherText } from '../metrics/find-hosts.js';
import { type MetricVariant, type NamedMetric, NAMED_METRICS } from '../metrics/named-metrics.js';
import type { ChartRange, RangeRefusal } from '../metrics/chart-range.js';
import type { Note } from '../parse/conditions.types.js';
import type { Answer, Handling, TurnRun } from '../turn-run.js';
import { answerChart } from './chart.js';

const MOST_SERIES = 100;
const NEAR = 8;

/** Whose values are meant. */
export interface Whose {
  /** Words that say it. */
  readonly words: readonly string[];
  readonly matchers: readonly Matcher[];
  /** Words that say whose are not. */
  readonly without?: readonly string[];
  /** What else was said, and nothing here stands for: no answer is given. */
  readonly left?: readonly string[];
}

/** What is to be drawn. */
export interface ChartWish extends ChartRange, Whose {
  /** Of what people call by a name, or an expression of the user's own. */
  readonly of: NamedMetric | { readonly expr: string };
}

/** Finds out how the sources call what is asked for, and of which hosts; then draws it. */
export async function* drawWish(run: TurnRun, wish: ChartWish): Handling {
  const { words } = run;
  const { of, span, end = run.now, remarks, refused } = wish;
  if (refused !== undefined) return refusal(run, refused);
  const over = leftOf(wish, 'expr' in of ? of.expr : undefined);
  if (over.length > 0) return notAsked(run, over);
  const range = { start: end - span, end };
  const isNamed = 'key' in of;
  const variant = isNamed ? yield* variantOf(run, of) : narrowed(of.expr);
  if (variant !== undefined && 'blocks' in variant) return variant;
  const chart = memoryOf(wish);
  if (variant === undefined) {
    const expr = isNamed ? '' : of.expr;
    const answer = yield* answerChart(run, { expr, range, remarks, ignored: wish.words });
    return { ...answer, chart: { ...chart, words: [], matchers: [] } };
  }
  const title = isNamed ? of.title[words.language] : variant.needs[0];
  const hosts = await hostsOf(run, wish, variant);
  if ('missing' in hosts) return noHost(run, hosts, title, variant);
  const said = hosts.said.length === 0 ? title : words.metricOf(title, hosts.said.join(', '));
  const left = { matchers: [...wish.matchers, ...hosts.excluded] };
  const answer = yield* answerChart(run, {
    expr: variant.expr(hosts.where, windowOf(span)),
    ...(isNamed ? { title: said, unit: of.unit } : {}),
    range,
    remarks,
    notes: hosts.notes,
    ignored: [],
  });
  return { ...answer, chart: memoryOf({ ...wish, ...left }) };
}

/** There is no such time to draw. */
export function refusal({ words }: TurnRun, { kind, texts }: RangeRefusal): Answer {
  const said = texts.map((text) => code(text, 60)).join(', ');
  return { blocks: [words.rangeSaid[kind](said)] };
}

/** What stands in the way of an answer; an exclusion does where nothing can be narrowed. */
function leftOf({ left = [], without = [] }: Whose, expr: string | undefined): readonly string[] {
  const isFixed = expr !== undefined && narrowed(expr) === undefined;
  return isFixed ? [...left, ...without] : left;
}

function notAsked({ words }: TurnRun, left: readonly string[]): Answer {
  return { blocks: [words.notAsked(left.map((one) => code(one, 60)).join(', '))] };
}

function noHost(
  run: TurnRun,
  { missing, near, sources }: Extract<Hosts, { missing: string }>,
  title: string,
  { needs }: MetricVariant,
): Answer {
  const { words } = run;
  const told = words.noHost(title, code(missing), near.map((one) => code(one)).join(', '));
  const asked = { query: needs[0], time: new Date(run.now).toISOString(), sources };
  return { blocks: [told, ...closing(run, asked)] };
}

/**
 * The expression narrowed to what the words name; as it is where it takes no further matchers, the
 * words then being left over. Or the answer that says that nothing is called so.
 */
export async function narrowedTo(
  run: TurnRun,
  expr: string,
  whose: Whose & { readonly end?: number },
): Promise<
  | { readonly expr: string; readonly notes: readonly Note[]; readonly left: readonly string[] }
  | Answer
> {
  const over = leftOf(whose, expr);
  if (over.length > 0) return notAsked(run, over);
  const variant = narrowed(expr);
  if (variant === undefined) return { expr, notes: [], left: whose.words };
  const hosts = await hostsOf(run, whose, variant);
  if ('missing' in hosts) return noHost(run, hosts, variant.needs[0], variant);
  return { expr: variant.expr(hosts.where, ''), notes: hosts.notes, left: [] };
}

/** For the next turn. */
export function memoryOf({ of, words, matchers, span, end }: ChartWish): ChartMemory {
  return {
    kind: 'builtin-chart/1',
    ...('key' in of ? { metric: of.key } : { expr: of.expr }),
    words: words.slice(0, 20).map((word) => word.slice(0, 200)),
    matchers: matchers.slice(0, 20).map((one) => ({ ...one, value: one.value.slice(0, 500) })),
    span,
    ...(end === undefined ? {} : { end }),
  };
}

/** As a frame takes it. */
export function chartData(memory: ChartMemory): JsonValue {
  return JSON.parse(JSON.stringify(memory)) as JsonValue;
}

/** The first variant whose metrics exist, or the answer that says that there is none. */
async function* variantOf(
  run: TurnRun,
  metric: NamedMetric,
): Handling<MetricVariant | { readonly blocks: readonly string[] }> {
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
  if (variant !== undefined) return variant;
  const looked = metric.variants.map(({ needs }) => needs.join(', ')).join(' / ');
  const title = metric.title[run.words.language];
  const told = run.words.noMetric(title, code(looked, 300));
  return { blocks: [told, ...closing(run, { ...there, query: looked })] };
}

const NARROW =
  /^\s*(?:(?<call>[a-z_]+)\(\s*)?(?<name>[A-Za-z_:][\w:]*)\s*(?:\{(?<own>[^{}]*)\})?\s*(?<window>\[[\w:]+\])?\s*(?<close>\))?(?<tail>(?:\s+offset\s+-?\w+)?(?:\s*(?:[-+*\/%^]|[<>]=?|[=!]=)(?:\s*bool\b)?\s*-?[\d.]+(?![\w.]))*)\s*$/;

/**
 * `up`, `up{job="node"}` or `rate(x_total[5m])`: an expression that takes further matchers; undefined
 * for any other.
 */
function narrowed(expr: string): MetricVariant | undefined {
  const { call, name, own = '', window = '', close, tail = '' } = NARROW.exec(expr)?.groups ?? {};
  if (name === undefined || (call === undefined) !== (close === undefined)) return undefined;
  if (call === undefined && window !== '') return undefined;
  const fixed = own.trim().replace(/,$/, '');
  return {
    needs: [name],
    inner: [],
    expr: (where) => {
      const all = `${where}${fixed}`.replace(/,$/, '');
      const selector = `${all === '' ? name : `${name}{${all}}`}${window}`;
      const whole = call === undefined ? selector : `${call}(${selector})`;
      return [whole, tail.trim()].join(' ').trim();
    },
  };
}

type PartNote = Extract<Note, { kind: 'part' }>;

type Hosts =
  | {
      readonly where: string;
      readonly said: readonly string[];
      /** What the excluded words came to. */
      readonly excluded: readonly Matcher[];
      readonly notes: readonly PartNote[];
    }
  | {
      readonly missing: string;
      readonly near: readonly string[];
      readonly sources: readonly SourceReport[];
    };

/** Are there series of what is drawn that the words name? */
export async function namesSeries(run: TurnRun, wish: ChartWish): Promise<boolean> {
  const { of } = wish;
  const variants = 'key' in of ? of.variants : [narrowed(of.expr)];
  for (const variant of variants) {
    if (variant !== undefined && !('missing' in (await hostsOf(run, wish, variant)))) return true;
  }
  return false;
}

/** The matchers that the words come to, by the labels of the series that there are. */
async function hostsOf(run: TurnRun, whose: WhoseThen, variant: MetricVariant): Promise<Hosts> {
  const { words, matchers, without = [] } = whose;
  const shown = matchers.map(({ label, op, value }) => `${label}${op}${value}`);
  if (words.length + without.length === 0) {
    return { where: matchers.map(matcherText).join(''), said: shown, excluded: [], notes: [] };
  }
  const series: LabelSet[] = [];
  const sources: SourceReport[] = [];
  for (const { expr, at } of lookUps(whose, variant)) {
    const gathered = await run.reads.gatherFrom(
      (source) => source.metrics,
      (metrics, abort) => metrics.query(expr, at, abort),
      run.signal,
    );
    series.push(
      ...gathered.answers.flatMap(({ value }) => value.series.map(({ labels }) => labels)),
    );
    sources.splice(0, sources.length, ...reportOf(gathered).sources);
    if ([...words, ...without].every((word) => findWord(word, series) !== undefined)) break;
  }
  const meant = matchersIn(words, series, false);
  const out = matchersIn(without, series, true);
  for (const { missing } of [meant, out]) {
    if (missing === undefined) continue;
    const values = series.map((labels) => labels['instance'] ?? labels['ident'] ?? '');
    const near = [...new Set(values)].filter((value) => value !== '').sort();
    return { missing, near: near.slice(0, NEAR), sources };
  }
  const excluded = out.matchers;
  const said = excluded.map(({ label, op, value }) => `${label}${op}${value}`);
  return {
    where: [...matchers, ...meant.matchers, ...excluded].map(matcherText).join(''),
    said: [...shown, ...words, ...said],
    excluded,
    notes: [...meant.notes, ...out.notes],
  };
}

type WhoseThen = Whose & { readonly end?: number; readonly span?: number };

/** Where a name is looked for: at the end of the time, within it, and now. */
function lookUps(
  { end, span }: WhoseThen,
  { needs, inner }: MetricVariant,
): readonly { readonly expr: string; readonly at?: number | undefined }[] {
  const of = (vector: string): string =>
    inner.length === 0 ? vector : `group without (${inner.join(', ')}) (${vector})`;
  const [name] = needs;
  const window = `${String(Math.ceil((span ?? 0) / 1000))}s`;
  return [
    { expr: of(name), at: end },
    ...(span === undefined ? [] : [{ expr: of(`last_over_time(${name}[${window}])`), at: end }]),
    ...(end === undefined ? [] : [{ expr: of(name) }]),
  ];
}

/** `missing`: the first word that no series is called by. */
function matchersIn(
  words: readonly string[],
  series: readonly LabelSet[],
  isOut: boolean,
): {
  readonly matchers: readonly Matcher[];
  readonly notes: readonly PartNote[];
  readonly missing?: string;
} {
  const byLabel = new Map<string, Set<string>>();
  const notes: PartNote[] = [];
  for (const word of words) {
    const found = findWord(word, series);
    if (found === undefined) return { matchers: [], notes: [], missing: word };
    const values = byLabel.get(found.label) ?? new Set();
    for (const value of found.values) values.add(value);
    byLabel.set(found.label, values);
    if (!found.whole) {
      const value = found.values.join('|');
      notes.push({ kind: 'part', typed: word, found: `${found.label}=${value}` });
    }
  }
  return {
    matchers: [...byLabel].map(([label, values]) => matcherOf(label, [...values], isOut)),
    notes,
  };
}

function findWord(word: string, series: readonly LabelSet[]): ReturnType<typeof findHosts> {
  return labelled(word, series) ?? findHosts(word, series);
}

/** `app=ledger`, as the parser writes `for app ledger`. */
function labelled(word: string, series: readonly LabelSet[]): ReturnType<typeof findHosts> {
  const [, label, value] = /^([A-Za-z_]\w*)=(.+)$/.exec(word) ?? [];
  if (label === undefined || value === undefined) return undefined;
  const own = series.map((labels) => ({ [label]: labels[label] ?? '' }));
  return findHosts(value, own);
}

/** Four points of the chart at least, and never less than what most scrape intervals need. */
function windowOf(milliseconds: number): string {
  return `${String(Math.max(5, Math.ceil((milliseconds / 240 / 60_000) * 2)))}m`;
}
