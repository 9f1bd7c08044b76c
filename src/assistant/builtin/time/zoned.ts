export interface WallTime {
  readonly year: number;
  /** 1–12 */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Monday. */
  readonly weekday: number;
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Is it a name that Intl knows? */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What a clock on the wall of that zone shows. */
export function wallTime(at: number, zone: string): WallTime {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
  return { year, month, day, hour, minute, second, weekday };
}

/**
 * The instant at which that wall clock shows the given time; fields may overflow (day 0 is the last
 * of the month before). A time that a DST change skips or repeats gives one near it.
 */
export function instantOf(
  wall: Pick<WallTime, 'year' | 'month' | 'day'> & Partial<WallTime>,
  zone: string,
): number {
  const { year, month, day, hour = 0, minute = 0, second = 0 } = wall;
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
  let guess = asUtc;
  // The second round corrects a guess that lies beyond a DST change.
  for (let round = 0; round < 2; round += 1) guess = asUtc - offsetOf(guess, zone);
  return guess;
}

/** `2026-11-30 09:12:03 +08:00` or `… UTC`. */
export function showInstant(at: number, zone: string): string {
  const { year, month, day, hour, minute, second } = wallTime(at, zone);
  const date = [String(year), two(month), two(day)].join('-');
  const clock = [hour, minute, second].map(two).join(':');
  const offset = Math.round(offsetOf(at, zone) / 60_000);
  if (zone === 'UTC') return `${date} ${clock} UTC`;
  const absolute = Math.abs(offset);
  const sign = offset < 0 ? '-' : '+';
  return `${date} ${clock} ${sign}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`;
}

function offsetOf(at: number, zone: string): number {
  const { year, month, day, hour, minute, second } = wallTime(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = FORMATS.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    // Zone names come from requests: the cache must not grow with them.
    if (FORMATS.size >= 100) FORMATS.clear();
    FORMATS.set(zone, format);
  }
  return format;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
