import { asksForChart, asksForValue, withoutChartWords } from '../metrics/chart-words.js';
import { isOfTime, rangeOf, rangeText } from '../metrics/chart-range.js';
import { leftOver } from '../metrics/left-over.js';
import { type NamedMetric, namedMetricIn } from '../metrics/named-metrics.js';
import type { MatchOp } from '../../sources/source.types.js';
import type { Concept } from '../lexicon/concept.js';
import { type Question, readQuestion } from '../parse/question.js';
import type { Segment } from '../parse/segment.js';
import { Vocabulary } from '../parse/vocabulary.js';
import type { TimeFrame } from '../time/day.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { drawWish, type Whose } from './metric-chart.js';

const NOTHING = new Vocabulary([]);
/** A word of these makes it a question about something else than a metric. */
export const OTHER_TOPICS: readonly Concept[] = [
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
  if (asksForValue(text) || first.time?.after !== undefined) return { metric, rest };
  // `load of web-1 over 30 minutes`; what has lasted for longer is a condition on alerts.
  const isSpan =
    !LASTING.test(text) &&
    readValues(rest, { now: 0, zone: 'UTC' }).sentence.parts.some(
      (part) => part.time !== undefined,
    );
  return isSpan ? { metric, rest } : undefined;
}

const LASTING = /\b(?:more|longer|less|older|newer) than\b|\bat least\b|超过|持续|以上|不到|至少/iu;

/** Reads what is said about values over a time. */
export function readValues(text: string, { now, zone }: TimeFrame): Question {
  return readQuestion(rangeText(text), NOTHING, { now, zone, spans: true });
}

/** Draws it, of the hosts that the rest of the question names. */
export async function* answerNamed(run: TurnRun, { metric, rest }: NamedQuestion): Handling {
  const asked = readValues(rest, run);
  return yield* drawWish(run, {
    of: metric,
    ...whose(asked),
    ...rangeOf(asked, run, rest),
  });
}

/** Nobody's host: what a value is compared with. */
const NUMBER = /^-?\d+(?:\.\d+)?%?$/;
const TURNED: Readonly<Record<MatchOp, MatchOp>> = { '=': '!=', '!=': '=', '=~': '!~', '!~': '=~' };

/** The words and matchers of a question that say whose values are meant, and whose are not. */
export function whose(asked: Question): Whose {
  const { conditions, sentence, timeTexts } = asked;
  const { unmatched, ignored, notes, excluded } = conditions;
  const matchers = sentence.segments.flatMap((segment) => {
    if (segment.matcher === undefined) return [];
    const { label, op, value } = segment.matcher;
    return [{ label, op: excluded.has(segment) ? TURNED[op] : op, value }];
  });
  const shown = new Set(matchers.map(({ label, value }) => `${label}=${value}`));
  const told = (texts: readonly string[]): readonly string[] =>
    [...new Set(texts)].filter(
      (one) => !shown.has(one) && !timeTexts.includes(one) && !isOfTime(one, asked),
    );
  const words = told([...unmatched.map((one) => one.text), ...ignored]);
  const without = told(
    notes.flatMap((note) => (note.kind === 'nothing-excluded' ? [note.typed] : [])),
  );
  const names = words.filter((one) => !NUMBER.test(one));
  const numbers = words.filter((one) => NUMBER.test(one));
  return {
    words: names,
    without,
    matchers,
    left: [...new Set([...leftOver(asked, [...words, ...without]), ...numbers])],
  };
}
