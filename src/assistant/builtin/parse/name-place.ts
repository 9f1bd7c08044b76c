import type { Concept } from '../lexicon/concept.js';
import { isHan } from '../text/normalise.js';
import type { Segment } from './segment.js';
import { isHint, type Sentence } from './sentence.js';

/**
 * What a word is that neither the lexicon nor the live data knows:
 * `name`, a condition that nothing fulfils; `noise`, which the answer is right without, and which it
 * owns up to; `unsure`, which may be either, or may turn the meaning: no answer is given then.
 */
export type Standing = 'name' | 'noise' | 'unsure';

/** What can be said of something that is named before it. */
const PREDICATES: readonly Concept[] = ['firing', 'silenced', 'down', 'up', 'ok', 'resolved'];
const THINGS: readonly Concept[] = ['alert', 'silence', 'target', 'rule'];
/** With one of these the sentence asks for something, whatever its first word says. */
const TASKS: readonly Concept[] = [
  'which',
  'list',
  'count',
  'check',
  'is',
  'detail',
  'since-when',
  'firing',
  'silenced',
  'silence',
  'target',
  'rule',
  'by',
  'most',
  'newest',
  'oldest',
];
/** After these an English word says how something is; a name never follows them. */
const PRONOUN = /^(?:any|some|every|no)(?:thing|one|body)$|^nothing$/;
/** Before these stands a verb. */
const DETERMINER =
  /^(?:the|all|all of|my|our|these|those|this|that|every|everything|each|them|it|me|us|a|an|any)$/;
const ADJECTIVE = /(?:ed|able|ible|ful|ous|ive|less|ish|est|ly|ional|ant)$/;
/** `in` as it stands before a verb or between verb and object, not before a place. */
const NO_PLACE = /^(?:to|with)$/;
/** After these stands a verb. */
const PERSON = /^(?:i|we|you|they|he|she)$/;
/** What the verb of `split the alerts up` leaves behind. */
const PARTICLE = /^(?:down|up|out|off|apart|into|away|over)$/;

/** `08:52`: a time that no time phrase holds. */
const CLOCK = /^\d{1,2}[:：]\d{2}(?::\d{2})?(?:am|pm)?$/;

/** A name whatever stands around it: quoted, or made as names are and words are not. */
export function isNameByItself(part: Segment): boolean {
  if (part.kind === 'quoted') return true;
  if (CLOCK.test(part.key)) return false;
  if (part.aliases.some(({ kind }) => kind !== 'severity-if-live')) return true;
  // A capital inside, as in `NodeDown`; `ASAP` only shouts.
  return /[\d_./:@-]/.test(part.text) || /\p{Ll}.*\p{Lu}/u.test(part.text);
}

/** Decides by where the word stands; `isSubject`: of `is X firing` and `X alerts`. */
export function standingOf(sentence: Sentence, index: number, isSubject: boolean): Standing {
  const part = sentence.at(index);
  if (part === undefined) return 'noise';
  if (CLOCK.test(part.key)) return 'unsure';
  if (isNameByItself(part)) return 'name';
  const latin = !Array.from(part.text).some(isHan);
  if (!latin) return hanStanding(sentence, index, part, isSubject);
  return sentence.chinese
    ? latinInChinese(sentence, index, part)
    : englishStanding(sentence, index, part, isSubject);
}

function englishStanding(
  sentence: Sentence,
  index: number,
  part: Segment,
  isSubject: boolean,
): Standing {
  const before = rawBeside(sentence, part, -1);
  const after = rawBeside(sentence, part, 1);
  const last = sentence.at(index - 1);
  // `for tier gold`, neither of them known: what the first one is, the second is.
  if (last?.kind === 'unknown' && last === before && isPlaceWord(sentence, index - 1)) {
    return 'name';
  }
  const isAfterNot = sentence.has(index - 1, 'not') || last?.key === 'without';
  if (isAfterNot) return ADJECTIVE.test(part.key) || /ing$/.test(part.key) ? 'unsure' : 'name';
  if (sentence.has(index - 1, 'only')) return 'unsure';
  if (last !== undefined && PRONOUN.test(last.key)) return 'noise';
  if (isPlaceWord(sentence, index)) return /^(?:a|an)$/.test(before?.key ?? '') ? 'noise' : 'name';
  const isVerb =
    before?.key === 'to' ||
    PERSON.test(before?.key ?? '') ||
    (after !== undefined && DETERMINER.test(after.key));
  if (isVerb) return asksAnyway(sentence) ? 'noise' : 'unsure';
  if (isRelative(sentence, index)) return 'unsure';
  const isBesideThing = sentence.has(index + 1, ...THINGS) && after === sentence.at(index + 1);
  if (isBesideThing) {
    const isSplit = index === 0 && (sentence.any('by') || sentence.segments.some(isParticle));
    return isSplit || ADJECTIVE.test(part.key) ? 'unsure' : 'name';
  }
  if (index === 0) {
    // `checkout firing?`: its subject, or only an interjection such as `morning, what is firing`.
    if (sentence.has(1, ...PREDICATES) && after === sentence.at(1)) return 'unsure';
    return asksAnyway(sentence) ? 'noise' : 'unsure';
  }
  return isSubject ? 'name' : 'noise';
}

/** `for team foo`, `foo team`: a value of that label, but not `severity mix` or `top busy teams`. */
export function hintedStanding(sentence: Sentence, index: number, hint: Segment): Standing {
  if (sentence.chinese) return 'name';
  const place = sentence.parts.indexOf(hint);
  if (place < index) {
    const isTold =
      place < index - 1 ||
      hint.concepts.has('in') ||
      isPlaceWord(sentence, place) ||
      sentence.has(place - 1, 'not', 'only', 'is', 'check', 'and', 'or') ||
      sentence.has(index + 1, ...THINGS, ...PREDICATES);
    return isTold ? 'name' : 'unsure';
  }
  const isAsked = sentence.has(index - 1, 'by', 'which', 'top', 'most', 'count');
  return isAsked && /[^s]s$/.test(hint.key) ? 'noise' : 'name';
}

/** A Latin word in a Chinese sentence is a name, but for `review 一下`. */
function latinInChinese(sentence: Sentence, index: number, part: Segment): Standing {
  const after = rawBeside(sentence, part, 1);
  if (/^(?:一下|下|一把|一波)$/.test(after?.key ?? '')) {
    return asksAnyway(sentence) ? 'noise' : 'unsure';
  }
  const isSpokenOf =
    isPlaceWord(sentence, index) ||
    sentence.has(index + 1, 'of', 'in', 'is', 'check', 'without', 'about', ...THINGS) ||
    sentence.has(index + 1, ...PREDICATES) ||
    isHint(sentence.at(index + 1)) ||
    /^(?:有|上|那边|这边|现在|目前|最近)/.test(after?.key ?? '');
  return isSpokenOf ? 'name' : 'unsure';
}

function hanStanding(
  sentence: Sentence,
  index: number,
  part: Segment,
  isSubject: boolean,
): Standing {
  if (sentence.has(index - 1, 'only')) return 'unsure';
  if (isPlaceWord(sentence, index) || sentence.has(index - 1, 'not')) {
    return part.text.length > 1 ? 'name' : 'noise';
  }
  if (part.text.length < 2) return 'noise';
  const isSpokenOf = sentence.has(index + 1, 'of', 'about', ...THINGS);
  return isSpokenOf || isSubject ? 'name' : 'noise';
}

/** `is the queue draining?`, 情况在恶化吗: what is asked, and no name. */
export function isPredicate(sentence: Sentence, index: number): boolean {
  const part = sentence.at(index);
  if (part?.kind !== 'unknown') return false;
  const isHanWord = Array.from(part.text).every(isHan);
  if (isHanWord) return sentence.at(index - 1)?.key === '在' && sentence.has(index + 1, 'check');
  const isLast = index > 0 && index === sentence.parts.length - 1;
  return isLast && sentence.has(0, 'is') && /(?:ing|ed)$/.test(part.key);
}

/** After `in`, `about`, `of`, `what about`: where names of things stand. */
export function isPlaceWord(sentence: Sentence, index: number): boolean {
  const before = sentence.at(index - 1);
  if (before === undefined) return false;
  const isIn = before.concepts.has('in') && !NO_PLACE.test(before.key);
  return isIn || sentence.has(index - 1, 'about', 'follow') || before.key === 'of';
}

/** Does the sentence say what is wanted without its unknown words? */
function asksAnyway(sentence: Sentence): boolean {
  return TASKS.some((concept) => sentence.any(concept));
}

/** `alerts that matter`: a condition in words that are not ours. */
function isRelative(sentence: Sentence, index: number): boolean {
  const before = sentence.at(index - 1);
  return (
    (before?.key === 'that' || before?.key === 'which' || before?.key === 'who') &&
    sentence.has(index - 2, 'alert')
  );
}

function isParticle({ key }: Segment): boolean {
  return PARTICLE.test(key);
}

/** The segment directly beside it, fillers included. */
function rawBeside(sentence: Sentence, part: Segment, step: 1 | -1): Segment | undefined {
  return sentence.segments[sentence.segments.indexOf(part) + step];
}
