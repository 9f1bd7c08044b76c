import type { ChartMemory } from '../chart-memory.js';
import type { Concept } from '../lexicon/concept.js';
import type { LiveWords } from '../live-words.js';
import { asksForChart, withoutChartWords } from '../metrics/chart-words.js';
import { type ChartRange, rangeOf } from '../metrics/chart-range.js';
import { namedMetricIn, NAMED_METRICS } from '../metrics/named-metrics.js';
import { type Question, readQuestion } from '../parse/question.js';
import type { TurnRun } from '../turn-run.js';
import { type ChartWish, namesSeries } from './metric-chart.js';
import { OTHER_TOPICS, readValues, whose } from './named-metric.js';

/** What a chart has nothing of. */
const NOT_OF_CHARTS: readonly Concept[] = [
  ...OTHER_TOPICS,
  ...(['count', 'detail', 'check', 'since-when', 'more', 'history'] as const),
  ...(['newest', 'oldest', 'worst', 'top', 'not', 'without'] as const),
  ...(['down', 'up', 'ok', 'thanks', 'greet', 'help'] as const),
];
/** Asks for the same chart in another way; nothing of it says whose values are meant. */
const CHANGE =
  /\b(?:make|change|switch|set|extend|widen|narrow|try|use|redo|redraw|repeat|zoom(?:ed)? (?:in(?:to)?|out))(?:\s+(?:it|that|this|(?:the |its )?(?:time |chart )?range))?(?:\s+(?:to|on))?\b|(?:重新?|再)画|(?:拉长|扩大|缩短|缩小|放大|延长)(?:到|为)?|时间范围/giu;
const SAME =
  /\bsame\s+(?:(?:chart|graph|plot|picture|thing|one)\s+)?(?:for|of|on|with)\b|换成|换为|换到|同样的?(?:图|看)|也(?:画|看)/iu;
/** Beside what is drawn. */
const ADDS =
  /\b(?:add|include|append|plus|together with|along with|as well as)\b|(?:再|也)?(?:加上|加入|添加|加个|加)|连同/iu;
const REMOVES =
  /\b(?:remove|drop|leave out|take (?:out|away)|without|hide)\b|去掉|去除|移除|不要|不看/iu;
const ZOOMS = /\bzoom(?:ed)?\b|放大|缩小/iu;
const ZOOMS_OUT = /\bzoom(?:ed)?\s+out\b|缩小/iu;
const TABLE =
  /\b(?:as|in|into)\s+(?:a\s+)?table(?:s|\s+form)?\b|\btable\s+(?:instead|please)\b|(?:用|以|做成|换成|改成|显示成|显示为)?(?:一?个)?表格(?:的)?(?:形式)?(?:显示|展示|列出)?/iu;
const FILLER =
  /\b(?:it|this|that|the|a|an|please|show|give|me|can|you|could|put|display|now|in|out|bit|little|further|more)\b|请|给我|把|它|显示|展示|一下|一点|再|看|这个|图|吧/giu;
const DAY = 24 * 3_600_000;
const MOST_DAYS = 90;
const POINTS_BACK: readonly Concept[] = ['follow', 'only', 'it'];

/** An order about the chart before it, which is no change of anything else: `add web-2`. */
export function changesChart(run: TurnRun, text: string): boolean {
  return run.chart !== undefined && [ADDS, REMOVES, ZOOMS, TABLE].some((one) => one.test(text));
}

/**
 * The chart that was shown last with one thing changed: `and memory?`, `the same for web-2`, `over the
 * last 24 h`, 内存呢, 换成 web-2; undefined for a question that is about something else.
 */
export async function chartFollowUp(
  run: TurnRun,
  text: string,
  first: Question,
  live: LiveWords,
): Promise<ChartWish | undefined> {
  const known = run.chart;
  const changes = changesChart(run, text);
  if (known === undefined || (first.domain === 'write' && !changes)) return undefined;
  const named = namedMetricIn(text);
  const bare = named?.rest ?? text;
  const rest = withoutChartWords(
    [TABLE, ADDS, REMOVES, CHANGE].reduce((left, one) => left.replace(one, ' '), bare),
  );
  const asked = readValues(rest, run);
  const { sentence, time, grouping, references } = asked;
  const isOther = NOT_OF_CHARTS.some((concept) => sentence.any(concept));
  const isPlace = grouping.by.length > 0 || references.positions.length > 0;
  const when = rangeOf(asked, run, rest);
  const isTimed = time !== undefined || when.refused !== undefined || when.remarks.length > 0;
  if (isOther || isPlace || (asked.unsure.length > 0 && !isTimed)) return undefined;
  const own = whose(asked);
  const isNarrowed = own.words.length + own.matchers.length > 0;
  const old = wishOf(known);
  if (named === undefined && !isNarrowed && !isTimed) return anew(text, rest, old);
  const isElliptic =
    changes ||
    bare.search(CHANGE) !== -1 ||
    sentence.has(0, 'and') ||
    POINTS_BACK.some((concept) => sentence.any(concept));
  // `memory over the last hour` asks anew: of all hosts.
  if (named !== undefined && !isElliptic && (time !== undefined || asksForChart(text))) {
    return undefined;
  }
  const of = isNarrowed ? hostsAfter(text, old, own) : old;
  if (of === undefined) return undefined;
  const wish: ChartWish = {
    of: named?.metric ?? old.of,
    words: of.words,
    matchers: of.matchers,
    ...(isTimed ? zoomed(text, when, old, run.now) : rangeKept(old)),
  };
  if (!isNarrowed || (named !== undefined && isElliptic)) return wish;
  // `the same for db-01`: of the chart, also where it has nothing of that.
  if (SAME.test(text) || changes || (await namesSeries(run, wish))) return wish;
  // `and in staging?` after a chart goes on with the alerts, where they have such a label.
  const ofAlerts = readQuestion(text, live.all, run).conditions;
  return isElliptic && ofAlerts.unmatched.length > 0 ? wish : undefined;
}

/** The same once more: `as a table` (there is one under each chart), or of half or twice the time. */
function anew(text: string, rest: string, old: ChartWish): ChartWish | undefined {
  const kept = { ...old, ...rangeKept(old) };
  if (/[\p{L}\d]/u.test(rest.replace(FILLER, ' '))) return undefined;
  if (ZOOMS.test(text)) return { ...kept, span: old.span * (ZOOMS_OUT.test(text) ? 2 : 0.5) };
  return TABLE.test(text) ? { ...kept, remarks: [{ kind: 'table' }] } : undefined;
}

function rangeKept({ span, end }: ChartWish): ChartRange {
  return { span, remarks: [], ...(end === undefined ? {} : { end }) };
}

type Whose = Pick<ChartWish, 'words' | 'matchers'>;

/** Undefined: what is to be left out was not asked for. */
function hostsAfter(text: string, old: Whose, own: Whose): Whose | undefined {
  if (REMOVES.test(text)) {
    const words = old.words.filter((word) => !own.words.includes(word));
    const isAll = own.words.every((word) => old.words.includes(word));
    return isAll && words.length > 0 ? { words, matchers: old.matchers } : undefined;
  }
  if (!ADDS.test(text)) return own;
  // All of them are drawn already.
  if (old.words.length + old.matchers.length === 0) return old;
  return {
    words: [...new Set([...old.words, ...own.words])],
    matchers: [...old.matchers, ...own.matchers],
  };
}

/** `zoom in to 15:00–15:30`, of a chart of yesterday: on its day. */
function zoomed(text: string, when: ChartRange, old: ChartWish, now: number): ChartRange {
  const { end: until = now, span } = when;
  const { end: oldEnd = now } = old;
  if (!ZOOMS.test(text) || when.refused !== undefined) return when;
  for (let days = 0; days <= MOST_DAYS; days += 1) {
    const end = until - days * DAY;
    if (end <= oldEnd && end - span >= oldEnd - old.span) return { ...when, end };
  }
  return when;
}

function wishOf({ metric, expr = '', ...rest }: ChartMemory): ChartWish {
  const named = NAMED_METRICS.find(({ key }) => key === metric);
  const { words, matchers, span, end } = rest;
  return {
    of: named ?? { expr },
    ...{ words, matchers, span, remarks: [] },
    ...(end === undefined ? {} : { end }),
  };
}
