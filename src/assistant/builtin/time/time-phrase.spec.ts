import { describe, expect, it } from 'vitest';
import { atomise } from '../text/atoms.js';
import { normalise } from '../text/normalise.js';
import { type TimeBounds, timePhraseAt } from './time-phrase.js';
import { instantOf, showInstant, wallTime } from './zoned.js';

const NOW = Date.parse('2026-11-30T09:30:00Z');

function read(text: string, zone = 'UTC'): TimeBounds | undefined {
  const atoms = atomise(normalise(text), { isLabel: () => false, literals: [] });
  const found = timePhraseAt(atoms, 0, { now: NOW, zone });
  return found?.length === atoms.length ? found.value : undefined;
}

/** Of values over a time. */
function readSpan(text: string): TimeBounds | undefined {
  const atoms = atomise(normalise(text), { isLabel: () => false, literals: [] });
  const found = timePhraseAt(atoms, 0, { now: NOW, zone: 'UTC', spans: true });
  return found?.length === atoms.length ? found.value : undefined;
}

function at(iso: string): number {
  return Date.parse(iso);
}

const HOUR = 3_600_000;

describe('timePhraseAt', () => {
  it.each<readonly [string, TimeBounds]>([
    ['in the last hour', { after: NOW - HOUR }],
    ['past 2 hours', { after: NOW - 2 * HOUR }],
    ['within 90 minutes', { after: NOW - 1.5 * HOUR }],
    ['over the last half hour', { after: NOW - HOUR / 2 }],
    ['for the past 1h30m', { after: NOW - 1.5 * HOUR }],
    ['since 09:00', { after: at('2026-11-30T09:00Z') }],
    ['since 10pm', { after: at('2026-11-29T22:00Z') }],
    ['after 8:15', { after: at('2026-11-30T08:15Z') }],
    ['since yesterday', { after: at('2026-11-29T00:00Z') }],
    ['since 2 hours ago', { after: NOW - 2 * HOUR }],
    ['since 2026-11-29 08:00', { after: at('2026-11-29T08:00Z') }],
    ['since 2026-11-29T08:00:00+08:00', { after: at('2026-11-29T00:00Z') }],
    ['since noon yesterday', { after: at('2026-11-29T12:00Z') }],
    ['before 09:00', { before: at('2026-11-30T09:00Z') }],
    ['between 8:00 and 9:00', { after: at('2026-11-30T08:00Z'), before: at('2026-11-30T09:00Z') }],
    ['for more than 2 hours', { before: NOW - 2 * HOUR }],
    ['older than 1 day', { before: NOW - 24 * HOUR }],
    ['less than 10 minutes ago', { after: NOW - HOUR / 6 }],
    ['today', { after: at('2026-11-30T00:00Z') }],
    ['yesterday', { after: at('2026-11-29T00:00Z'), before: at('2026-11-30T00:00Z') }],
    ['tomorrow', { unusable: true, why: 'future' }],
    ['since tomorrow', { unusable: true, why: 'future' }],
    ['between tomorrow 8am and tomorrow 9am', { unusable: true, why: 'future' }],
    ['until tomorrow 9am', { before: at('2026-12-01T09:00Z') }],
    ['until 9am tomorrow', { before: at('2026-12-01T09:00Z') }],
    ['到明早九点', { before: at('2026-12-01T09:00Z') }],
    ['直到明晚8点', { before: at('2026-12-01T20:00Z') }],
    ['明天上午', { unusable: true, why: 'future' }],
    ['2 hours ago', { unusable: true, why: 'vague' }],
    ['最近一小时', { after: NOW - HOUR }],
    ['最近半个小时内', { after: NOW - HOUR / 2 }],
    ['过去两个小时', { after: NOW - 2 * HOUR }],
    ['近三天', { after: NOW - 72 * HOUR }],
    ['十分钟内', { after: NOW - HOUR / 6 }],
    ['今天', { after: at('2026-11-30T00:00Z') }],
    ['昨天', { after: at('2026-11-29T00:00Z'), before: at('2026-11-30T00:00Z') }],
    ['从9点开始', { after: at('2026-11-30T09:00Z') }],
    ['早上8点半以后', { after: at('2026-11-30T08:30Z') }],
    ['昨晚8点之后', { after: at('2026-11-29T20:00Z') }],
    ['昨天下午3点以来', { after: at('2026-11-29T15:00Z') }],
    ['8点20分之前', { before: at('2026-11-30T08:20Z') }],
    ['8点到9点之间', { after: at('2026-11-30T08:00Z'), before: at('2026-11-30T09:00Z') }],
    ['持续超过一个半小时', { before: NOW - 1.5 * HOUR }],
    ['3小时以上', { before: NOW - 3 * HOUR }],
    ['不到10分钟', { after: NOW - HOUR / 6 }],
  ])('should read: %s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each(['last 5 alerts', '前3条', 'for prod', 'since when', 'from prod', '9点', 'up to'])(
    'should not take for a time: %s',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );

  it.each<[string, TimeBounds]>([
    ['from yesterday', { after: at('2026-11-29T00:00Z') }],
    ['从昨天', { after: at('2026-11-29T00:00Z') }],
    ['from 2030-01-01', { unusable: true, why: 'future' }],
    ['from 2030', { unusable: true, why: 'future' }],
    ['从2030年开始', { unusable: true, why: 'future' }],
    ['from 2025', { after: at('2025-01-01T00:00Z') }],
    [
      'from 08:00 to 07:00',
      { after: at('2026-11-29T08:00Z'), before: at('2026-11-30T07:00Z'), crosses: true },
    ],
    [
      '22:00 to 02:00',
      { after: at('2026-11-29T22:00Z'), before: at('2026-11-30T02:00Z'), crosses: true },
    ],
    [
      'between 20:00 and 21:00',
      { after: at('2026-11-29T20:00Z'), before: at('2026-11-29T21:00Z') },
    ],
    [
      '8点到7点',
      { after: at('2026-11-29T08:00Z'), before: at('2026-11-30T07:00Z'), crosses: true },
    ],
    ['from 2026-11-29 to 2026-11-28', { unusable: true, why: 'reversed' }],
    ['over the last 3 years', { after: NOW - 3 * 365 * 24 * HOUR }],
    ['最近3年', { after: NOW - 3 * 365 * 24 * HOUR }],
  ])('should read of values: %s', (text, expected) => {
    expect(readSpan(text)).toEqual(expected);
  });

  it('should read clock times in the zone of the user', () => {
    expect(read('since 17:00', 'Asia/Shanghai')).toEqual({ after: at('2026-11-30T09:00Z') });
    expect(read('since 17:00 UTC', 'Asia/Shanghai')).toEqual({ after: at('2026-11-29T17:00Z') });
    expect(read('today', 'America/New_York')).toEqual({ after: at('2026-11-30T05:00Z') });
  });
});

describe('zoned times', () => {
  it('should go to the wall clock and back, also over a change of summer time', () => {
    for (const zone of [
      'UTC',
      'Asia/Shanghai',
      'America/New_York',
      'Europe/Berlin',
      'Asia/Kolkata',
    ]) {
      for (let time = at('2026-10-20T00:30Z'); time < at('2026-11-05T00:00Z'); time += 7 * HOUR) {
        const wall = wallTime(time, zone);
        const back = instantOf(wall, zone);
        // An hour that comes twice has two instants.
        expect(Math.abs(back - time) % HOUR).toBe(0);
        expect(wallTime(back, zone)).toEqual(wall);
      }
    }
  });

  it('should show the offset that holds at that time', () => {
    expect(showInstant(at('2026-07-01T00:00:05Z'), 'Europe/Berlin')).toBe(
      '2026-07-01 02:00:05 +02:00',
    );
    expect(showInstant(at('2026-12-01T00:00:05Z'), 'Europe/Berlin')).toBe(
      '2026-12-01 01:00:05 +01:00',
    );
    expect(showInstant(at('2026-12-01T00:00:05Z'), 'UTC')).toBe('2026-12-01 00:00:05 UTC');
  });
});
