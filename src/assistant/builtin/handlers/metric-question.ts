import { queryMetrics } from '../../tools/query-metrics.tool.js';
import { asksForChart, withoutChartWords } from '../metrics/chart-words.js';
import { metricExpression } from '../metrics/metric-expression.js';
import { type Question, readQuestion } from '../parse/question.js';
import type { Segment } from '../parse/segment.js';
import { Vocabulary } from '../parse/vocabulary.js';
import type { FoundPromql } from '../promql/find-promql.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { OTHER_TOPICS } from './named-metric.js';

const COUNTER = /_(?:total|count|sum|bucket)$/;
const RATE =
  /\b(?:the\s+)?(?:per[- ]second\s+)?rates?(?:\s+of)?\b|\bper second\b|(?:的)?(?:速率|每秒)/giu;
/** What asks how it went, in place of "plot". */
const COURSE =
  /\b(?:(?:is|are|was|were|has|have|did|does|do)\s+)?(?:rising|falling|increasing|decreasing|growing|dropping|climbing|spiking|going (?:up|down)|trend(?:s|ing)?|chang(?:e|es|ed|ing)|evolv(?:e|es|ed|ing)|develop(?:s|ed|ing)?|behav(?:e|es|ed|ing)|look(?:s|ed|ing)?(?:\s+like)?)\b|(?:是否|有没有)?(?:在|正在)?(?:上升|下降|上涨|升高|降低|增长|增加|减少|波动|飙升|暴涨)(?:了)?(?:吗|没有|没)?|走势|趋势|怎么样|怎样|如何/giu;
/** Figures that a chart tells of each line. */
const EXTREME =
  /\b(?:the\s+)?(?:max(?:imum|ima)?|min(?:imum|ima)?|peaks?|highest|lowest|biggest|largest|smallest)(?:\s+(?:values?|points?))?(?:\s+of)?\b|(?:的)?(?:最高|最低|最大|最小)(?:值)?(?:是)?(?:多少|多高|多大|几)?|峰值|谷值/giu;
const WHO =
  /\b(?:which|what)\s+(?:\w+\s+)?(?:has|have|had|shows?|is|are|with|got)\b|哪(?:一)?(?:台|个|些|几台)?(?:主机|机器|实例|服务器|服务|节点|容器|应用)?/giu;
const NOTHING = new Vocabulary([]);
const LOW = /lowest|smallest|min|最低|最小/iu;

/** `x_y by job` is about a metric, though not answered. */
const OTHER_THINGS = OTHER_TOPICS.filter((one) => !/^(?:by|most|least)$/.test(one));

/** A question about a metric by its own name. */
export interface MetricQuestion extends FoundPromql {
  /** Asks how it went. */
  readonly draws: boolean;
  /** Asks which one is the highest now, or the lowest. */
  readonly sort?: 'sort' | 'sort_desc';
}

/**
 * `node_load1 on web-1 last hour`, 画 web-1 的 node_load1: a name that a source has a metric of, and that
 * no alert is called by; undefined for any other question.
 */
export async function* metricQuestion(
  run: TurnRun,
  text: string,
  first: Question,
  segments: readonly Segment[],
  live: Vocabulary,
  promql: FoundPromql | undefined,
): Handling<MetricQuestion | undefined> {
  if (first.domain === 'write' || !run.may(queryMetrics.name)) return undefined;
  const told = segments.flatMap((one) => (one.mention === undefined ? [] : [one.text]));
  const found = metricExpression(
    text,
    (name) => live.isLabel(name) || told.some((one) => one.includes(name)),
  );
  if (found === undefined) return undefined;
  const { name } = found;
  const rest = `${text.slice(0, found.start)} ; ${text.slice(found.end)}`;
  const isWho = rest.search(WHO) !== -1;
  const extreme = EXTREME.exec(rest)?.[0];
  EXTREME.lastIndex = 0;
  const bare = [WHO, EXTREME, COURSE, RATE].reduce((left, one) => left.replace(one, ' '), rest);
  const about = readQuestion(withoutChartWords(bare), NOTHING, { now: 0, zone: 'UTC' }).sentence;
  if (OTHER_THINGS.some((concept) => about.any(concept))) return undefined;
  // `the value of x_y`: nothing else can be meant.
  if (promql?.expr !== name && !(yield* isMetric(run, name))) return undefined;
  const isRate = COUNTER.test(name) && rest.search(RATE) !== -1;
  const tail = found.expr.slice(name.length);
  // What the rate is taken of would be another thing.
  if (isRate && /[a-z]/i.test(tail)) return undefined;
  const course = rest.search(COURSE) !== -1 || (extreme !== undefined && !isWho) || isRate;
  return {
    expr: isRate ? `rate(${name}[5m])${tail}` : found.expr,
    rest: bare,
    sure: true,
    draws: course || asksForChart(text),
    ...(isWho && extreme !== undefined ? { sort: LOW.test(extreme) ? 'sort' : 'sort_desc' } : {}),
  };
}

async function* isMetric(run: TurnRun, name: string): Handling<boolean> {
  const { series } = yield* run.call(queryMetrics, {
    expr: `group by (__name__) ({__name__=~"${name}"})`,
    limit: 1,
  });
  return series.length > 0;
}
