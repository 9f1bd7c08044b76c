/** What a word can mean. A word may have several meanings; the sentence decides. */
export type Concept =
  // what the question is about
  | 'alert'
  | 'silence'
  | 'target'
  | 'rule'
  | 'source'
  | 'metric'
  // states
  | 'firing'
  | 'pending'
  | 'resolved'
  | 'history'
  | 'silenced'
  | 'down'
  | 'up'
  | 'ok'
  | 'expired'
  | 'recording'
  | 'broken'
  // what is wanted
  | 'list'
  | 'count'
  | 'detail'
  | 'since-when'
  | 'query'
  | 'value'
  | 'check'
  | 'which'
  | 'help'
  | 'greet'
  | 'thanks'
  | 'write'
  | 'how'
  // grouping and order
  | 'by'
  | 'most'
  | 'least'
  | 'newest'
  | 'oldest'
  | 'worst'
  | 'sort'
  | 'top'
  | 'last'
  // conditions
  | 'not'
  | 'not-after'
  | 'without'
  | 'or'
  | 'and'
  | 'is'
  | 'in'
  | 'about'
  | 'of'
  | 'label'
  | 'only'
  // comparisons of severities
  | 'at-least'
  | 'at-most'
  | 'above'
  | 'below'
  | 'all'
  // references to what was said
  | 'them'
  | 'it'
  | 'one'
  | 'more'
  | 'follow'
  // what is known, and that no source can tell it
  | 'beyond'
  // says how bad or odd, but no source knows what is so
  | 'mood'
  // nothing to act on
  | 'now'
  | 'status'
  | 'filler';

/** Words by concept, separated by `|`; English phrases by blanks, Chinese without. */
export type ConceptTable = Readonly<Partial<Record<Concept, string>>>;

/** Words for a kind of label, with the label names that carry it, the likeliest first. */
export interface LabelFamily {
  readonly words: string;
  readonly labels: readonly string[];
  /** Labels that may carry it where none of `labels` exists: another one may be meant then. */
  readonly loose?: readonly string[];
}

/** Words for a label's value, with the values they may stand for, the likeliest first. */
export interface ValueAlias {
  readonly words: string;
  /**
   * `severity-if-live`: a common word that is a severity only where one of the values exists.
   * `any`: a value of whatever label has it.
   */
  readonly kind: 'severity' | 'severity-if-live' | 'any';
  readonly values: readonly string[];
}

/**
 * Concepts that a reader loses nothing by if they are overlooked. A typo is never repaired into one
 * of these unless two letters were swapped: a condition must not vanish as a filler.
 */
export const WEAK: ReadonlySet<Concept> = new Set<Concept>([
  'now',
  'status',
  'filler',
  'mood',
  'in',
  'of',
  'is',
  'and',
  'all',
  'one',
  'thanks',
  'greet',
  'how',
]);
