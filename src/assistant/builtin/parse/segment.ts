import { HAN_TYPOS, LEXICON, type Meaning, phraseAtoms } from '../lexicon/lexicon.js';
import type { Concept, LabelFamily, ValueAlias } from '../lexicon/concept.js';
import { LONGEST_NEAR, nearHan } from '../lexicon/near-han.js';
import { PhraseTrie } from '../lexicon/phrase-trie.js';
import type { Atom } from '../text/atoms.js';
import { hanNumber, numberOf, ordinalOf } from '../text/numerals.js';
import type { TimeFrame } from '../time/day.js';
import { hanRun } from '../time/duration.js';
import { type TimeBounds, timePhraseAt } from '../time/time-phrase.js';
import type { ValueMention, Vocabulary } from './vocabulary.js';

/** A stretch of the question with everything it may mean. */
export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly key: string;
  readonly kind: 'matcher' | 'time' | 'quoted' | 'phrase' | 'number' | 'mark' | 'unknown';
  readonly concepts: ReadonlySet<Concept>;
  readonly families: readonly LabelFamily[];
  readonly aliases: readonly ValueAlias[];
  readonly mention?: ValueMention;
  /** Live labels of that name. */
  readonly labels: readonly string[];
  readonly matcher?: Exclude<Atom['matcher'], undefined>;
  readonly time?: TimeBounds;
  readonly number?: number;
  /** 1 is the first, -1 the last. */
  readonly ordinal?: number;
  /** What was read instead of what was typed. */
  readonly readAs?: string;
}

type Reading = Partial<Omit<Segment, 'start' | 'end' | 'text' | 'key'>> & { readonly cost: number };

const TYPOS = new PhraseTrie<string>();
for (const [typed, meant] of HAN_TYPOS) TYPOS.set(phraseAtoms(typed), meant);

const UNKNOWN_WORD = 4;
const UNKNOWN_HAN = 3;
/** More than two known words, less than an unknown character. */
const NEAR_WORD = 2.4;

/**
 * Cuts the atoms into segments: of all ways to cut, the one that leaves the fewest atoms unknown and
 * needs the fewest segments. The same for English and Chinese, so they mix freely.
 */
export function segment(
  atoms: readonly Atom[],
  vocabulary: Vocabulary,
  frame: TimeFrame,
): readonly Segment[] {
  const keys = atoms.map((atom) => atom.key);
  const best: { cost: number; segment?: Segment }[] = atoms.map(() => ({ cost: Infinity }));
  best.push({ cost: 0 });
  for (let at = atoms.length - 1; at >= 0; at -= 1) {
    for (const [length, reading] of readingsAt(atoms, keys, at, vocabulary, frame)) {
      const cost = reading.cost + (best[at + length]?.cost ?? Infinity);
      if (cost < (best[at]?.cost ?? Infinity)) {
        best[at] = { cost, segment: segmentOf(atoms, at, length, reading) };
      }
    }
  }
  const found: Segment[] = [];
  for (let at = 0; at < atoms.length;) {
    const next = best[at]?.segment;
    if (next === undefined) throw new Error('bug: an atom has no reading');
    found.push(next);
    at = next.end;
  }
  return joinUnknownHan(found, atoms);
}

function readingsAt(
  atoms: readonly Atom[],
  keys: readonly string[],
  at: number,
  vocabulary: Vocabulary,
  frame: TimeFrame,
): ReadonlyMap<number, Reading> {
  const readings = new Map<number, Reading>();
  const add = (length: number, reading: Reading): void => {
    const known = readings.get(length);
    readings.set(length, known === undefined ? reading : merge(known, reading));
  };
  const atom = atoms[at] as Atom;
  if (atom.kind === 'matcher') {
    add(1, { kind: 'matcher', cost: 0.5, ...(atom.matcher && { matcher: atom.matcher }) });
    return readings;
  }
  for (const { length, value } of vocabulary.mentions.at(keys, at)) {
    const kind = atom.kind === 'quoted' || atom.kind === 'literal' ? 'quoted' : 'phrase';
    add(length, { kind, cost: 0.9, mention: value });
  }
  if (atom.kind === 'quoted' || atom.kind === 'literal') {
    add(1, { kind: 'quoted', cost: 0.9 });
    return readings;
  }
  for (const { length, value } of vocabulary.labels.at(keys, at)) {
    add(length, { kind: 'phrase', cost: 0.95, labels: value });
  }
  for (const { length, value } of LEXICON.at(keys, at)) {
    add(length, meaningReading(value, atom.kind === 'han' && length === 1 ? 1.3 : 1));
  }
  for (const { length, value } of TYPOS.at(keys, at)) {
    const meaning = LEXICON.get(phraseAtoms(value));
    if (meaning !== undefined) add(length, { ...meaningReading(meaning, 1.4), readAs: value });
  }
  for (let length = 1; atom.kind === 'han' && length <= LONGEST_NEAR; length += 1) {
    if (atoms[at + length - 1]?.kind !== 'han') break;
    const meant = nearHan(keys.slice(at, at + length));
    const meaning = meant === undefined ? undefined : LEXICON.get(phraseAtoms(meant));
    if (meant === undefined || meaning === undefined || readings.has(length)) continue;
    add(length, { ...meaningReading(meaning, NEAR_WORD), readAs: meant });
  }
  const time = timePhraseAt(atoms, at, frame);
  if (time !== undefined) add(time.length, { kind: 'time', cost: 0.8, time: time.value });
  const number = numberAt(atoms, at);
  if (number !== undefined) add(number.length, number.reading);
  if (atom.kind === 'mark') add(1, { kind: 'mark', cost: 0.1 });
  else add(1, { kind: 'unknown', cost: atom.kind === 'han' ? UNKNOWN_HAN : UNKNOWN_WORD });
  return readings;
}

function meaningReading(meaning: Meaning, cost: number): Reading {
  return {
    kind: 'phrase',
    cost,
    concepts: meaning.concepts,
    families: meaning.families,
    aliases: meaning.aliases,
  };
}

function numberAt(
  atoms: readonly Atom[],
  at: number,
): { readonly length: number; readonly reading: Reading } | undefined {
  const key = atoms[at]?.key ?? '';
  const ordinal = ordinalOf(key);
  if (ordinal !== undefined) return { length: 1, reading: { kind: 'number', cost: 0.9, ordinal } };
  const prefixed = key === '第' || key === '#';
  const from = prefixed ? at + 1 : at;
  const word = numberOf(atoms[from]?.key ?? '');
  let amount = word === undefined ? undefined : { value: word, length: 1 };
  for (let length = 4; length >= 1 && amount === undefined; length -= 1) {
    const run = hanRun(atoms, from, length);
    const value = run.length === length ? hanNumber(run) : undefined;
    if (value !== undefined) amount = { value, length };
  }
  if (amount === undefined) return undefined;
  if (!prefixed) {
    return { length: amount.length, reading: { kind: 'number', cost: 1.1, number: amount.value } };
  }
  return {
    length: amount.length + 1,
    reading: { kind: 'number', cost: 0.8, ordinal: amount.value },
  };
}

function merge(a: Reading, b: Reading): Reading {
  // What one is sure of outweighs the fallback for unknown atoms.
  if (b.kind === 'unknown' || b.kind === 'mark') return a;
  const labels = [...(a.labels ?? []), ...(b.labels ?? [])];
  const concepts = new Set([...(a.concepts ?? []), ...(b.concepts ?? [])]);
  const readAs = a.readAs ?? b.readAs;
  const joined: Reading = {
    ...a,
    ...b,
    kind: a.kind ?? b.kind ?? 'phrase',
    cost: Math.min(a.cost, b.cost),
    labels,
    concepts,
    families: [...(a.families ?? []), ...(b.families ?? [])],
    aliases: [...(a.aliases ?? []), ...(b.aliases ?? [])],
  };
  return readAs === undefined ? joined : { ...joined, readAs };
}

function segmentOf(
  atoms: readonly Atom[],
  start: number,
  length: number,
  { cost: _cost, ...reading }: Reading,
): Segment {
  const end = start + length;
  return {
    kind: 'phrase',
    concepts: new Set(),
    families: [],
    aliases: [],
    labels: [],
    ...reading,
    start,
    end,
    text: textOf(atoms, start, end),
    key: textOf(atoms, start, end).toLowerCase(),
  };
}

/** What stands there, with the blanks that were there. */
export function textOf(atoms: readonly Atom[], start: number, end: number): string {
  return atoms
    .slice(start, end)
    .map((atom, index) => (index > 0 && atom.spaceBefore ? ` ${atom.text}` : atom.text))
    .join('');
}

/** Unknown Chinese characters side by side are one unknown word. */
function joinUnknownHan(segments: readonly Segment[], atoms: readonly Atom[]): readonly Segment[] {
  const joined: Segment[] = [];
  for (const next of segments) {
    const last = joined.at(-1);
    const both = last?.kind === 'unknown' && next.kind === 'unknown';
    if (both && atoms[last.start]?.kind === 'han' && atoms[next.start]?.kind === 'han') {
      // Not cut anew from the atoms: a long unknown text would cost its square.
      const blank = atoms[next.start]?.spaceBefore === true ? ' ' : '';
      const text = last.text + blank + next.text;
      joined[joined.length - 1] = { ...last, end: next.end, text, key: text.toLowerCase() };
    } else joined.push(next);
  }
  return joined;
}
