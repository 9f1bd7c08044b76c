import type { Atom } from '../text/atoms.js';
import { bareHourAt, momentAt, type Moment } from './clock.js';
import type { TimeFrame } from './day.js';
import { amountAt, durationAt, phraseAt, type Read } from './duration.js';
import {
  BEFORE,
  BEFORE_AFTER,
  FUTURE,
  LAST,
  LAST_HAN,
  LONGER,
  LONGER_AFTER,
  SHORTER,
  SINCE,
  SINCE_AFTER,
} from './time-words.js';

/** When something began; a bound that is absent is open. */
export interface TimeBounds {
  readonly after?: number;
  readonly before?: number;
  /** `at 18:58`: what was so at that moment. */
  readonly at?: number;
  /** A time that says nothing about when an alert began: the future, or `2 hours ago` alone. */
  readonly unusable?: true;
  /** Of what is unusable. */
  readonly why?: 'future' | 'reversed' | 'vague';
  /** `22:00 to 02:00`: taken to begin the day before. */
  readonly crosses?: true;
}

type Rule = (atoms: readonly Atom[], at: number, frame: TimeFrame) => Read<TimeBounds> | undefined;

function unusable(length: number, why: Exclude<TimeBounds['why'], undefined>): Read<TimeBounds> {
  return { value: { unusable: true, why }, length };
}

/** The time phrase that begins at `at`, the longest one. */
export function timePhraseAt(
  atoms: readonly Atom[],
  at: number,
  frame: TimeFrame,
): Read<TimeBounds> | undefined {
  const reads = RULES.map((rule) => rule(atoms, at, frame)).filter((read) => read !== undefined);
  return reads.reduce<Read<TimeBounds> | undefined>(
    (best, read) => (best === undefined || read.length > best.length ? read : best),
    undefined,
  );
}

/** `in the last hour`, `past 2h`, `within 10 minutes`, `最近一小时内`, `1小时内`. */
const recent: Rule = (atoms, at, { now }) => {
  let length = phraseAt(atoms, at, ['in', 'within', 'over', 'during', 'for', 'from', 'of', 'at']);
  const within = phraseAt(atoms, at, ['within', 'in under']) > 0;
  length += phraseAt(atoms, at + length, ['the', 'this']);
  const last = phraseAt(atoms, at + length, [...LAST, ...LAST_HAN]);
  const duration = durationAt(atoms, at + length + last, last > 0);
  if (duration === undefined) return undefined;
  const end = length + last + duration.length;
  const inside = phraseAt(atoms, at + end, ['以内', '之内', '之中', '以来', '内', '里', '中']);
  const ago = phraseAt(atoms, at + end, ['ago', 'old', '前', '之前', '以前']);
  // 前 alone is `ago`, which needs a duration and no `last` before it.
  if (last === 0 && inside === 0 && !(within && ago === 0)) return undefined;
  return { value: { after: now - duration.value }, length: end + inside };
};

/** `since 09:00`, `after yesterday`, `since 2 hours ago`, `从今天9点开始`, `9点以后`. */
const since: Rule = (atoms, at, frame) => {
  const cue = phraseAt(atoms, at, [...SINCE, 'from', '在']);
  const point = pointAt(atoms, at + cue, frame, cue > 0 && phraseAt(atoms, at, ['从', '在']) === 0);
  if (point === undefined) return undefined;
  const after = phraseAt(atoms, at + cue + point.length, [
    ...SINCE_AFTER,
    'onwards',
    'onward',
    // `yesterday on web-2`
    ...(cue > 0 ? ['on'] : []),
  ]);
  const weak = phraseAt(atoms, at, ['from', '从', '在']) > 0;
  // 一小时前开始的: exactly then?
  const isVague = cue === 0 && durationAt(atoms, at, false) !== undefined;
  if (isVague && phraseAt(atoms, at + point.length, ['开始']) > 0) return undefined;
  // `plot x from yesterday`: of values nothing else can be meant.
  const isFrom = frame.spans === true && phraseAt(atoms, at, ['from', '从']) > 0;
  if (after === 0 && (cue === 0 || weak) && !isFrom) return undefined;
  const { from, floating } = point.value;
  const day = 24 * 3_600_000;
  const begun = floating && from > frame.now ? from - day : from;
  if (begun > frame.now) return unusable(cue + point.length + after, 'future');
  return { value: { after: begun }, length: cue + point.length + after };
};

/** `since 10 minutes`: as people say `since 10 minutes ago`. */
const sinceDuration: Rule = (atoms, at, { now }) => {
  const cue = phraseAt(atoms, at, ['since', '自从']);
  const duration = cue === 0 ? undefined : durationAt(atoms, at + cue, false);
  if (duration === undefined) return undefined;
  return { value: { after: now - duration.value }, length: cue + duration.length };
};

/** `between 1 and 3 hours ago`, `1到3小时前`. */
const betweenAgo: Rule = (atoms, at, { now }) => {
  const cue = phraseAt(atoms, at, ['between', 'from', '从', '在']);
  const near = durationAt(atoms, at + cue, false);
  const amount = amountAt(atoms, at + cue);
  const first = near ?? amount;
  if (first === undefined) return undefined;
  let length = cue + first.length;
  const joint = phraseAt(atoms, at + length, ['and', 'to', '-', '到', '至', '~']);
  const far = joint === 0 ? undefined : durationAt(atoms, at + length + joint, false);
  const farAmount = joint === 0 ? undefined : amountAt(atoms, at + length + joint);
  if (far === undefined || farAmount === undefined || farAmount.value === 0) return undefined;
  length += joint + far.length;
  const ago = phraseAt(atoms, at + length, ['ago', '之前', '以前', '前']);
  // `between 9 and 10` is a time of day.
  if (ago === 0) return undefined;
  const unit = far.value / farAmount.value;
  const [least, most] = [near?.value ?? (amount?.value ?? 0) * unit, far.value];
  if (most < least) return undefined;
  return { value: { after: now - most, before: now - least }, length: length + ago };
};

/** `before 09:00`, `until yesterday`, `9点之前`; ahead, for what is to last: `until tomorrow 9am`. */
const until: Rule = (atoms, at, frame) => {
  const han = phraseAt(atoms, at, ['一直到', '直到', '到', '至']);
  const ahead = han === 0 ? undefined : momentAt(atoms, at + han, frame);
  if (ahead !== undefined && ahead.value.from > frame.now) {
    return { value: { before: ahead.value.from }, length: han + ahead.length };
  }
  const cue = phraseAt(atoms, at, BEFORE);
  const point = pointAt(atoms, at + cue, frame, cue > 0);
  if (point === undefined) return undefined;
  const after = phraseAt(atoms, at + cue + point.length, BEFORE_AFTER);
  if (cue === 0 && after === 0) return undefined;
  return { value: { before: point.value.from }, length: cue + point.length + after };
};

/** `between 8:00 and 9:30`, `from 8am to 9am`, `8点到9点之间`. */
const between: Rule = (atoms, at, frame) => {
  const cue = phraseAt(atoms, at, ['between', 'from', '从', '在']);
  const start = pointAt(atoms, at + cue, frame, cue > 0);
  if (start === undefined) return undefined;
  let length = cue + start.length;
  const joint = phraseAt(atoms, at + length, ['and', 'to', 'till', 'until', '-', '到', '至', '~']);
  const end = joint === 0 ? undefined : endAt(atoms, at + length + joint, frame);
  if (end === undefined) return undefined;
  length += joint + end.length;
  length += phraseAt(atoms, at + length, ['之间', '期间']);
  const [after, before] = [start.value.from, end.value.to];
  const floats = start.value.floating === true && end.value.floating === true;
  if (frame.spans === true && floats) return { value: clockSpan(after, before, frame), length };
  if (after > frame.now && start.value.floating !== true) return unusable(length, 'future');
  if (frame.spans === true && before <= after) return unusable(length, 'reversed');
  if (before < after) return undefined;
  return { value: { after, before }, length };
};

/** `22:00 to 02:00`, of values: the last such time that has begun. */
function clockSpan(from: number, to: number, { now }: TimeFrame): TimeBounds {
  const day = 24 * 3_600_000;
  if (from === to) return { unusable: true, why: 'reversed' };
  const crosses = from > to;
  const after = crosses ? from - day : from;
  const back = after > now ? day : 0;
  return {
    after: after - back,
    before: to - back,
    ...(crosses ? { crosses: true as const } : {}),
  };
}

/** A moment, or `now`. */
function endAt(atoms: readonly Atom[], at: number, frame: TimeFrame): Read<Moment> | undefined {
  const now = phraseAt(atoms, at, ['now', 'the present', '现在', '目前']);
  // An alert of this very instant is in.
  if (now > 0) return { value: { from: frame.now, to: frame.now + 1 }, length: now };
  return pointAt(atoms, at, frame, true);
}

/** `for more than 2 hours`, `older than 1d`, `持续超过30分钟`, `2小时以上`. */
const longer: Rule = (atoms, at, { now, spans }) => {
  const cue = phraseAt(atoms, at, LONGER);
  const more = phraseAt(atoms, at + cue, ['than', '了']);
  const duration = durationAt(atoms, at + cue + more, false);
  if (duration === undefined) return undefined;
  const end = cue + more + duration.length;
  const after =
    phraseAt(atoms, at + end, LONGER_AFTER) + phraseAt(atoms, at + end, ['or more', 'or longer']);
  if (cue === 0 && after === 0) return undefined;
  const rest = phraseAt(atoms, at + end + after, ['now', 'already', 'ago']);
  const bound = now - duration.value;
  return { value: spans ? { after: bound } : { before: bound }, length: end + after + rest };
};

/** `less than 10 minutes ago`, `不到10分钟`. */
const shorter: Rule = (atoms, at, { now }) => {
  const cue = phraseAt(atoms, at, SHORTER);
  const duration = cue === 0 ? undefined : durationAt(atoms, at + cue, false);
  if (duration === undefined) return undefined;
  const rest = phraseAt(atoms, at + cue + duration.length, ['ago', 'old']);
  return { value: { after: now - duration.value }, length: cue + duration.length + rest };
};

/** `today`, `yesterday`, `this morning`, `on 2026-11-29`, `昨天`. */
const during: Rule = (atoms, at, frame) => {
  const cue = phraseAt(atoms, at, ['on', 'during', '在']);
  const moment = momentAt(atoms, at + cue, frame);
  if (moment === undefined || moment.value.from === moment.value.to) return undefined;
  const { from, to } = moment.value;
  if (from > frame.now) return unusable(cue + moment.length, 'future');
  // What lies ahead needs no bound.
  const value = to > frame.now ? { after: from } : { after: from, before: to };
  return { value, length: cue + moment.length };
};

/** `at 18:58`, 18点58分的时候: a moment that has been. */
const moment: Rule = (atoms, at, frame) => {
  if (frame.spans === true) return undefined;
  const cue = phraseAt(atoms, at, ['at', 'as of', '在', '于']);
  const point = momentAt(atoms, at + cue, frame);
  if (point === undefined || point.value.from !== point.value.to) return undefined;
  const length = cue + point.length;
  const after = phraseAt(atoms, at + length, [
    '的时候',
    '那时候',
    '那时',
    '那会儿',
    '那个时候',
    '时',
  ]);
  if (cue === 0 && after === 0) return undefined;
  const { from, floating } = point.value;
  const when = floating === true && from > frame.now ? from - 24 * 3_600_000 : from;
  if (when > frame.now) return unusable(length + after, 'future');
  return { value: { at: when }, length: length + after };
};

const future: Rule = (atoms, at) => {
  const length = phraseAt(atoms, at, FUTURE);
  return length === 0 ? undefined : unusable(length, 'future');
};

/** `started 2 hours ago`: exactly then, or since then? Nobody can tell. */
const ago: Rule = (atoms, at) => {
  const point = durationAt(atoms, at, false);
  const length =
    point === undefined
      ? 0
      : phraseAt(atoms, at + point.length, [
          'ago',
          '之前开始',
          '以前开始',
          '前开始',
          '前触发',
          '前的',
          '前发生',
        ]);
  if (point === undefined || length === 0) return undefined;
  return unusable(point.length + length, 'vague');
};

/** `in the last few hours`, 最近几分钟: nobody can tell how many. */
const vague: Rule = (atoms, at) => {
  let length = phraseAt(atoms, at, ['in', 'within', 'over', 'during', 'for', 'from']);
  length += phraseAt(atoms, at + length, ['the']);
  const last = phraseAt(atoms, at + length, [...LAST, ...LAST_HAN]);
  const few =
    last === 0 ? 0 : phraseAt(atoms, at + length + last, ['few', 'several', '几个', '几']);
  const unit = few === 0 ? undefined : durationAt(atoms, at + length + last + few, true);
  if (unit === undefined) return undefined;
  const after = at + length + last + few + unit.length;
  const inside = phraseAt(atoms, after, ['以内', '之内', '内', '里']);
  return unusable(after + inside - at, 'vague');
};

const RULES: readonly Rule[] = [
  recent,
  since,
  sinceDuration,
  until,
  betweenAgo,
  between,
  longer,
  shorter,
  during,
  moment,
  future,
  ago,
  vague,
];

function pointAt(
  atoms: readonly Atom[],
  at: number,
  frame: TimeFrame,
  bareHour: boolean,
): Read<Moment> | undefined {
  const moment = momentAt(atoms, at, frame);
  if (moment !== undefined) return moment;
  const duration = durationAt(atoms, at, false);
  if (duration === undefined) return bareHour ? bareHourAt(atoms, at, frame) : undefined;
  const ago = phraseAt(atoms, at + duration.length, ['ago', '之前', '以前', '前']);
  if (ago === 0) return undefined;
  const from = frame.now - duration.value;
  return { value: { from, to: from }, length: duration.length + ago };
}
