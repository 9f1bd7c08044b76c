import type { MatchOp } from '../../sources/source.types.js';
import { isHan, keyOf } from './normalise.js';

/** The smallest pieces of a question: Latin words, single Chinese characters, quoted texts, marks. */
export interface Atom {
  readonly kind: 'word' | 'han' | 'quoted' | 'literal' | 'matcher' | 'mark';
  /** As written, normalised. */
  readonly text: string;
  /** Lower case, for look-ups. */
  readonly key: string;
  readonly spaceBefore: boolean;
  /** Of a `matcher`: `team!="core"` as it was written. */
  readonly matcher?: { readonly label: string; readonly op: MatchOp; readonly value: string };
}

export interface AtomOptions {
  /** Is it a label name? Decides whether `name:value` is a condition or just a text with a colon. */
  readonly isLabel: (name: string) => boolean;
  /** Is it a word of ours, such as `what`? After `group: ` it begins a sentence and is no value. */
  readonly isWord?: (key: string) => boolean;
  /** Is it a known value, or a word for one? Of `critical/warning` each must be. */
  readonly isName?: (key: string) => boolean;
  /**
   * Length of the known value of that label which `text` (lower case) begins with, for `name=value`
   * without quotes; undefined when there is none.
   */
  readonly knownValue?: (label: string, text: string) => number | undefined;
  /** Known values that cannot be told from marks and words, e.g. `a/b (c)`; in lower case. */
  readonly literals: readonly string[];
}

const MATCHER =
  /([\p{L}_][\p{L}\p{N}_.-]*?)\s*(=~|!~|!=|==|=|:)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,;()"'{}。?!]+)/uy;
const WORD = /[\p{L}\p{N}_#][\p{L}\p{N}_.:/@%+*-]*/uy;
const QUOTED = /"([^"]{1,500})"|`([^`]{1,500})`|(?<![\p{L}\p{N}])'([^']{1,500})'(?![\p{L}\p{N}])/uy;
const CONTRACTIONS = new Map(
  Object.entries({
    "what's": ['what', 'is'],
    whats: ['what', 'is'],
    "who's": ['who', 'is'],
    "where's": ['where', 'is'],
    "how's": ['how', 'is'],
    "that's": ['that', 'is'],
    "there's": ['there', 'is'],
    "it's": ['it', 'is'],
    "let's": ['let', 'us'],
    "i'm": ['i', 'am'],
    "isn't": ['is', 'not'],
    "aren't": ['are', 'not'],
    "don't": ['do', 'not'],
    "doesn't": ['does', 'not'],
    "didn't": ['did', 'not'],
    "haven't": ['have', 'not'],
    "hasn't": ['has', 'not'],
    "can't": ['can', 'not'],
    cannot: ['can', 'not'],
  }),
);

/** Cuts a normalised text into atoms. */
export function atomise(text: string, options: AtomOptions): readonly Atom[] {
  const lower = text.toLowerCase();
  const literals = indexByFirst(options.literals);
  const atoms: Atom[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === ' ') {
      at += 1;
      continue;
    }
    const spaceBefore = at === 0 || text[at - 1] === ' ';
    const [found, length] =
      literalAt(lower, at, literals) ??
      matcherAt(text, at, options) ??
      quotedAt(text, at) ??
      wordAt(text, at, options) ??
      single(text, at);
    for (const [index, piece] of found.entries()) {
      atoms.push({ ...piece, key: keyOf(piece.text), spaceBefore: index > 0 || spaceBefore });
    }
    at += length;
  }
  return atoms;
}

type Piece = Omit<Atom, 'key' | 'spaceBefore'>;
type Found = readonly [readonly Piece[], number];

function literalAt(
  lower: string,
  at: number,
  literals: ReadonlyMap<string, readonly string[]>,
): Found | undefined {
  if (isWordCharacter(lower[at - 1]) && isWordCharacter(lower[at])) return undefined;
  const literal = literals
    .get(lower[at] ?? '')
    ?.find(
      (value) =>
        lower.startsWith(value, at) &&
        !(isWordCharacter(value.at(-1)) && isWordCharacter(lower[at + value.length])),
    );
  if (literal === undefined) return undefined;
  return [[{ kind: 'literal', text: literal }], literal.length];
}

function matcherAt(
  text: string,
  at: number,
  { isLabel, isWord, knownValue }: AtomOptions,
): Found | undefined {
  if (isWordCharacter(text[at - 1]) && !isHan(text[at - 1] ?? '')) return undefined;
  MATCHER.lastIndex = at;
  const match = MATCHER.exec(text);
  if (match === null) return undefined;
  const [whole, label = '', sign = '', written = ''] = match;
  if (isHan(label[0] ?? '')) return undefined;
  if (sign === ':' && !isLabel(label)) return undefined;
  const quoted = /^["']/.test(written);
  const start = at + whole.length - written.length;
  const known = quoted ? undefined : knownValue?.(label, text.slice(start).toLowerCase());
  const value = quoted
    ? unquoted(written)
    : known === undefined
      ? bareValue(written)
      : text.slice(start, start + known);
  if (value === '' && !quoted) return undefined;
  const isApart = sign === ':' && text[start - 1] === ' ' && known === undefined && !quoted;
  if (isApart && isWord?.(keyOf(value)) === true) return undefined;
  const op: MatchOp = sign === '==' || sign === ':' ? '=' : (sign as MatchOp);
  const length = quoted ? whole.length : whole.length - written.length + value.length;
  return [
    [{ kind: 'matcher', text: text.slice(at, at + length), matcher: { label, op, value } }],
    length,
  ];
}

/** Only a quote is taken out of its escape: `\\d` of a pattern stays as it is. */
export function unquoted(written: string): string {
  return written.slice(1, -1).replace(/\\(["'])/g, '$1');
}

/** Without the sentence that follows it directly: `critical的告警` → `critical`, `prod?` → `prod`. */
function bareValue(written: string): string {
  const characters = Array.from(written);
  const han = characters.findIndex(isHan);
  const value =
    han > 0
      ? characters.slice(0, han).join('')
      : written.replace(/(?<=.)(?:的|以外|之外|除外|并且|且|和|或|有|是).*$/u, '');
  return value.replace(/[.:]+$/, '');
}

function quotedAt(text: string, at: number): Found | undefined {
  QUOTED.lastIndex = at;
  const match = QUOTED.exec(text);
  if (match === null) return undefined;
  const inner = (match[1] ?? match[2] ?? match[3] ?? '').trim();
  return [inner === '' ? [] : [{ kind: 'quoted', text: inner }], match[0].length];
}

function wordAt(text: string, at: number, { isName }: AtomOptions): Found | undefined {
  if (isHan(text[at] ?? '')) return undefined;
  WORD.lastIndex = at;
  let word = WORD.exec(text)?.[0];
  if (word === undefined) return undefined;
  const han = Array.from(word).findIndex(isHan);
  if (han > 0) word = Array.from(word).slice(0, han).join('');
  word = word.replace(/[.:/%+*-]+$/, '');
  if (word === '' || word === '#') return undefined;
  // An apostrophe belongs to the word only in what we know how to take apart.
  const tail = /^'(?:s|t|m|re|ve|d|ll)\b/i.exec(text.slice(at + word.length))?.[0] ?? '';
  const parts = CONTRACTIONS.get((word + tail).toLowerCase());
  const length = word.length + tail.length;
  if (parts !== undefined) return [parts.map((part) => ({ kind: 'word', text: part })), length];
  const alternatives = word.split(/[/+]/);
  if (alternatives.length > 1 && alternatives.every((one) => isName?.(keyOf(one)) === true)) {
    // `critical/warning`: values of one label are alternatives, `prod/critical` must both hold.
    const pieces = alternatives.flatMap((text) => [
      { kind: 'word' as const, text: 'and' },
      { kind: 'word' as const, text },
    ]);
    return [pieces.slice(1), length];
  }
  const top = /^(top)(\d+)$/i.exec(word);
  if (top !== null) {
    const [, first = '', count = ''] = top;
    return [[first, count].map((text) => ({ kind: 'word' as const, text })), length];
  }
  const negated = /^non-(.+)$/i.exec(word)?.[1];
  if (negated !== undefined) {
    return [
      [
        { kind: 'word', text: 'non' },
        { kind: 'word', text: negated },
      ],
      length,
    ];
  }
  return [[{ kind: 'word', text: word }], length];
}

function single(text: string, at: number): Found {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const kind = isHan(character) ? 'han' : 'mark';
  if (text.startsWith('!=', at)) return [[{ kind: 'mark', text: '!=' }], 2];
  return [[{ kind, text: character }], character.length];
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_-]/u.test(character) && !isHan(character);
}

function indexByFirst(values: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  for (const value of [...values].sort((a, b) => b.length - a.length)) {
    const key = value[0] ?? '';
    const list = index.get(key);
    if (list === undefined) index.set(key, [value]);
    else list.push(value);
  }
  return index;
}
