import { keyOf } from '../text/normalise.js';
import { type Atom, atomise } from '../text/atoms.js';
import { CHINESE, CHINESE_ALIASES, CHINESE_SEVERITIES, CHINESE_TYPOS } from './chinese.js';
import type { Concept, LabelFamily, ValueAlias } from './concept.js';
import { ENGLISH, ENGLISH_ALIASES, ENGLISH_SEVERITIES } from './english.js';
import { LABEL_FAMILIES } from './label-families.js';
import { PhraseTrie } from './phrase-trie.js';

/** Everything a phrase may mean before a sentence decides. */
export interface Meaning {
  readonly concepts: Set<Concept>;
  readonly families: LabelFamily[];
  readonly aliases: ValueAlias[];
}

export const LEXICON = new PhraseTrie<Meaning>();
/** Single words of the lexicon, for repairing typos. */
export const LEXICON_WORDS = new Map<string, Meaning>();
/** Typed → meant, both as keys. */
export const HAN_TYPOS: readonly (readonly [string, string])[] = Object.entries(CHINESE_TYPOS);

function meaningOf(phrase: string): Meaning {
  const atoms = phraseAtoms(phrase);
  const known = LEXICON.get(atoms);
  if (known !== undefined) return known;
  const meaning: Meaning = { concepts: new Set(), families: [], aliases: [] };
  LEXICON.set(atoms, meaning);
  if (atoms.length === 1 && /^[a-z]{4,}$/.test(atoms[0] ?? '')) {
    LEXICON_WORDS.set(atoms[0] ?? '', meaning);
  }
  return meaning;
}

const PLAIN_NAME = /^(?!non-)(?=.*\d)[a-z0-9_]+(?:[.:_-][a-z0-9_]+)*$/i;

/** The keys under which a phrase is found in a sentence. */
export function phraseAtoms(phrase: string): readonly string[] {
  // Thousands of label values are plain names, of one atom each.
  if (PLAIN_NAME.test(phrase)) return [phrase.toLowerCase()];
  const atoms: readonly Atom[] = atomise(phrase, { isLabel: () => false, literals: [] });
  return atoms.map((atom) => keyOf(atom.text));
}

for (const table of [ENGLISH, CHINESE]) {
  for (const [concept, phrases] of Object.entries(table)) {
    for (const phrase of phrases.split('|')) meaningOf(phrase).concepts.add(concept as Concept);
  }
}
for (const family of LABEL_FAMILIES) {
  for (const phrase of family.words.split('|')) meaningOf(phrase).families.push(family);
}
for (const alias of [
  ...ENGLISH_SEVERITIES,
  ...CHINESE_SEVERITIES,
  ...ENGLISH_ALIASES,
  ...CHINESE_ALIASES,
]) {
  for (const phrase of alias.words.split('|')) meaningOf(phrase).aliases.push(alias);
}
