import type { ChartMemory } from '../chart-memory.js';
import type { Concept } from '../lexicon/concept.js';
import type { LiveWords } from '../live-words.js';
import { asksForChart, withoutChartWords } from '../metrics/chart-words.js';
import { namedMetricIn, NAMED_METRICS } from '../metrics/named-metrics.js';
import { type Question, readQuestion } from '../parse/question.js';
import type { TurnRun } from '../turn-run.js';
import { type ChartWish, namesSeries } from './metric-chart.js';
import { OTHER_TOPICS, rangeIn, readValues, whose } from './named-metric.js';

/** What a chart has nothing of. */
const NOT_OF_CHARTS: readonly Concept[] = [
  ...OTHER_TOPICS,
  ...(['count', 'detail', 'check', 'since-when', 'more', 'history'] as const),
  ...(['newest', 'oldest', 'worst', 'top', 'not', 'without'] as const),
  ...(['down', 'up', 'ok', 'thanks', 'greet', 'help'] as const),
];
/** Asks for the same chart in another way; nothing of it says whose values are meant. */
const CHANGE =
  /\b(?:make|change|switch|set|extend|widen|narrow|try|use|redo|redraw|repeat|zoom (?:in|out))(?:\s+(?:it|that|this|(?:the |its )?(?:time |chart )?range))?(?:\s+to)?\b|(?:重新?|再)画|(?:拉长|扩大|缩短|缩小|放大|延长)(?:到|为)?|时间范围/giu;
const SAME =
  /\bsame\s+(?:(?:chart|graph|plot|picture|thing|one)\s+)?(?:for|of|on|with)\b|换成|换为|换到|同样的?(?:图|看)|也(?:画|看)/iu;
const POINTS_BACK: readonly Concept[] = ['follow', 'only', 'it'];

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
  if (known === undefined || first.domain === 'write') return undefined;
  const named = namedMetricIn(text);
  const bare = named?.rest ?? text;
  const rest = withoutChartWords(bare.replace(CHANGE, ' '));
  const asked = readValues(rest, run);
  const { sentence, time, grouping, references } = asked;
  const isOther = NOT_OF_CHARTS.some((concept) => sentence.any(concept));
  const isPlace = grouping.by.length > 0 || references.positions.length > 0;
  if (isOther || isPlace || asked.unsure.length > 0) return undefined;
  const own = whose(run, rest, asked);
  const isNarrowed = own.words.length + own.matchers.length > 0;
  if (named === undefined && !isNarrowed && time === undefined) return undefined;
  const isElliptic =
    bare.search(CHANGE) !== -1 ||
    sentence.has(0, 'and') ||
    POINTS_BACK.some((concept) => sentence.any(concept));
  // `memory over the last hour` asks anew: of all hosts.
  if (named !== undefined && !isElliptic && (time !== undefined || asksForChart(text))) {
    return undefined;
  }
  const old = wishOf(known);
  const wish: ChartWish = {
    of: named?.metric ?? old.of,
    ...(isNarrowed ? own : { words: old.words, matchers: old.matchers }),
    ...(time === undefined
      ? { span: old.span, ...(old.end === undefined ? {} : { end: old.end }) }
      : rangeIn(run, asked)),
  };
  if (!isNarrowed || (named !== undefined && isElliptic)) return wish;
  // `the same for db-01`: of the chart, also where it has nothing of that.
  if (SAME.test(text) || (await namesSeries(run, wish))) return wish;
  // `and in staging?` after a chart goes on with the alerts, where they have such a label.
  const ofAlerts = readQuestion(text, live.all, run).conditions;
  return isElliptic && ofAlerts.unmatched.length > 0 ? wish : undefined;
}

function wishOf({ metric, expr = '', ...rest }: ChartMemory): ChartWish {
  const named = NAMED_METRICS.find(({ key }) => key === metric);
  const { words, matchers, span, end } = rest;
  return { of: named ?? { expr }, words, matchers, span, ...(end === undefined ? {} : { end }) };
}
