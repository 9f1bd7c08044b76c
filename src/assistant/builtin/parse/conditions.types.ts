import type { Clause } from '../../tools/label-matcher.js';
import type { Segment } from './segment.js';

/** Something about the reading that the user should see. */
export type Note =
  | { readonly kind: 'read'; readonly typed: string; readonly readAs: string }
  /** A word was found as a part of live values only. */
  | { readonly kind: 'part'; readonly typed: string; readonly found: string }
  /** No live label is of the kind that was named; another one has the value. */
  | { readonly kind: 'other-label'; readonly typed: string; readonly found: string }
  /** An exclusion of something that nothing has. */
  | { readonly kind: 'nothing-excluded'; readonly typed: string }
  /** One of several alternatives exists nowhere. */
  | { readonly kind: 'no-such-alternative'; readonly typed: string }
  /** A live value that is also a word of ours, and was read as that. */
  | { readonly kind: 'word'; readonly typed: string; readonly found: string };

/** A condition that nothing live fulfils. */
export interface Unmatched {
  /** `team=foo` or just `foo`. */
  readonly text: string;
  /** Live values of the same label, or conditions that the user may have meant; for the answer. */
  readonly near: readonly string[];
}

export interface Conditions {
  readonly where: readonly Clause[];
  readonly unmatched: readonly Unmatched[];
  /** Words that look like conditions, but could not be read as one. */
  readonly ignored: readonly string[];
  /** Words that may turn the meaning: without them no answer would be surely right. */
  readonly unsure: readonly string[];
  readonly notes: readonly Note[];
  /** Label hints that no value has claimed: what a `by` may group by. */
  readonly freeHints: ReadonlySet<Segment>;
  /** Segments that were read as values. */
  readonly used: ReadonlySet<Segment>;
  /** Those of them that are excluded, and the labels that must be absent. */
  readonly excluded: ReadonlySet<Segment>;
  /** How many conditions were told beyond doubt: live ones, and those with a label. */
  readonly sure: number;
  /** Conditions on the same label that cannot be combined into one list. */
  readonly contradictory: boolean;
}
