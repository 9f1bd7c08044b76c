import type { LabelSet } from '../../sources/source.types.js';
import { phraseAtoms } from '../lexicon/lexicon.js';
import { PhraseTrie } from '../lexicon/phrase-trie.js';
import { isHan, keyOf } from '../text/normalise.js';

/** A value of a live label, as it stands there. */
export interface LiveValue {
  readonly label: string;
  readonly value: string;
}

/** How a phrase names values: `exact` as they stand, `words` with `HighCpu` said as `high cpu`. */
export interface ValueMention {
  readonly how: 'exact' | 'words';
  readonly values: LiveValue[];
}

/** Beyond that many distinct values of a label, only whole and partial matches are looked for. */
const MOST_WORDS = 20_000;

/**
 * The words that the live data brings into the language: label names, and label values with the
 * ways to say them. Built anew for each question.
 */
export class Vocabulary {
  readonly mentions = new PhraseTrie<ValueMention>();
  readonly labels = new PhraseTrie<readonly string[]>();
  /** Values that hold marks or blanks, in lower case; the tokeniser looks for them whole. */
  readonly literals: readonly string[];
  /** Single-word mentions, for repairing typos, with one of the values they mention. */
  readonly words = new Map<string, string>();
  private readonly byLabel = new Map<string, Map<string, number>>();
  private readonly keys = new Map<string, string>();
  private readonly labelKeys = new Set<string>();

  constructor(sets: readonly LabelSet[]) {
    for (const set of sets) {
      for (const [label, value] of Object.entries(set)) {
        if (value === '') continue;
        const values = this.byLabel.get(label) ?? new Map<string, number>();
        this.byLabel.set(label, values);
        values.set(value, (values.get(value) ?? 0) + 1);
      }
    }
    const literals = new Set<string>();
    for (const [label, values] of this.byLabel) {
      this.addLabel(label);
      for (const value of values.keys()) this.addValue({ label, value }, literals);
    }
    this.literals = [...literals];
  }

  get labelNames(): readonly string[] {
    return [...this.byLabel.keys()];
  }

  /** With how many things have it, most first. */
  valuesOf(label: string): readonly (readonly [string, number])[] {
    return [...(this.byLabel.get(label) ?? [])].sort((a, b) => b[1] - a[1]);
  }

  has({ label, value }: LiveValue): boolean {
    return this.byLabel.get(label)?.has(value) ?? false;
  }

  /** Is it the name of a live label, whatever its case? */
  isLabel(name: string): boolean {
    return this.labelKeys.has(keyOf(name));
  }

  /** The live label of that name, whatever its case; undefined when there is none. */
  labelNamed(name: string): string | undefined {
    if (this.byLabel.has(name)) return name;
    return this.labelNames.find((label) => keyOf(label) === keyOf(name));
  }

  /** Live values that read the same as `text` when case and width are ignored. */
  valuesLike(text: string, label?: string): readonly LiveValue[] {
    const key = keyOf(text);
    const labels = label === undefined ? this.labelNames : [label];
    return labels.flatMap((name) =>
      this.valuesOf(name)
        .filter(([value]) => this.keyOfValue(value) === key)
        .map(([value]) => ({ label: name, value })),
    );
  }

  /** Length of the longest live value of that label that `text`, a lower-case key, begins with. */
  valueLength(label: string, text: string): number | undefined {
    const name = this.labelNamed(label);
    const lengths = this.valuesOf(name ?? '')
      .map(([value]) => this.keyOfValue(value))
      .filter((key) => text.startsWith(key) && !isInsideWord(text, key.length))
      .map((key) => key.length);
    return lengths.length === 0 ? undefined : Math.max(...lengths);
  }

  /** `keyOf` of a live value, computed once. */
  keyOfValue(value: string): string {
    let key = this.keys.get(value);
    if (key === undefined) {
      key = keyOf(value);
      this.keys.set(value, key);
    }
    return key;
  }

  /** Every live value, bounded. */
  *all(): Generator<LiveValue> {
    let left = MOST_WORDS;
    for (const [label, values] of this.byLabel) {
      for (const value of values.keys()) {
        if (left === 0) return;
        left -= 1;
        yield { label, value };
      }
    }
  }

  private addLabel(label: string): void {
    this.labelKeys.add(keyOf(label));
    const spoken = wordsOf(label).join(' ');
    for (const phrase of new Set([label, spoken, plural(label), plural(spoken)])) {
      const atoms = phraseAtoms(phrase);
      const known = this.labels.get(atoms) ?? [];
      if (atoms.length > 0 && !known.includes(label)) this.labels.set(atoms, [...known, label]);
    }
  }

  private addValue(live: LiveValue, literals: Set<string>): void {
    const key = this.keyOfValue(live.value);
    // A bare number or letter says nothing without its label: `2` in `the last 2 alerts`.
    if (key === '' || /^(?:[\d.]+|[a-z])$/.test(key)) return;
    const atoms = phraseAtoms(live.value);
    if (atoms.join('') !== key.replaceAll(' ', '') || key.includes('"')) literals.add(key);
    else if (/[^\p{L}\p{N}_ -]/u.test(key) && atoms.length > 1) literals.add(key);
    this.mention([key], live, 'exact');
    if (atoms.length > 1 || atoms[0] !== key) this.mention(atoms, live, 'exact');
    const host = /^(.*[^:]):\d+$/.exec(live.value)?.[1];
    if (host !== undefined) this.mention(phraseAtoms(host), live, 'words');
    const words = wordsOf(live.value);
    if (words.length > 1 && words.every((word) => /^\p{L}/u.test(word))) {
      this.mention(words, live, 'words');
    }
  }

  private mention(atoms: readonly string[], live: LiveValue, how: ValueMention['how']): void {
    if (atoms.length === 0) return;
    if (atoms.length === 1) this.words.set(atoms[0] ?? '', live.value);
    const known = this.mentions.get(atoms);
    if (known === undefined || (known.how === 'words' && how === 'exact')) {
      this.mentions.set(atoms, { how, values: [live] });
    } else if (known.how === how) {
      known.values.push(live);
    }
  }
}

/** The words in `HighCPUUsage`, `kube-system`, `node_load1`, lower case. */
export function wordsOf(text: string): readonly string[] {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(keyOf);
}

/** Would a cut there go through a Latin word or name? */
function isInsideWord(text: string, at: number): boolean {
  const isName = (character: string | undefined): boolean =>
    character !== undefined && /[\p{L}\p{N}_.:/-]/u.test(character) && !isHan(character);
  // A full stop may end the sentence.
  const ends = /^[.:](?:\s|$)/.test(text.slice(at));
  return isName(text[at - 1]) && isName(text[at]) && !ends;
}

function plural(word: string): string {
  if (!/[a-z]$/.test(word)) return word;
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
