import type { Concept } from '../lexicon/concept.js';
import { isHan } from '../text/normalise.js';
import type { Segment } from './segment.js';

const IDLE: ReadonlySet<Concept> = new Set<Concept>(['filler', 'now', 'status', 'mood']);

/** The segments that carry something, in order, with questions about their neighbours. */
export class Sentence {
  readonly parts: readonly Segment[];
  /** Is it written in Chinese, apart from the names in it? */
  readonly chinese: boolean;

  constructor(readonly segments: readonly Segment[]) {
    this.parts = segments.filter((one) => !isIdle(one));
    const words = segments.filter(
      (one) => one.mention === undefined && one.kind !== 'quoted' && one.kind !== 'mark',
    );
    this.chinese = words.some((one) => Array.from(one.text).some(isHan));
  }

  at(index: number): Segment | undefined {
    return this.parts[index];
  }

  has(index: number, ...concepts: readonly Concept[]): boolean {
    const part = this.parts[index];
    return part !== undefined && concepts.some((concept) => part.concepts.has(concept));
  }

  any(concept: Concept): boolean {
    return this.parts.some((part) => part.concepts.has(concept));
  }

  indexOf(concept: Concept): number {
    return this.parts.findIndex((part) => part.concepts.has(concept));
  }
}

const SPOKEN_OF: readonly Concept[] = [
  'alert',
  'firing',
  'silenced',
  'silence',
  'target',
  'rule',
  'down',
];

/**
 * Is something of an earlier turn meant? In `what is muted and who muted it` the sentence itself
 * says what `it` is, before the `and`.
 */
export function pointsBack(sentence: Sentence, points: (part: Segment) => boolean): boolean {
  const { parts } = sentence;
  return parts.some((part, index) => {
    if (!points(part)) return false;
    const joint = parts.findLastIndex(
      (_, at) => at > 0 && at < index && sentence.has(at, 'and', 'or'),
    );
    const before = parts.slice(0, Math.max(joint, 0));
    const isTold = before.some(
      (one) => one.mention !== undefined || SPOKEN_OF.some((concept) => one.concepts.has(concept)),
    );
    return !isTold || before.some(points);
  });
}

/** Does it name a kind of label? */
export function isHint(part: Segment | undefined): boolean {
  return part !== undefined && (part.families.length > 0 || part.labels.length > 0);
}

function isIdle(one: Segment): boolean {
  if (one.kind === 'mark' && one.concepts.size === 0) return true;
  if (one.kind !== 'phrase' || one.concepts.size === 0) return false;
  if (one.mention !== undefined || isHint(one) || one.aliases.length > 0) return false;
  return [...one.concepts].every((concept) => IDLE.has(concept));
}
