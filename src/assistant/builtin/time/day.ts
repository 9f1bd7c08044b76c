import type { Atom } from '../text/atoms.js';
import { phraseAt, type Read } from './duration.js';
import { instantOf, wallTime } from './zoned.js';

/** What time phrases are relative to. */
export interface TimeFrame {
  readonly now: number;
  readonly zone: string;
  /** Of values that are drawn: `over 5m` is the last 5 minutes, not what has lasted for longer. */
  readonly spans?: true;
}

/** A day or a part of one, epoch milliseconds. */
export interface Day {
  readonly from: number;
  readonly to: number;
  /** Hours below 12 that are said with it are in the afternoon: 昨晚8点. */
  readonly late: boolean;
}

interface DayWords {
  readonly phrases: readonly string[];
  /** Days from today; `week` counts from Monday of this week instead. */
  readonly day: number;
  readonly week?: true;
  readonly hours: readonly [number, number];
}

const DAYS: readonly DayWords[] = [
  { phrases: ['this morning', '今天早上', '今天上午', '今早', '今晨'], day: 0, hours: [0, 12] },
  { phrases: ['this afternoon', '今天下午'], day: 0, hours: [12, 18] },
  { phrases: ['tomorrow morning', '明天早上', '明天上午', '明早', '明晨'], day: 1, hours: [0, 12] },
  { phrases: ['tomorrow afternoon', '明天下午'], day: 1, hours: [12, 18] },
  {
    phrases: ['tomorrow evening', 'tomorrow night', '明天晚上', '明晚'],
    day: 1,
    hours: [18, 24],
  },
  { phrases: ['tomorrow', '明天', '明日'], day: 1, hours: [0, 24] },
  { phrases: ['this evening', 'tonight', '今天晚上', '今晚'], day: 0, hours: [18, 24] },
  {
    phrases: ['last night', 'overnight', 'during the night', '昨天晚上', '昨晚', '昨夜'],
    day: -1,
    hours: [18, 30],
  },
  { phrases: ['yesterday morning', '昨天早上', '昨天上午'], day: -1, hours: [0, 12] },
  { phrases: ['yesterday afternoon', '昨天下午'], day: -1, hours: [12, 18] },
  { phrases: ['yesterday evening'], day: -1, hours: [18, 24] },
  { phrases: ['the day before yesterday', '前天'], day: -2, hours: [0, 24] },
  {
    phrases: ['this week', '本周', '这周', '这个星期', '本星期'],
    day: 0,
    week: true,
    hours: [0, 168],
  },
  { phrases: ['last week', '上周', '上个星期', '上星期'], day: -7, week: true, hours: [0, 168] },
  { phrases: ['today', '今天', '今日', '当天', '当日'], day: 0, hours: [0, 24] },
  { phrases: ['yesterday', '昨天', '昨日'], day: -1, hours: [0, 24] },
];
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** `today`, `this morning`, `tomorrow`, `last week`, `monday`, 昨晚. */
export function dayAt(atoms: readonly Atom[], at: number, frame: TimeFrame): Read<Day> | undefined {
  for (const words of DAYS) {
    const length = phraseAt(atoms, at, words.phrases);
    if (length > 0) return { value: spanOf(words, frame), length };
  }
  const skip = phraseAt(atoms, at, ['last']);
  const weekday = WEEKDAYS.indexOf(atoms[at + skip]?.key ?? '');
  if (weekday === -1) return undefined;
  const today = wallTime(frame.now, frame.zone).weekday;
  const back = (today - weekday + 7) % 7;
  const day = -(back === 0 && skip > 0 ? 7 : back);
  return { value: spanOf({ phrases: [], day, hours: [0, 24] }, frame), length: skip + 1 };
}

function spanOf({ day, week, hours: [from, to] }: DayWords, { now, zone }: TimeFrame): Day {
  const wall = wallTime(now, zone);
  const shift = week === true ? day - wall.weekday : day;
  const base = { year: wall.year, month: wall.month, day: wall.day + shift };
  return {
    from: instantOf({ ...base, hour: from }, zone),
    to: instantOf({ ...base, hour: to }, zone),
    late: from >= 12,
  };
}
