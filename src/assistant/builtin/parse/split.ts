import type { Concept } from '../lexicon/concept.js';
import type { Segment } from './segment.js';
import { isHint } from './sentence.js';

const TOPICS: Readonly<Record<string, readonly Concept[]>> = {
  alerts: ['alert', 'firing', 'silenced', 'resolved'],
  silences: ['silence'],
  targets: ['target', 'down'],
  rules: ['rule', 'recording'],
  sources: ['source'],
};
const SENTENCE_END = /^[?。;!]$/;
const MOST_QUESTIONS = 3;

/**
 * The questions of a message: sentences, and the halves of `what is firing and which targets are
 * down`. A sentence without a topic of its own belongs to the one before it.
 */
export function splitQuestions(segments: readonly Segment[]): readonly (readonly Segment[])[] {
  const sentences = cutAt(segments, (one) => one.kind === 'mark' && SENTENCE_END.test(one.text));
  const halves = sentences.flatMap(splitAtAnd);
  const questions: (readonly Segment[])[] = [];
  let waiting: readonly Segment[] = [];
  for (const piece of halves) {
    if (topicsOf(piece).length > 0) {
      questions.push([...waiting, ...piece]);
      waiting = [];
    } else if (questions.length > 0) {
      questions.push([...(questions.pop() ?? []), ...piece]);
    } else if (hasSubstance(piece)) {
      // `For prod. What is firing?`, but not `Hello.`
      waiting = [...waiting, ...piece];
    }
  }
  if (questions.length === 0) return [segments];
  return questions.slice(0, MOST_QUESTIONS);
}

function splitAtAnd(sentence: readonly Segment[]): readonly (readonly Segment[])[] {
  for (const [index, one] of sentence.entries()) {
    if (!one.concepts.has('and')) continue;
    const [left, right] = [sentence.slice(0, index), sentence.slice(index + 1)];
    const [before, after] = [topicsOf(left), topicsOf(right)];
    const apart = before.length > 0 && after.length > 0 && !before.some((t) => after.includes(t));
    if (apart) return [left, ...splitAtAnd(right)];
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
