import type { Question } from '../parse/question.js';
import type { TimeFrame } from '../time/day.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** As the tool has it. */
const LONGEST_DAYS = 90;
/** A time that could not be read. */
const TIME_UNIT =
  /^(?:(?:second|sec|minute|min|hour|hr|day|week|month|year)s?|秒|分钟|小时|天|周|月|年)$/iu;
const LENGTH = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|毫秒|秒|分钟|小时|天)`;
const STEP = new RegExp(
  String.raw`(?:\b(?:with|at|by|using)\s+)?(?:\b(?:a|an|the)\s+)?(?:\b(?:${LENGTH})\s+(?:steps?|resolution|intervals?)\b|\b(?:steps?|resolution|interval)(?:\s+(?:of|size))?\s*[=:]?\s*(?:${LENGTH})(?![\w])|(?:步长|分辨率|间隔)\s*(?:设?为|是|用)?\s*[=＝:：]?\s*(?:${LENGTH})|每(?:隔)?\s*(?:${LENGTH})\s*(?:一个点|取一个))`,
  'iu',
);
/** 15:00–15:30 */
const CLOCKS = /(\d{1,2}:\d{2}(?::\d{2})?)\s*[-–—~～]\s*(\d{1,2}:\d{2}(?::\d{2})?)/gu;

/** What is not as it was asked for, to be said before anything else. */
export type RangeRemark =
  | { readonly kind: 'to-come' }
  /** `22:00 to 02:00`: from the day before. */
  | { readonly kind: 'crosses'; readonly start: number; readonly end: number }
  | { readonly kind: 'cut'; readonly days: number }
  /** The last hour is shown in its place. */
  | { readonly kind: 'unread'; readonly texts: readonly string[] }
  | { readonly kind: 'step'; readonly text: string }
  /** The figures are wanted as a table, which stands below. */
  | { readonly kind: 'table' };

/** Of no such time is there any value. */
export interface RangeRefusal {
  readonly kind: 'future' | 'reversed';
  readonly texts: readonly string[];
}

export interface ChartRange {
  readonly span: number;
  /** Absent: now. */
  readonly end?: number;
  readonly remarks: readonly RangeRemark[];
  readonly refused?: RangeRefusal;
}

/** Two clock times are a range however the dash between them is written; a step is told apart. */
export function rangeText(text: string): string {
  return text.replace(CLOCKS, '$1 to $2').replace(STEP, ' ; ');
}

/** The step that is asked for: the chart has its own. */
export function stepIn(text: string): string | undefined {
  return STEP.exec(text)?.[0].trim();
}

/** Words of a question that were to say a time. */
export function isOfTime(word: string, { sentence }: Question): boolean {
  return (
    TIME_UNIT.test(word) ||
    sentence.parts.some(({ time, text }) => time !== undefined && text.includes(word))
  );
}

/**
 * The last hour, unless the question says another time; never that in place of a time which was said
 * but is none, without a word about it.
 * @param typed with the step that `rangeText` took out.
 */
export function rangeOf(asked: Question, { now }: TimeFrame, typed: string): ChartRange {
  const { time, sentence, conditions, unsure } = asked;
  const step = stepIn(typed);
  const said: RangeRemark[] = step === undefined ? [] : [{ kind: 'step', text: step }];
  const unusable = sentence.parts.filter((part) => part.time?.unusable === true);
  for (const kind of ['future', 'reversed'] as const) {
    const texts = unusable.filter((part) => part.time?.why === kind).map(({ text }) => text);
    if (texts.length > 0) return { span: HOUR, remarks: said, refused: { kind, texts } };
  }
  const unread = [
    ...unusable.map(({ text }) => text),
    ...[...unsure, ...conditions.ignored].filter((word) => TIME_UNIT.test(word)),
  ];
  if (unread.length > 0) said.push({ kind: 'unread', texts: [...new Set(unread)] });
  const end = Math.min(time?.before ?? now, now);
  const wanted = time?.after === undefined ? HOUR : end - time.after;
  if (wanted <= 0) {
    const texts = sentence.parts.filter((part) => part.time !== undefined).map(({ text }) => text);
    const kind = (time?.after ?? 0) >= now ? 'future' : 'reversed';
    return { span: HOUR, remarks: said, refused: { kind, texts } };
  }
  const span = Math.min(wanted, LONGEST_DAYS * DAY);
  if (sentence.parts.some((part) => part.time?.crosses === true)) {
    said.push({ kind: 'crosses', start: end - span, end });
  }
  if (span < wanted) said.push({ kind: 'cut', days: LONGEST_DAYS });
  if ((time?.before ?? 0) > now + 1) said.push({ kind: 'to-come' });
  return { span, ...(end === now ? {} : { end }), remarks: said };
}
