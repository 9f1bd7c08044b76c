import { type Concept, WEAK } from '../lexicon/concept.js';
import { LEXICON_WORDS, type Meaning } from '../lexicon/lexicon.js';
import type { Atom } from '../text/atoms.js';
import { isSwap, typoDistance } from '../text/edit-distance.js';
import type { Segment } from './segment.js';
import { type Vocabulary, wordsOf } from './vocabulary.js';

/** A repaired typo, both as they read. */
export interface Repair {
  readonly typed: string;
  readonly readAs: string;
}

export interface Repaired {
  readonly atoms: readonly Atom[];
  readonly repairs: readonly Repair[];
}

/** After these stands a name. */
const STRICT_AFTER: readonly Concept[] = ['in', 'not', 'about', 'by'];
/** Typos beyond these are not looked for: the cost of one is a pass over all live values. */
const MOST_REPAIRS = 24;

/**
 * Replaces unknown words that are one typo away from exactly one known word: a word of the lexicon,
 * a live value or a label name. A word that is part of a live value is no typo, and where two words
 * are equally near, nothing is guessed.
 */
export function repair(
  atoms: readonly Atom[],
  segments: readonly Segment[],
  vocabulary: Vocabulary,
): Repaired {
  const repairs: Repair[] = [];
  const result = [...atoms];
  const unknown = segments.filter((one) => one.kind === 'unknown').slice(0, MOST_REPAIRS);
  if (unknown.length === 0) return { atoms, repairs };
  const parts = partsOf(vocabulary);
  // A Latin word in a Chinese sentence is a name, or one of the few words that are said in English.
  const inChinese = atoms.some((atom) => atom.kind === 'han');
  for (const one of unknown) {
    const atom = atoms[one.start];
    if (atom?.kind !== 'word' || atom.key.length < 3 || parts.has(atom.key)) continue;
    const before = segments[segments.indexOf(one) - 1];
    const isName =
      before !== undefined && STRICT_AFTER.some((concept) => before.concepts.has(concept));
    const known = nearest(atom.key, vocabulary, isName || inChinese, parts);
    if (known === undefined) continue;
    repairs.push({ typed: atom.text, readAs: vocabulary.words.get(known) ?? known });
    result[one.start] = { ...atom, text: known, key: known };
  }
  return { atoms: result, repairs };
}

/** Words of which live values consist: not typos, even when they are near to something. */
export function partsOf(vocabulary: Vocabulary): ReadonlySet<string> {
  const parts = new Set<string>();
  for (const { value } of vocabulary.all()) for (const word of wordsOf(value)) parts.add(word);
  return parts;
}

function nearest(
  key: string,
  vocabulary: Vocabulary,
  strict: boolean,
  parts: ReadonlySet<string>,
): string | undefined {
  // Too short to be told from a name, but for a word of ours that lost a letter: `how mny`.
  if (key.length === 3) return strict ? undefined : wordThatLostALetter(key);
  const found = new Map<string, number>();
  const consider = (known: string, penalty: number): void => {
    const distance = typoDistance(key, known);
    if (distance === undefined || distance === 0) return;
    found.set(known, Math.min(found.get(known) ?? Infinity, distance + penalty));
  };
  for (const known of vocabulary.words.keys()) consider(known, strict ? 0 : 0.2);
  for (const label of vocabulary.labelNames) consider(label.toLowerCase(), 0.3);
  for (const [known, meaning] of LEXICON_WORDS) {
    const weak = [...meaning.concepts].every((concept) => WEAK.has(concept));
    const bare = weak && meaning.families.length === 0 && meaning.aliases.length === 0;
    // After `in` stands a value: it must not vanish as some other word of ours.
    const isNoun = meaning.concepts.has('alert') || meaning.families.length > 0;
    if (strict && meaning.aliases.length === 0 && !isNoun) continue;
    if (bare && !isSwap(key, known)) continue;
    // `page` is a severity only where one is called so: then it is among the live words.
    if (isOnlyIfLive(meaning) && !parts.has(known)) continue;
    consider(known, 0);
  }
  const nearestFirst = [...found].sort((a, b) => a[1] - b[1]);
  const [first, second] = nearestFirst;
  if (first === undefined) return undefined;
  return second !== undefined && second[1] === first[1] && !sameStem(first[0], second[0])
    ? undefined
    : first[0];
}

function isOnlyIfLive({ concepts, families, aliases }: Meaning): boolean {
  const isConditional = aliases.every(({ kind }) => kind === 'severity-if-live');
  return concepts.size === 0 && families.length === 0 && isConditional;
}

/** The one word of ours of four letters that lost an inner one. */
function wordThatLostALetter(key: string): string | undefined {
  const found = [...LEXICON_WORDS].filter(
    ([known, meaning]) =>
      known.length === 4 &&
      (known.slice(0, 1) + known.slice(2) === key || known.slice(0, 2) + known.slice(3) === key) &&
      ![...meaning.concepts].every((concept) => WEAK.has(concept)),
  );
  return found.length === 1 ? found[0]?.[0] : undefined;
}

/** `alert` and `alerts` are not two candidates. */
function sameStem(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return long.startsWith(short) && long.length - short.length <= 3;
}
