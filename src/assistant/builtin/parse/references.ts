import type { AlertOrder } from '../../tools/alert-selection.js';
import type { Segment } from './segment.js';
import type { Sentence } from './sentence.js';

/** Which of the alerts, how many, in which order. */
export interface References {
  /** Places in a list, 1 is the first, -1 the last. */
  readonly positions: readonly number[];
  readonly limit?: number;
  readonly order?: AlertOrder;
  /** Numbers that nothing explains. */
  readonly unexplained: readonly string[];
}

export function readReferences(sentence: Sentence, used: ReadonlySet<Segment>): References {
  const positions: number[] = [];
  const unexplained: string[] = [];
  let limit: number | undefined;
  let order: AlertOrder | undefined;
  if (sentence.any('newest')) order = 'newest';
  if (sentence.any('oldest')) order = 'oldest';
  if (sentence.any('worst')) order = 'severity';
  if (sentence.any('sort')) order ??= sortOf(sentence);
  sentence.parts.forEach((part, index) => {
    // `the second one` counts nothing.
    if (used.has(part) || part.concepts.has('one')) return;
    const next = sentence.at(index + 1);
    const nextIsNumber = next?.number !== undefined && !next.concepts.has('one');
    if (part.ordinal !== undefined) {
      if (nextIsNumber) return;
      const isStart = sentence.has(index + 1, 'alert') && sentence.has(index + 2, 'firing');
      if (part.ordinal === 1 && (isStart || sentence.has(index - 1, 'firing'))) {
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
      } else if (next === undefined || sentence.has(index + 1, 'one', 'and')) positions.push(-1);
    }
  });
  return {
    positions,
    unexplained,
    ...(limit === undefined ? {} : { limit }),
    ...(order === undefined ? {} : { order }),
  };
}

/** `the first one`, `第一条`, `#2`; not `first show me …`. */
function isPlace(sentence: Sentence, index: number): boolean {
  const part = sentence.at(index);
  if (part === undefined || /[#\d第]/.test(part.text)) return true;
  const next = sentence.at(index + 1);
  return (
    next === undefined || sentence.has(index + 1, 'one', 'alert', 'and', 'of', 'them', 'detail')
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
  return next !== undefined && next.aliases.some(({ kind }) => kind !== 'any');
}
