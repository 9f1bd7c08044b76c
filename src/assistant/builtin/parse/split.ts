import type { Concept } from '../lexicon/concept.js';
import type { Segment } from './segment.js';
import { isHint } from './sentence.js';

const TOPICS: Readonly<Record<string, readonly Concept[]>> = {
  alerts: ['alert', 'firing', 'silenced', 'resolved', 'most', 'least'],
  silences: ['silence'],
  targets: ['target', 'down'],
  rules: ['rule', 'recording'],
  sources: ['source'],
};
const SENTENCE_END = /^[?。;!]$/;
const EXCEPT = /^(?:除了|除去|除开|除|apart from|aside from|besides|except|except for|other than)$/;
const MOST_QUESTIONS = 3;

/** One question of a message. */
export interface Piece {
  readonly segments: readonly Segment[];
  /** It names no topic of its own: it is about what the one before it was about. */
  readonly follows: boolean;
}

/**
 * The questions of a message: sentences, and the halves of `what is firing and which targets are
 * down` or `what is firing and how many are critical`. A sentence without a topic that asks nothing
 * new belongs to the one before it.
 * @param byOpener false: cut only where the topic changes, so that no condition of an order is lost
 */
export function splitQuestions(segments: readonly Segment[], byOpener = true): readonly Piece[] {
  const sentences = cutAt(segments, (one) => one.kind === 'mark' && SENTENCE_END.test(one.text));
  const halves = sentences.flatMap((sentence) => splitAtAnd(sentence, byOpener));
  const questions: Piece[] = [];
  let waiting: readonly Segment[] = [];
  for (const piece of halves) {
    const last = questions.at(-1);
    const hasTopic = topicsOf(piece).length > 0;
    if (byOpener && last !== undefined && asksAnew(last.segments, piece)) {
      questions.push({ segments: piece, follows: !namesThing(piece) });
    } else if (hasTopic) {
      questions.push({ segments: [...waiting, ...piece], follows: false });
      waiting = [];
    } else if (last !== undefined) {
      questions[questions.length - 1] = { ...last, segments: [...last.segments, ...piece] };
    } else if (hasSubstance(piece)) {
      // `For prod. What is firing?`, but not `Hello.`
      waiting = [...waiting, ...piece];
    }
  }
  if (questions.length === 0) return [{ segments, follows: false }];
  return questions.slice(0, MOST_QUESTIONS);
}

/** Does `next` begin as a question does, and bring in something that the one before has not? */
function asksAnew(before: readonly Segment[], next: readonly Segment[]): boolean {
  const first = next.find(
    (one) => !one.concepts.has('filler') && !one.concepts.has('them') && one.kind !== 'mark',
  );
  const asked = before.some((one) => one.concepts.has('which') || one.concepts.has('count'));
  if (first === undefined || (topicsOf(before).length === 0 && !asked)) return false;
  const topics = topicsOf(next);
  const shared = topics.some((topic) => topicsOf(before).includes(topic));
  if (topics.length > 0 && !shared) return false;
  const isCount = COUNT_OPENER.test(first.key);
  const isWhich = first.concepts.has('which') || first.concepts.has('list');
  // `what is the weather like`: said to be not understood.
  const isOther = topics.length === 0 && next.some((one) => one.kind === 'unknown');
  if (isCount && !before.some((one) => COUNT_OPENER.test(one.key) && !hasSubstance(next))) {
    return true;
  }
  // `what is firing, and what is silenced`
  const isState = isSilent(next) && !isSilent(before);
  return isWhich && (isOther || isState || next.some(isHint) || hasNames(next));
}

const COUNT_OPENER = /^(?:how many|how much|number of|count|多少|几条|几个|有几)$/;

function isSilent(piece: readonly Segment[]): boolean {
  return piece.some((one) => one.concepts.has('silenced'));
}

function namesThing(piece: readonly Segment[]): boolean {
  return piece.some((one) => /^(?:alert|alarm|problem|issue|incident)s?$|告警|报警/.test(one.key));
}

function hasNames(piece: readonly Segment[]): boolean {
  return piece.some((one) => one.mention !== undefined || one.aliases.length > 0);
}

function splitAtAnd(
  sentence: readonly Segment[],
  byOpener: boolean,
): readonly (readonly Segment[])[] {
  // 除了被静默的，还有几条: what is left out is said before what is asked.
  const start = sentence.find((one) => !one.concepts.has('filler') && one.kind !== 'mark');
  if (EXCEPT.test(start?.key ?? '')) return [sentence];
  for (const [index, one] of sentence.entries()) {
    if (!one.concepts.has('and')) continue;
    const [left, right] = [sentence.slice(0, index), sentence.slice(index + 1)];
    const [before, after] = [topicsOf(left), topicsOf(right)];
    const apart = before.length > 0 && after.length > 0 && !before.some((t) => after.includes(t));
    if (apart || (byOpener && asksAnew(left, right))) return [left, ...splitAtAnd(right, byOpener)];
  }
  return [sentence];
}

function topicsOf(segments: readonly Segment[]): readonly string[] {
  return Object.entries(TOPICS)
    .filter(([, concepts]) =>
      segments.some((one) => concepts.some((concept) => one.concepts.has(concept))),
    )
    .map(([topic]) => topic);
}

function hasSubstance(segments: readonly Segment[]): boolean {
  return segments.some(
    (one) =>
      one.mention !== undefined || one.kind === 'matcher' || isHint(one) || one.aliases.length > 0,
  );
}

function cutAt(
  segments: readonly Segment[],
  isEnd: (one: Segment) => boolean,
): readonly (readonly Segment[])[] {
  const pieces: Segment[][] = [[]];
  for (const one of segments) {
    if (isEnd(one)) pieces.push([]);
    else pieces.at(-1)?.push(one);
  }
  return pieces.filter((piece) => piece.length > 0);
}
