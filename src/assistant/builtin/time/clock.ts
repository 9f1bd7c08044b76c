import type { Atom } from '../text/atoms.js';
import { dayAt, type TimeFrame } from './day.js';
import { amountAt, phraseAt, type Read } from './duration.js';
import { instantOf, type WallTime, wallTime } from './zoned.js';

/** A point or, for a whole day or a part of it, a span; epoch milliseconds. */
export interface Moment {
  readonly from: number;
  readonly to: number;
  /** True for a clock time without a day: yesterday's is meant when today's has not come yet. */
  readonly floating?: true;
}

/** `09:00`, `9am`, `9 pm`, `noon`, `下午3点半`, `2026-11-30 09:00`, `today`, `昨天9点`, `monday`. */
export function momentAt(
  atoms: readonly Atom[],
  at: number,
  frame: TimeFrame,
): Read<Moment> | undefined {
  const iso = isoAt(atoms, at, frame) ?? dateAt(atoms, at, frame) ?? yearAt(atoms, at, frame);
  if (iso !== undefined) return iso;
  const day = dayAt(atoms, at, frame);
  if (day !== undefined) {
    const skip = phraseAt(atoms, at + day.length, ['at', 'from', '的']);
    const clock = clockAt(atoms, at + day.length + skip);
    if (clock === undefined) {
      const { from, to } = day.value;
      return { value: { from, to }, length: day.length };
    }
    const zone = zoneAfter(atoms, at + day.length + skip + clock.length, frame);
    const late = day.value.late && clock.value < 12 * 60 ? 12 * 60 : 0;
    const from = clockOn(wallTime(day.value.from, frame.zone), clock.value + late, zone.value);
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

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH_NAME =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;

/** `nov 29`, `29th november`, 11月29日, with a clock time after it; the last such day. */
function dateAt(atoms: readonly Atom[], at: number, frame: TimeFrame): Read<Moment> | undefined {
  const found = monthDayAt(atoms, at);
  if (found === undefined) return undefined;
  const { month, day } = found.value;
  const { year } = wallTime(frame.now, frame.zone);
  const thisYear = instantOf({ year, month, day }, frame.zone);
  const date = { year: thisYear > frame.now ? year - 1 : year, month, day };
  const skip = phraseAt(atoms, at + found.length, ['at', '的']);
  const clock = clockAt(atoms, at + found.length + skip);
  if (clock === undefined) {
    const to = instantOf({ ...date, day: day + 1 }, frame.zone);
    return { value: { from: instantOf(date, frame.zone), to }, length: found.length };
  }
  const from = instantOf({ ...date, ...clockTime(clock.value) }, frame.zone);
  return { value: { from, to: from }, length: found.length + skip + clock.length };
}

/** `2030年`, and `2030` where values over a time are asked for. */
function yearAt(atoms: readonly Atom[], at: number, frame: TimeFrame): Read<Moment> | undefined {
  const year = /^(?:19|20)\d\d$/.exec(atoms[at]?.key ?? '')?.[0];
  const mark = phraseAt(atoms, at + 1, ['年']);
  if (frame.spans !== true || year === undefined) return undefined;
  const start = (of: number): number => instantOf({ year: of, month: 1, day: 1 }, frame.zone);
  const value = { from: start(Number(year)), to: start(Number(year) + 1) };
  return { value, length: 1 + mark };
}

function monthDayAt(
  atoms: readonly Atom[],
  at: number,
): Read<{ readonly month: number; readonly day: number }> | undefined {
  const [first = '', second = ''] = [atoms[at]?.key, atoms[at + 1]?.key];
  const [name, day] = MONTH_NAME.test(first) ? [first, second] : [second, first];
  const number = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(day)?.[1];
  if (MONTH_NAME.test(name) && number !== undefined && Number(number) <= 31) {
    const month = MONTHS.indexOf(name.slice(0, 3)) + 1;
    return { value: { month, day: Number(number) }, length: 2 };
  }
  const month = amountAt(atoms, at);
  if (month === undefined || atoms[at + month.length]?.key !== '月') return undefined;
  const date = amountAt(atoms, at + month.length + 1);
  const end =
    date === undefined ? 0 : phraseAt(atoms, at + month.length + 1 + date.length, ['日', '号']);
  if (date === undefined || end === 0 || month.value > 12 || date.value > 31) return undefined;
  const length = month.length + 1 + date.length + end;
  return { value: { month: month.value, day: date.value }, length };
}

function clockOn(day: WallTime, clock: number, zone: string): number {
  const { year, month, day: date } = day;
  return instantOf({ year, month, day: date, ...clockTime(clock) }, zone);
}

/** @param clock minutes after midnight. */
function clockTime(clock: number): Required<Pick<WallTime, 'hour' | 'minute' | 'second'>> {
  const seconds = Math.round(clock * 60);
  const minutes = Math.floor(seconds / 60);
  return { hour: Math.floor(minutes / 60), minute: minutes % 60, second: seconds % 60 };
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
  const from = instantOf({ ...date, ...clockTime(clock.value) }, zone.value);
  return { value: { from, to: from }, length: 1 + clock.length + zone.length };
}

const PARTS: readonly (readonly [readonly string[], number])[] = [
  [['上午', '早上', '早晨', '今早', '凌晨'], 0],
  [['下午', '晚上', '傍晚', '今晚'], 12],
  [['中午'], 12],
];

/** Minutes after midnight; seconds are a part of one. */
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
  const half = /^(\d{1,2})(?::(\d{2})(?::(\d{2}))?)?(am|pm)?$/.exec(key);
  const spoken = phraseAt(atoms, at + 1, ['am', 'pm', "o'clock"]);
  const suffix = half?.[4] ?? (spoken > 0 ? atoms[at + 1]?.key : undefined);
  if (half !== null && (suffix === 'am' || suffix === 'pm')) {
    const hour = (Number(half[1]) % 12) + (suffix === 'pm' ? 12 : 0);
    const length = half[4] === undefined ? 2 : 1;
    return { value: hour * 60 + Number(half[2] ?? 0) + Number(half[3] ?? 0) / 60, length };
  }
  return plainClockAt(atoms, at);
}

function plainClockAt(atoms: readonly Atom[], at: number): Read<number> | undefined {
  const colon = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(atoms[at]?.key ?? '');
  if (colon !== null) {
    const [hour, minute, second] = [Number(colon[1]), Number(colon[2]), Number(colon[3] ?? 0)];
    const isClock = hour < 24 && minute < 60 && second < 60;
    return isClock ? { value: hour * 60 + minute + second / 60, length: 1 } : undefined;
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
  const unit = phraseAt(atoms, after + minute.length, ['分钟', '分']);
  const end = after + minute.length + unit;
  const second = unit === 0 ? undefined : amountAt(atoms, end);
  const mark2 = second === undefined ? 0 : phraseAt(atoms, end + second.length, ['秒']);
  const seconds = second === undefined || mark2 === 0 || second.value > 59 ? undefined : second;
  return {
    value: hour.value * 60 + minute.value + (seconds?.value ?? 0) / 60,
    length: end - at + (seconds === undefined ? 0 : seconds.length + mark2),
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
