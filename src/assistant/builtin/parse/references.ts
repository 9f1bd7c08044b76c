import type { AlertOrder } from '../../tools/alert-selection.js';
import type { Segment } from './segment.js';
import { isHint, type Sentence } from './sentence.js';

export interface Threshold {
  readonly op: 'above' | 'below' | 'at-least' | 'at-most';
  readonly count: number;
  /** The word that compares. */
  readonly part: Segment;
}

/** Which of the alerts, how many, in which order. */
export interface References {
  /** Places in a list, 1 is the first, -1 the last. */
  readonly positions: readonly number[];
  readonly limit?: number;
  /** `more than 5 alerts`: how many there must be. */
  readonly threshold?: Threshold;
  readonly order?: AlertOrder;
  /** Numbers that nothing explains. */
  readonly unexplained: readonly string[];
}

export function readReferences(sentence: Sentence, used: ReadonlySet<Segment>): References {
  const positions: number[] = [];
  const unexplained: string[] = [];
  const threshold = thresholdOf(sentence, used);
  let limit: number | undefined;
  let order: AlertOrder | undefined;
  if (sentence.any('newest')) order = 'newest';
  if (sentence.any('oldest')) order = 'oldest';
  if (sentence.any('worst')) order = 'severity';
  if (sentence.any('sort')) order ??= sortOf(sentence);
  sentence.parts.forEach((part, index) => {
    // `the second one` counts nothing.
    if (used.has(part) || part.concepts.has('one') || part === threshold?.number) return;
    const next = sentence.at(index + 1);
    const nextIsNumber = next?.number !== undefined && !next.concepts.has('one');
    if (part.ordinal !== undefined) {
      if (nextIsNumber) return;
      const isStart = sentence.has(index + 1, 'alert') && sentence.has(index + 2, 'firing');
      const isFirst = isStart || sentence.has(index - 1, 'firing') || beganFirst(sentence, part);
      if (part.ordinal === 1 && isFirst) {
        // `which alert fired first`
        order = 'oldest';
        limit = 1;
      } else if (isPlace(sentence, index)) positions.push(part.ordinal);
    } else if (part.number !== undefined && isSpoken(sentence, index)) {
      positions.push(part.number);
    } else if (part.number !== undefined) {
      if (isAmount(sentence, index)) {
        limit = Math.max(1, part.number);
        if (sentence.has(index - 1, 'last')) order = 'newest';
      } else if (
        sentence.has(index - 1, 'one', 'without', 'detail', 'and') ||
        sentence.parts.length === 1
      ) {
        positions.push(part.number);
      } else unexplained.push(part.text);
    } else if (part.concepts.has('last') && !nextIsNumber) {
      if (sentence.has(index + 1, 'firing', 'alert')) {
        order = 'newest';
        limit = 1;
      } else if (next === undefined || sentence.has(index + 1, 'one', 'and', 'detail')) {
        positions.push(-1);
      }
    }
  });
  if (order !== undefined && positions.length === 0 && isOne(sentence)) limit ??= 1;
  return {
    positions,
    unexplained,
    ...(threshold === undefined
      ? {}
      : { threshold: { op: threshold.op, count: threshold.count, part: threshold.part } }),
    ...(limit === undefined ? {} : { limit }),
    ...(order === undefined ? {} : { order }),
  };
}

const COMPARISONS = ['above', 'below', 'at-least', 'at-most'] as const;

/** `more than 5 alerts`, `at least 2`, 超过5条, 5条以上. */
function thresholdOf(
  sentence: Sentence,
  used: ReadonlySet<Segment>,
): (Threshold & { readonly number: Segment }) | undefined {
  for (const [index, number] of sentence.parts.entries()) {
    if (number.number === undefined || used.has(number)) continue;
    const isCounted =
      sentence.has(index + 1, 'alert', 'firing', 'one') ||
      sentence.at(index + 1) === undefined ||
      (sentence.at(index + 1)?.aliases.length ?? 0) > 0;
    const isAfter = sentence.has(index + 1, 'one') && sentence.has(index + 2, ...COMPARISONS);
    const part = sentence.at(isAfter ? index + 2 : index - 1);
    const op =
      part?.key === 'over' ? 'above' : COMPARISONS.find((concept) => part?.concepts.has(concept));
    if (isCounted && part !== undefined && op !== undefined && !used.has(part)) {
      return { op, count: number.number, part, number };
    }
  }
  return undefined;
}

/** `what broke first`, `which alert started it all`. */
const STARTED = /^(?:started|began|triggered|kicked|set) it|^(?:broke|came|went) first$/;

/** `the newest alert`, `which alert fires the longest`, 最新的一条: one is asked for. */
function isOne(sentence: Sentence): boolean {
  const superlative = (part: Segment): boolean =>
    (part.concepts.has('newest') || part.concepts.has('oldest') || part.concepts.has('worst')) &&
    (STARTED.test(part.key) ||
      (/est\b|^most|^worst|^last|^came last|最/.test(part.key) && !/first|在前/.test(part.key)));
  const isSingular = (part: Segment | undefined): boolean =>
    /^(?:alert|alarm|problem|issue|incident|event|one)$/.test(part?.key ?? '');
  const { parts, segments } = sentence;
  const index = parts.findIndex(superlative);
  if (index === -1) return false;
  const isAsked =
    (sentence.has(0, 'which') && isSingular(sentence.at(1))) ||
    (sentence.has(index - 1, 'which') && STARTED.test(parts[index]?.key ?? ''));
  const inChinese = segments.some(({ key }) =>
    /^(?:一条|一个|哪条|哪个|哪一条|哪一个|是哪个|是哪条)$/.test(key),
  );
  return isSingular(sentence.at(index + 1)) || isAsked || inChinese;
}

/** `which alert started first?`, `what was the first alert?`, 第一个触发的告警. */
function beganFirst(sentence: Sentence, part: Segment): boolean {
  const { parts, segments } = sentence;
  const index = parts.indexOf(part);
  const before = segments.slice(0, segments.indexOf(part)).map(({ key }) => key);
  const began = /^(?:start|started|starts|began|begin|begins|begun|happened|happens|happen)$/;
  if (began.test(before.findLast((key) => key !== 'the') ?? '')) return true;
  const isAlert = sentence.has(index + 1, 'alert') && index + 2 === parts.length;
  if (isAlert && sentence.has(0, 'which') && before.includes('was')) return true;
  const next = sentence.has(index + 1, 'one') ? index + 2 : index + 1;
  return part.text.startsWith('第') && sentence.has(next, 'firing');
}

/** `the first one`, `第一条`, `#2`; not `first show me …`. */
function isPlace(sentence: Sentence, index: number): boolean {
  const part = sentence.at(index);
  if (part === undefined || /[#\d第]/.test(part.text)) return true;
  const next = sentence.at(index + 1);
  // `silence the first for 30 minutes`
  const isOrder = sentence.has(0, 'silence', 'write') && next?.time !== undefined;
  return (
    next === undefined ||
    isOrder ||
    sentence.has(index + 1, 'one', 'alert', 'and', 'follow', 'of', 'them', 'detail')
  );
}

/** `sorted by start time`, 按级别排序. */
function sortOf(sentence: Sentence): AlertOrder {
  const text = sentence.segments.map((one) => one.key).join(' ');
  if (/time|date|start|age|时间|先后/.test(text)) return 'newest';
  return /name|名/.test(text) ? 'name' : 'severity';
}

/** `alert 2`, `number 3` : the place of one, not how many. */
function isSpoken(sentence: Sentence, index: number): boolean {
  return (
    sentence.has(index - 1, 'alert') && !sentence.has(index + 1, 'alert') && sentence.any('detail')
  );
}

/** `top 5`, `first 3`, `5 alerts`, `前三条`: a number of things, not the name of one. */
function isAmount(sentence: Sentence, index: number): boolean {
  const before = sentence.at(index - 1);
  if (before?.ordinal !== undefined || sentence.has(index - 1, 'top', 'last', 'newest', 'oldest')) {
    return true;
  }
  if (sentence.has(index - 1, 'one')) return false;
  if (sentence.has(index + 1, 'alert', 'newest', 'oldest', 'firing', 'one', 'more', 'most')) {
    return true;
  }
  const next = sentence.at(index + 1);
  // `which 2 teams have the most alerts`
  const isRanked = sentence.any('most') || sentence.any('least') || sentence.any('top');
  if (isRanked && isHint(next)) return true;
  return next !== undefined && next.aliases.some(({ kind }) => kind !== 'any');
}
