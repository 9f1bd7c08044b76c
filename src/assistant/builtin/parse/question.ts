import type { AlertOrder, Selection } from '../../tools/alert-selection.js';
import { SEVERITY_LABELS } from '../../tools/severity.js';
import { LEXICON, LEXICON_WORDS } from '../lexicon/lexicon.js';
import { type Atom, atomise } from '../text/atoms.js';
import { normalise } from '../text/normalise.js';
import type { TimeFrame } from '../time/day.js';
import type { TimeBounds } from '../time/time-phrase.js';
import { ConditionReader } from './conditions.js';
import type { Conditions, Note } from './conditions.types.js';
import { type Grouping, readGrouping } from './grouping.js';
import { type Domain, domainOf } from './intent.js';
import { readReferences, type References } from './references.js';
import { repair } from './repair.js';
import { segment, type Segment } from './segment.js';
import { Sentence } from './sentence.js';
import { isStrictWithout } from './value-context.js';
import type { Vocabulary } from './vocabulary.js';

/** A question as it was understood. */
export interface Question {
  /** Does it go on from the question before it, in the same message? */
  readonly follows?: boolean;
  readonly domain: Domain;
  readonly sentence: Sentence;
  /** What it is made of, to read it again with other live words. */
  readonly atoms: readonly Atom[];
  readonly conditions: Conditions;
  readonly grouping: Grouping;
  readonly references: References;
  readonly time?: TimeBounds;
  /** `more warnings than criticals`: the numbers of both are the answer. */
  readonly compares: boolean;
  /** How the times were said, for a topic that has none. */
  readonly timeTexts: readonly string[];
  readonly state?: Exclude<Selection['state'], undefined>;
  readonly order?: AlertOrder;
  readonly repairs: readonly Note[];
  /** The repairs, and what else the user should know about the reading. */
  readonly notes: readonly Note[];
  /** Words that look like conditions, but that nothing explains. */
  readonly ignored: readonly string[];
  /** Words that may turn the meaning; with any of them no answer is given. */
  readonly unsure: readonly string[];
}

/** A time that could not be read must not be left out. */
const TIME_UNIT =
  /^(?:(?:second|sec|minute|min|hour|hr|day|week|month|year)s?|秒|分钟|小时|天|周|月|年)$/i;

/** Longer questions are cut; nobody asks in that many characters, and parsing is not linear. */
export const LONGEST_QUESTION = 1000;

/** Reads one sentence in the language of `vocabulary`. */
export function readQuestion(text: string, vocabulary: Vocabulary, frame: TimeFrame): Question {
  return understand(cutUp(text, vocabulary, frame), vocabulary);
}

/** The same question with the words of `vocabulary` only. */
export function readAgain(question: Question, vocabulary: Vocabulary, frame: TimeFrame): Question {
  const { atoms, repairs, domain } = question;
  const segments = segment(atoms, vocabulary, frame);
  return { ...understand({ atoms, segments, repairs }, vocabulary), domain };
}

export interface CutUp {
  readonly atoms: readonly Atom[];
  readonly segments: readonly Segment[];
  readonly repairs: readonly Note[];
}

/** The segments of a text, after its typos are repaired. */
export function cutUp(text: string, vocabulary: Vocabulary, frame: TimeFrame): CutUp {
  const atoms = atomise(normalise(text).slice(0, LONGEST_QUESTION), {
    isLabel: (name) => vocabulary.isLabel(name),
    isWord: (key) => LEXICON_WORDS.has(key),
    isName: (key) => vocabulary.words.has(key) || (LEXICON.get([key])?.aliases.length ?? 0) > 0,
    literals: vocabulary.literals,
    knownValue: (label, rest) => vocabulary.valueLength(label, rest),
  });
  const typed = segment(atoms, vocabulary, frame);
  // With what was meant in place: `最进一小时` holds a time only as `最近一小时`.
  const typos = typed.filter((one) => one.readAs !== undefined);
  const meant = typos.length === 0 ? atoms : asMeant(atoms, typed);
  const first = typos.length === 0 ? typed : segment(meant, vocabulary, frame);
  const repaired = repair(meant, first, vocabulary);
  const segments =
    repaired.repairs.length === 0 ? first : segment(repaired.atoms, vocabulary, frame);
  return {
    atoms: repaired.atoms,
    segments,
    repairs: [
      ...repaired.repairs.map((one) => ({ kind: 'read' as const, ...one })),
      ...typos.map(({ text, readAs = '' }) => ({ kind: 'read' as const, typed: text, readAs })),
    ],
  };
}

/** The atoms with every known Chinese typo replaced by what it was read as. */
function asMeant(atoms: readonly Atom[], segments: readonly Segment[]): readonly Atom[] {
  return segments.flatMap(({ start, end, readAs }) => {
    const own = atoms.slice(start, end);
    if (readAs === undefined) return own;
    return Array.from(readAs, (text, index) => ({
      kind: 'han' as const,
      text,
      key: text,
      spaceBefore: index === 0 && own[0]?.spaceBefore === true,
    }));
  });
}

/** `cut` may be a part of what was cut up. */
export function understand(cut: CutUp, vocabulary: Vocabulary): Question {
  const { segments, repairs } = cut;
  const sentence = new Sentence(segments);
  const conditions = new ConditionReader(sentence, vocabulary).read();
  const grouping = readGrouping(sentence, conditions.freeHints, vocabulary);
  const references = readReferences(sentence, conditions.used);
  const times = sentence.parts.filter((part) => part.time !== undefined);
  const time = mergeTimes(times.map((part) => part.time as TimeBounds));
  const state = stateOf(sentence);
  const compares = isComparison(sentence, conditions);
  const domain = domainOf(sentence, conditions.sure);
  // `the second one`, `breakdown by team`, `anything since 9`: what else could be meant here?
  const isCounting =
    references.positions.length > 0 ||
    grouping.by.length > 0 ||
    time !== undefined ||
    // `when did ReplicaLag end?`
    (sentence.any('since-when') && conditions.unmatched.length > 0);
  const about = domain === 'unknown' && isCounting ? 'alerts' : domain;
  return {
    domain: about,
    sentence,
    atoms: cut.segments.flatMap(({ start, end }) => cut.atoms.slice(start, end)),
    repairs,
    conditions,
    grouping,
    references,
    ...(time === undefined ? {} : { time }),
    compares,
    timeTexts: times.filter((part) => part.time?.unusable !== true).map((part) => part.text),
    ...(state === undefined ? {} : { state }),
    ...(references.order === undefined ? {} : { order: references.order }),
    notes: [...repairs, ...conditions.notes],
    ignored: [
      ...conditions.ignored,
      ...(sentence.any('detail') ? references.unexplained : []),
      ...moodsOf(sentence),
    ],
    unsure: [
      ...conditions.unsure,
      ...conditions.ignored.filter((word) => TIME_UNIT.test(word)),
      // Of one alert that is named, a number tells nothing.
      ...(sentence.any('detail') ? [] : references.unexplained),
      ...looseComparisons(sentence, conditions, references),
      ...(compares && !isComparable(conditions) ? ['than'] : []),
      ...times.filter((part) => part.time?.unusable === true).map((part) => part.text),
      ...times
        .filter((part) => part.time?.at !== undefined && !isOfMoment(sentence, about))
        .map((part) => part.text),
      ...asksForNone(sentence, conditions),
      ...atThatTime(sentence),
      ...unknownPlace(sentence, conditions, vocabulary),
      ...(about === 'write' ? [] : looseNegations(sentence, conditions)),
      ...otherOrder(sentence, conditions),
      ...sentence.parts.filter((part) => isBeyond(part, conditions)).map((part) => part.text),
    ],
  };
}

/** `what was firing at 09:00`, but not `started at 09:00`: only of alerts there is such a history. */
function isOfMoment({ segments }: Sentence, about: Domain): boolean {
  const isChange = segments.some(
    ({ key, concepts }) =>
      concepts.has('resolved') ||
      concepts.has('silence') ||
      /^(?:start|begin|began|begun|end|fired?$|triggered|开始|结束)/.test(key),
  );
  return about === 'alerts' && !isChange;
}

/** `anything weird`: may be meant as a condition, and is none. */
function moodsOf({ segments, parts }: Sentence): readonly string[] {
  return segments
    .filter((one) => one.concepts.has('mood') && !parts.includes(one))
    .map((one) => one.text);
}

/** `more warnings than criticals`, `warning 比 critical 多`. */
function isComparison({ segments, parts }: Sentence, conditions: Conditions): boolean {
  // `more criticals in prod or staging?`
  const isEither = parts.some((part) => part.concepts.has('or')) && isComparable(conditions);
  if (isEither && parts.some(({ key }) => /^(?:more|fewer|less)$/.test(key))) return true;
  const than = segments.findIndex(({ key }) => key === 'than');
  if (than !== -1) return parts.some(({ key }) => /^(?:more|fewer|less)$/.test(key));
  const than2 = segments.findIndex(({ key }) => key === '比');
  return than2 !== -1 && segments.slice(than2).some(({ key }) => /^[多少]$/.test(key));
}

/** Are two values of one label told? */
function isComparable({ where }: Conditions): boolean {
  return where.some((clause) => !('any' in clause) && clause.values.length > 1);
}

/** `sorted by team`: there is no such order. */
function otherOrder(sentence: Sentence, { freeHints }: Conditions): readonly string[] {
  if (!sentence.any('sort') || sentence.any('count') || sentence.any('worst')) return [];
  return [...freeHints]
    .filter(({ families }) => !families.some(({ labels }) => labels === SEVERITY_LABELS))
    .filter(({ families }) => !families.some(({ labels }) => labels.includes('alertname')))
    .map(({ text }) => text);
}

/** `which teams have no alerts`: those of which nothing is known are in no list of alerts. */
function asksForNone(sentence: Sentence, { freeHints }: Conditions): readonly string[] {
  const { parts } = sentence;
  if (freeHints.size === 0) return [];
  return parts.flatMap((part, index) => {
    if (!sentence.has(index, 'not', 'without')) return [];
    const next = sentence.has(index + 1, 'check') ? index + 2 : index + 1;
    const thing = parts[next];
    return thing?.concepts.has('alert') === true ? [`${part.text} ${thing.text}`] : [];
  });
}

/** Of these it is said that they are not: no filter. */
const STATES = [
  'silenced',
  'silence',
  'resolved',
  'firing',
  'ok',
  'down',
  'up',
  'pending',
] as const;

/** A negation that became no filter: the answer would be one to the opposite question. */
function looseNegations(sentence: Sentence, { where, notes }: Conditions): readonly string[] {
  const { parts } = sentence;
  const strict = parts.filter((part, index) => {
    const isNot = part.concepts.has('not') || part.concepts.has('not-after');
    const isState = [1, 2].some((step) => sentence.has(index + step, ...STATES));
    return (isNot || isStrictWithout(part)) && !isState;
  });
  const filters = where.flatMap((clause) => ('any' in clause ? clause.any : [clause]));
  const negative = filters.filter(({ op, values }) => {
    return op === '!=' ? values[0] !== '' : op === '!~' || (op === '=' && values[0] === '');
  });
  const excluded = notes.filter(({ kind }) => kind === 'nothing-excluded');
  if (negative.length + excluded.length > 0) return [];
  return strict.map(({ text }) => text);
}

/** 数据库那边怎么样 where no label is a database: an answer about everything would be another one. */
function unknownPlace(
  { parts, segments }: Sentence,
  { freeHints }: Conditions,
  { labelNames }: Vocabulary,
): readonly string[] {
  const [first] = parts;
  const asksHow = segments.some(({ concepts }) => concepts.has('status') || concepts.has('how'));
  if (first === undefined || !freeHints.has(first) || !asksHow) return [];
  const names = first.families.flatMap(({ labels, loose = [] }) => [...labels, ...loose]);
  const isLive = first.labels.length > 0 || names.some((name) => labelNames.includes(name));
  return isLive ? [] : [first.text];
}

/** `what else was firing when NodeDown started`: a time that only another alert tells. */
function atThatTime(sentence: Sentence): readonly string[] {
  const { parts } = sentence;
  return parts.flatMap((part, index) => {
    if (!part.concepts.has('since-when')) return [];
    const [before, after] = [parts.slice(0, index), parts.slice(index + 1)];
    const speaks = (one: Segment): boolean =>
      one.concepts.has('firing') || one.concepts.has('alert') || one.concepts.has('resolved');
    const asks = (one: Segment): boolean => one.concepts.has('which') || one.concepts.has('count');
    const isEnglish = part.key === 'when' && before.some(speaks) && before.some(asks);
    const isChinese =
      /^开始(?:的|触发)?$/.test(part.key) && before.some(isNamed) && after.some(asks);
    const name = isEnglish ? after.find(isNamed) : before.findLast(isNamed);
    return (isEnglish || isChinese) && name !== undefined ? [`${part.text} ${name.text}`] : [];
  });
}

function isNamed({ mention, kind }: Segment): boolean {
  return mention !== undefined || kind === 'unknown' || kind === 'quoted';
}

/** `unacknowledged`, 比昨天: clear, but no source can tell. */
function isBeyond(part: Segment, { used }: Conditions): boolean {
  return part.concepts.has('beyond') && part.mention === undefined && !used.has(part);
}

/** `more than one cluster`: a comparison that no severity belongs to. */
function looseComparisons(
  sentence: Sentence,
  { used }: Conditions,
  { threshold }: References,
): readonly string[] {
  const { parts } = sentence;
  const isUsed = (index: number): boolean => {
    const part = parts[index];
    return part !== undefined && used.has(part);
  };
  return parts
    .filter((_, index) => sentence.has(index, 'above', 'below', 'at-least', 'at-most'))
    .filter((part) => part !== threshold?.part)
    .filter((part) => {
      const index = parts.indexOf(part);
      return !isUsed(index - 1) && !isUsed(index + 1);
    })
    .map((part) => part.text);
}

function mergeTimes(times: readonly TimeBounds[]): TimeBounds | undefined {
  const real = times.filter((time) => time.unusable !== true);
  if (real.length === 0) return undefined;
  const after = real.map((time) => time.after ?? -Infinity);
  const before = real.map((time) => time.before ?? Infinity);
  const [from, to] = [Math.max(...after), Math.min(...before)];
  const at = real.find((time) => time.at !== undefined)?.at;
  return {
    ...(at === undefined ? {} : { at }),
    ...(from === -Infinity ? {} : { after: from }),
    ...(to === Infinity ? {} : { before: to }),
  };
}

function stateOf(sentence: Sentence): Question['state'] {
  if (sentence.any('pending')) return 'pending';
  const quiet = sentence.parts.findIndex(
    (part) => part.concepts.has('silenced') || part.concepts.has('silence'),
  );
  if (quiet === -1) return undefined;
  const negated = [quiet - 1, quiet - 2].some((index) => sentence.has(index, 'not', 'without'));
  return negated ? 'active' : 'suppressed';
}
