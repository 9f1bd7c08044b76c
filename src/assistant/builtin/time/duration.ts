import { hanNumber, numberOf } from '../text/numerals.js';
import type { Atom } from '../text/atoms.js';

/** Something read from `length` atoms on. */
export interface Read<T> {
  readonly value: T;
  readonly length: number;
}

const UNITS = new Map<string, number>();
const UNIT_WORDS: readonly (readonly [string, number])[] = [
  ['s sec secs second seconds 秒 秒钟', 1000],
  ['m min mins minute minutes 分 分钟', 60_000],
  ['h hr hrs hour hours 小时 钟头 个小时 个钟头', 3_600_000],
  ['d day days 天 日', 86_400_000],
  ['w week weeks 周 星期 个星期 礼拜 个礼拜', 7 * 86_400_000],
  ['month months 月 个月', 30 * 86_400_000],
  ['y yr yrs year years 年', 365 * 86_400_000],
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
  const parts = partsOf(phrase);
  return parts.every((part, index) => atoms[at + index]?.key === part) ? parts.length : 0;
}

/** Filled by the phrases of this folder only, which are constants. */
const PARTS = new Map<string, readonly string[]>();

function partsOf(phrase: string): readonly string[] {
  let parts = PARTS.get(phrase);
  if (parts === undefined) {
    parts = /[a-z]/.test(phrase) ? phrase.split(' ') : Array.from(phrase);
    PARTS.set(phrase, parts);
  }
  return parts;
}

/** `2h`, `two hours`, `half an hour`, `the hour` (with `bare`), `三个小时`, `半小时` → milliseconds. */
export function durationAt(
  atoms: readonly Atom[],
  at: number,
  bare: boolean,
): Read<number> | undefined {
  const key = atoms[at]?.key ?? '';
  const compact =
    /^(?:\d+(?:\.\d+)?(?:s|secs?|m|mins?|h|hrs?|d|w|y|hours?|minutes?|days?|years?))+$/.test(key);
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
  // `the second one` is a place in a list.
  return bare && key !== 'second' ? withUnit(atoms, at, 1, 0) : undefined;
}

/**
 * How long something is to last: `durationAt`, and what is added to it: `an hour and a half`,
 * `1 hour and 30 minutes`, `一小时半`, `一小时三十分钟`.
 */
export function spanAt(
  atoms: readonly Atom[],
  at: number,
  bare: boolean,
): Read<number> | undefined {
  const mixed = mixedAt(atoms, at);
  const first = mixed ?? durationAt(atoms, at, bare);
  if (first === undefined) return undefined;
  let { value, length } = first;
  const unit = unitBefore(atoms, at + length);
  const half = phraseAt(atoms, at + length, ['and a half', '半']);
  if (half > 0 && unit !== undefined) return { value: value + unit / 2, length: length + half };
  const and = phraseAt(atoms, at + length, ['and', '零', '又']);
  const more = durationAt(atoms, at + length + and, false);
  if (more !== undefined && unit !== undefined && more.value < unit) {
    value += more.value;
    length += and + more.length;
  }
  return { value, length };
}

/** `two and a half hours`. */
function mixedAt(atoms: readonly Atom[], at: number): Read<number> | undefined {
  const amount = amountAt(atoms, at);
  const half = amount === undefined ? 0 : phraseAt(atoms, at + amount.length, ['and a half']);
  if (amount === undefined || half === 0) return undefined;
  return withUnit(atoms, at + amount.length + half, amount.value + 0.5, amount.length + half);
}

/** The unit that ends right before `at`, in milliseconds. */
function unitBefore(atoms: readonly Atom[], at: number): number | undefined {
  const word = atoms[at - 1];
  if (word?.kind === 'word') {
    return UNITS.get(word.key) ?? UNITS.get(/[a-z]+$/.exec(word.key)?.[0] ?? '');
  }
  for (let length = 3; length >= 1; length -= 1) {
    const ms = UNITS.get(hanRun(atoms, at - length, length));
    if (ms !== undefined) return ms;
  }
  return undefined;
}

function withUnit(
  atoms: readonly Atom[],
  at: number,
  amount: number,
  before: number,
): Read<number> | undefined {
  const word = atoms[at];
  // 2026年 is a year, not so many of them.
  if (amount >= 1900 && word?.key === '年') return undefined;
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

/** A number in digits or words. */
export function amountAt(atoms: readonly Atom[], at: number): Read<number> | undefined {
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
