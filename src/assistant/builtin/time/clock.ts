import { hanNumber, numberOf } from '../text/numerals.js';
import type { Atom } from '../text/atoms.js';
import { instantOf, type WallTime, wallTime } from './zoned.js';

/** What time phrases are relative to. */
export interface TimeFrame {
  readonly now: number;
  readonly zone: string;
}

/** Something read from `length` atoms on. */
export interface Read<T> {
  readonly value: T;
  readonly length: number;
}

/** A point or, for a whole day or a part of it, a span; epoch milliseconds. */
export interface Moment {
  readonly from: number;
  readonly to: number;
  /** True for a clock time without a day: yesterday's is meant when today's has not come yet. */
  readonly floating?: true;
}

const UNITS = new Map<string, number>();
const UNIT_WORDS: readonly (readonly [string, number])[] = [
  ['s sec secs second seconds 秒 秒钟', 1000],
  ['m min mins minute minutes 分 分钟', 60_000],
  ['h hr hrs hour hours 小时 钟头 个小时 个钟头', 3_600_000],
  ['d day days 天 日', 86_400_000],
  ['w week weeks 周 星期 个星期 礼拜 个礼拜', 7 * 86_400_000],
  ['month months 月 个月', 30 * 86_400_000],
];
for (const [words, ms] of UNIT_WORDS) for (const word of words.split(' ')) UNITS.set(word, ms);

/** The atoms from `at` on as one text when they are Chinese characters: at most `max` of them. */
export function hanRun(atoms: readonly Atom[], at: number, max: number): string {
  let text = '';
  for (let i = at; i < atoms.length && i < at + max && atoms[i]?.kind === 'han'; i += 1) {
    text += atoms[i]?.key ?? '';
  }
  return text;
}

/** Length of the first of `phrases` (words by blanks, Chinese as it is) that stands at `at`. */
export function phraseAt(atoms: readonly Atom[], at: number, phrases: readonly string[]): number {
  for (const phrase of phrases) {
    const length = phraseLength(atoms, at, phrase);
    if (length > 0) return length;
  }
  return 0;
}

function phraseLength(atoms: readonly Atom[], at: number, phrase: string): number {
  const parts = /[a-z]/.test(phrase) ? phrase.split(' ') : Array.from(phrase);
  return parts.every((part, index) => atoms[at + index]?.key === part) ? parts.length : 0;
}

/** `2h`, `two hours`, `half an hour`, `the hour` (with `bare`), `三个小时`, `半小时` → milliseconds. */
export function durationAt(
  atoms: readonly Atom[],
  at: number,
  bare: boolean,
): Read<number> | undefined {
  const key = atoms[at]?.key ?? '';
  const compact = /^(?:\d+(?:\.\d+)?(?:s|secs?|m|mins?|h|hrs?|d|w|hours?|minutes?|days?))+$/.test(
    key,
  );
  if (compact) {
    const ms = [...key.matchAll(/(\d+(?:\.\d+)?)([a-z]+)/g)]
      .map(([, amount, unit = '']) => Number(amount) * (UNITS.get(unit) ?? NaN))
      .reduce((sum, part) => sum + part, 0);
    return { value: ms, length: 1 };
  }
  const half = phraseAt(atoms, at, ['half an', 'half a', 'half', '半个', '半']);
  if (half > 0) return withUnit(atoms, at + half, 0.5, half);
  const amount = amountAt(atoms, at);
  if (amount !== undefined) {
    const and = phraseAt(atoms, at + amount.length, ['个半']);
    if (and > 0) {
      return withUnit(atoms, at + amount.length + and, amount.value + 0.5, amount.length + and);
    }
    return withUnit(atoms, at + amount.length, amount.value, amount.length);
  }
  return bare ? withUnit(atoms, at, 1, 0) : undefined;
}

function withUnit(
  atoms: readonly Atom[],
  at: number,
  amount: number,
  before: number,
): Read<number> | undefined {
  const word = atoms[at];
  if (word?.kind === 'word') {
    const ms = UNITS.get(word.key);
    return ms === undefined ? undefined : { value: amount * ms, length: before + 1 };
  }
  for (let length = 3; length >= 1; length -= 1) {
    const run = hanRun(atoms, at, length);
    const ms = run.length === length ? UNITS.get(run) : undefined;
    if (ms !== undefined) return { value: amount * ms, length: before + length };
  }
  return undefined;
}

function amountAt(atoms: readonly Atom[], at: number): Read<number> | undefined {
  const atom = atoms[at];
  if (atom?.kind === 'word') {
    const value =
      atom.key === 'a' || atom.key === 'an'
        ? 1
        : /^\d+\.\d+$/.test(atom.key)
          ? Number(atom.key)
          : numberOf(atom.key);
    if (value !== undefined) return { value, length: 1 };
    return phraseAt(atoms, at, ['couple of', 'couple']) > 0
      ? { value: 2, length: phraseAt(atoms, at, ['couple of', 'couple']) }
      : undefined;
  }
  return hanAmountAt(atoms, at);
}

function hanAmountAt(atoms: readonly Atom[], at: number): Read<number> | undefined {
  for (let length = 5; length >= 1; length -= 1) {
    const run = hanRun(atoms, at, length);
    const value = run.length === length ? hanNumber(run) : undefined;
    if (value !== undefined) return { value, length };
  }
  return undefined;
}

/** `09:00`, `9am`, `9 pm`, `noon`, `下午3点半`, `2026-11-30 09:00`, `today`, `昨天9点`, `monday`. */
export function momentAt(
  atoms: readonly Atom[],
  at: number,
  frame: TimeFrame,
): Read<Moment> | undefined {
  const iso = isoAt(atoms, at, frame);
  if (iso !== undefined) return iso;
  const day = dayAt(atoms, at, frame);
  if (day !== undefined) {
    const skip = phraseAt(atoms, at + day.length, ['at', 'from', '的']);
    const clock = clockAt(atoms, at + day.length + skip);
    if (clock === undefined) return { value: day.value, length: day.length };
    const zone = zoneAfter(atoms, at + day.length + skip + clock.length, frame);
    const from = clockOn(wallTime(day.value.from, frame.zone), clock.value, zone.value);
    return {
      value: { from, to: from },
      length: day.length + skip + clock.length + zone.length,
    };
  }
  const clock = clockAt(atoms, at);
  if (clock === undefined) return undefined;
  const zone = zoneAfter(atoms, at + clock.length, frame);
  const skip = phraseAt(atoms, at + clock.length + zone.length, ['on']);
  const later = dayAt(atoms, at + clock.length + zone.length + skip, frame);
  const base = wallTime(
    later?.value.from ?? frame.now,
    later === undefined ? zone.value : frame.zone,
  );
  const from = clockOn(base, clock.value, zone.value);
  return {
    value: { from, to: from, ...(later === undefined ? { floating: true as const } : {}) },
    length: clock.length + zone.length + (later === undefined ? 0 : skip + later.length),
  };
}

function clockOn(day: WallTime, minutes: number, zone: string): number {
  const { year, month, day: date } = day;
  return instantOf(
    { year, month, day: date, hour: Math.floor(minutes / 60), minute: minutes % 60 },
    zone,
  );
}

function zoneAfter(atoms: readonly Atom[], at: number, frame: TimeFrame): Read<string> {
  const length = phraseAt(atoms, at, ['utc', 'gmt']);
  return { value: length > 0 ? 'UTC' : frame.zone, length };
}

function isoAt(atoms: readonly Atom[], at: number, frame: TimeFrame): Read<Moment> | undefined {
  const match =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:t(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(z|[+-]\d{2}:?\d{2})?)?$/.exec(
      atoms[at]?.key ?? '',
    );
  if (match === null) return undefined;
  const [whole, year, month, day, hour, minute, second, offset] = match;
  if (offset !== undefined) {
    const from = Date.parse(whole.toUpperCase());
    return Number.isNaN(from) ? undefined : { value: { from, to: from }, length: 1 };
  }
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  if (hour !== undefined) {
    const clock = { hour: Number(hour), minute: Number(minute), second: Number(second ?? 0) };
    const from = instantOf({ ...date, ...clock }, frame.zone);
    return { value: { from, to: from }, length: 1 };
  }
  const clock = clockAt(atoms, at + 1);
  if (clock === undefined) {
    const to = instantOf({ ...date, day: date.day + 1 }, frame.zone);
    return { value: { from: instantOf(date, frame.zone), to }, length: 1 };
  }
  const zone = zoneAfter(atoms, at + 1 + clock.length, frame);
  const from = instantOf({ ...date, minute: clock.value }, zone.value);
  return { value: { from, to: from }, length: 1 + clock.length + zone.length };
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

function dayAt(
  atoms: readonly Atom[],
  at: number,
  { now, zone }: TimeFrame,
): Read<Moment> | undefined {
  const wall = wallTime(now, zone);
  const span = (day: number, fromHour: number, toHour: number): Moment => {
    const base = { year: wall.year, month: wall.month, day: wall.day + day };
    return {
      from: instantOf({ ...base, hour: fromHour }, zone),
      to: instantOf({ ...base, hour: toHour }, zone),
    };
  };
  const DAYS: readonly (readonly [readonly string[], Moment])[] = [
    [['this morning', '今天早上', '今天上午', '今早', '今晨'], span(0, 0, 12)],
    [['this afternoon', '今天下午'], span(0, 12, 18)],
    [['this evening', 'tonight', '今天晚上', '今晚'], span(0, 18, 24)],
    [['last night', '昨天晚上', '昨晚', '昨夜'], span(-1, 18, 30)],
    [['yesterday morning', '昨天早上', '昨天上午'], span(-1, 0, 12)],
    [['yesterday afternoon', '昨天下午'], span(-1, 12, 18)],
    [['the day before yesterday', '前天'], span(-2, 0, 24)],
    [['this week', '本周', '这周', '这个星期', '本星期'], span(-wall.weekday, 0, 24 * 7)],
    [['last week', '上周', '上个星期', '上星期'], span(-wall.weekday - 7, 0, 24 * 7)],
    [['today', '今天', '今日', '当天', '当日'], span(0, 0, 24)],
    [['yesterday', '昨天', '昨日'], span(-1, 0, 24)],
  ];
  // A part of a day before a clock time belongs to the clock: 昨天下午3点.
  for (const [phrases, moment] of DAYS) {
    const length = phraseAt(atoms, at, phrases);
    if (length === 0) continue;
    const day = phraseAt(atoms, at, ['今天', '昨天']);
    if (day > 0 && day < length && clockAt(atoms, at + day) !== undefined) {
      return { value: span(phraseAt(atoms, at, ['今天']) > 0 ? 0 : -1, 0, 24), length: day };
    }
    return { value: moment, length };
  }
  const skip = phraseAt(atoms, at, ['last']);
  const weekday = WEEKDAYS.indexOf(atoms[at + skip]?.key ?? '');
  if (weekday === -1) return undefined;
  const back = (wall.weekday - weekday + 7) % 7;
  return { value: span(-(back === 0 && skip > 0 ? 7 : back), 0, 24), length: skip + 1 };
}

const PARTS: readonly (readonly [readonly string[], number])[] = [
  [['上午', '早上', '早晨', '今早', '凌晨'], 0],
  [['下午', '晚上', '傍晚', '今晚'], 12],
  [['中午'], 12],
];

/** Minutes after midnight. */
function clockAt(atoms: readonly Atom[], at: number): Read<number> | undefined {
  const key = atoms[at]?.key ?? '';
  const fixed = phraseAt(atoms, at, ['noon', 'midday', '正午']);
  if (fixed > 0) return { value: 12 * 60, length: fixed };
  const night = phraseAt(atoms, at, ['midnight', '零点', '午夜']);
  if (night > 0) return { value: 0, length: night };
  const part = PARTS.map(([words, shift]) => ({ length: phraseAt(atoms, at, words), shift })).find(
    ({ length }) => length > 0,
  );
  if (part !== undefined) {
    const clock = plainClockAt(atoms, at + part.length);
    if (clock === undefined) return undefined;
    const shift = clock.value < 12 * 60 ? part.shift * 60 : 0;
    return { value: clock.value + shift, length: part.length + clock.length };
  }
  const half = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/.exec(key);
  const spoken = phraseAt(atoms, at + 1, ['am', 'pm', "o'clock"]);
  const suffix = half?.[3] ?? (spoken > 0 ? atoms[at + 1]?.key : undefined);
  if (half !== null && (suffix === 'am' || suffix === 'pm')) {
    const hour = (Number(half[1]) % 12) + (suffix === 'pm' ? 12 : 0);
    const length = half[3] === undefined ? 2 : 1;
    return { value: hour * 60 + Number(half[2] ?? 0), length };
  }
  return plainClockAt(atoms, at);
}

function plainClockAt(atoms: readonly Atom[], at: number): Read<number> | undefined {
  const colon = /^(\d{1,2}):(\d{2})(?::\d{2})?$/.exec(atoms[at]?.key ?? '');
  if (colon !== null) {
    const [hour, minute] = [Number(colon[1]), Number(colon[2])];
    return hour < 24 && minute < 60 ? { value: hour * 60 + minute, length: 1 } : undefined;
  }
  const hour = amountAt(atoms, at);
  if (hour === undefined || hour.value > 24) return undefined;
  const mark = phraseAt(atoms, at + hour.length, ['点钟', '点', '时']);
  if (mark === 0) return undefined;
  const after = at + hour.length + mark;
  const halfPast = phraseAt(atoms, after, ['半']);
  if (halfPast > 0) return { value: hour.value * 60 + 30, length: hour.length + mark + halfPast };
  const minute = amountAt(atoms, after);
  if (minute === undefined || minute.value > 59) {
    return { value: hour.value * 60, length: hour.length + mark };
  }
  const unit = phraseAt(atoms, after + minute.length, ['分']);
  return {
    value: hour.value * 60 + minute.value,
    length: hour.length + mark + minute.length + unit,
  };
}

/** The hour in `since 9`: a bare number is one only after a word of time. */
export function bareHourAt(
  atoms: readonly Atom[],
  at: number,
  frame: TimeFrame,
): Read<Moment> | undefined {
  const key = atoms[at]?.key ?? '';
  if (!/^\d{1,2}$/.test(key) || Number(key) > 23) return undefined;
  const from = clockOn(wallTime(frame.now, frame.zone), Number(key) * 60, frame.zone);
  return { value: { from, to: from, floating: true }, length: 1 };
}
