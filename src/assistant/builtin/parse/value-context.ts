import type { Concept } from '../lexicon/concept.js';
import { type Standing, standingOf } from './name-place.js';
import type { ValueResolver } from './resolve-value.js';
import type { Segment } from './segment.js';
import { isHint, type Sentence } from './sentence.js';

/** A part of the sentence that stands for a value, with its place. */
export interface Value {
  readonly part: Segment;
  readonly index: number;
}

/** A word that names the label of values beside it. */
export interface Hint {
  readonly part: Segment;
  /** `team is not payments`. */
  readonly notBetween: boolean;
}

/** What may stand between a label and its value. */
const BETWEEN: readonly Concept[] = ['is', 'label', 'not', 'at-least', 'above', 'below'];
/** What can be said of something that is named before it. */
const PREDICATES: readonly Concept[] = ['firing', 'silenced', 'down', 'up', 'ok', 'resolved'];

/** What the words around a value say about it. */
export class ValueContext {
  constructor(
    private readonly sentence: Sentence,
    private readonly resolver: ValueResolver,
    /** Is the hint taken already? */
    private readonly isTaken: (hint: Segment) => boolean,
  ) {}

  /** After `in`, before the alerts, or what is asked to be firing: where names of things stand. */
  isPlace(index: number): boolean {
    return (
      this.sentence.has(index - 1, 'in', 'not', 'about') ||
      this.sentence.at(index - 1)?.key === 'of' ||
      this.isSubject(index)
    );
  }

  /** `web alerts`, `is web down`. */
  isSubject(index: number): boolean {
    const { sentence } = this;
    if (sentence.has(index + 1, 'alert')) return true;
    // 数据库的告警
    if (sentence.at(index + 1)?.key === '的' && sentence.has(index + 2, 'alert')) return true;
    const begins = sentence.has(index - 1, 'is', 'check') || index === 0;
    return begins && sentence.has(index + 1, ...PREDICATES);
  }

  /** The label that a list of values belongs to: the word before it, or the one after it. */
  hintOf(list: readonly Value[]): Hint | undefined {
    const first = list[0] as Value;
    let left = first.index - 1;
    let notBetween = false;
    while (this.sentence.has(left, ...BETWEEN) && !isHint(this.sentence.at(left))) {
      notBetween ||= this.sentence.has(left, 'not');
      left -= 1;
    }
    const before = this.sentence.at(left);
    const after = this.sentence.at((list.at(-1) as Value).index + 1);
    const isFree = (hint: Segment | undefined): hint is Segment =>
      hint !== undefined && isHint(hint) && !this.isTaken(hint);
    // `pods crash looping`: the plural names no single pod.
    const isPlural =
      before !== undefined &&
      /[^s]s$/.test(before.key) &&
      list.every(({ part }) => part.kind === 'unknown' || part.kind === 'number');
    const beforeFits =
      !isPlural && isFree(before) && (left === first.index - 1 || !this.isGrouping(left));
    if (beforeFits && isFree(after) && this.fits(list, after) && !this.fits(list, before)) {
      return { part: after, notBetween: false };
    }
    if (beforeFits && !this.isGrouping(left)) return { part: before, notBetween };
    // `HighErrorRate severity` asks for the severity of an alert.
    const isName = list.every(({ part }) =>
      part.mention?.values.every(({ label }) => label === 'alertname'),
    );
    if (!isFree(after) || (isName && !this.fits(list, after))) return undefined;
    return { part: after, notBetween: false };
  }

  /** Is one of the values a live one of that kind of label? */
  fits(list: readonly Value[], hint: Segment): boolean {
    const labels = this.resolver.labelsOf(hint);
    return list.some(({ part }) => this.resolver.known(part, labels) !== undefined);
  }

  /** `by team`, `which team`: the label is asked for, not told. */
  private isGrouping(index: number): boolean {
    return this.sentence.has(index - 1, 'by', 'which');
  }

  isNegated(first: Value, last: Value, hint: Hint | undefined): boolean {
    if (hint?.notBetween === true || this.sentence.has(last.index + 1, 'not-after')) return true;
    const after = hint !== undefined && this.sentence.has(last.index + 2, 'not-after');
    if (after) return true;
    let before = first.index - 1;
    if (hint !== undefined && this.sentence.at(before) === hint.part) before -= 1;
    while (
      this.sentence.has(before, 'in', 'label', 'is', 'all') &&
      !this.sentence.has(before, 'not')
    ) {
      if (this.sentence.has(before - 1, 'not', 'without')) before -= 1;
      else break;
    }
    if (this.sentence.has(before, 'not')) return true;
    // `all alerts but the info ones`
    if (this.sentence.at(before)?.key === 'but' && this.sentence.any('all')) return true;
    // `no info please, just what is firing`
    const isFirst = before === 0 && this.sentence.has(last.index + 1, 'and');
    if (isFirst && this.sentence.at(0)?.key === 'no') return true;
    // `alerts, no warnings`; but `no warnings?` asks for them.
    const isList = this.sentence.at(before)?.key === 'no' && this.sentence.has(before - 1, 'and');
    return isList || isStrictWithout(this.sentence.at(before));
  }

  /** Joined to the condition before by `or`. */
  isLinked(start: number): boolean {
    let before = start - 1;
    while (this.sentence.has(before, 'is', 'in', 'check') && !this.sentence.has(before, 'or')) {
      before -= 1;
    }
    return this.sentence.has(before, 'or');
  }

  /** What a word is that nothing live is called by. */
  standing(index: number): Standing {
    return standingOf(this.sentence, index, this.isSubject(index));
  }
}

/** `without` excludes a value; `no` and 没有 before a value only ask for it. */
export function isStrictWithout(part: Segment | undefined): boolean {
  return (
    part !== undefined &&
    /^(?:without|不带|lack|not hav|(?:do|does) not (?:have|carry)|没带|不具备|不含有)/.test(
      part.key,
    )
  );
}
