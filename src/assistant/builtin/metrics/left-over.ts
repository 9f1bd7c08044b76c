import type { Concept } from '../lexicon/concept.js';
import { leadsTo, type Piece, piecesOf } from '../order/unexplained.js';
import { OUTSIDE } from '../order/order-words.js';
import type { Question } from '../parse/question.js';
import { isOfTime } from './chart-range.js';

const PUNCTUATION = /^[,;.!?:{}()"'、。，；：！？…-]+$/u;
/** Words that narrow or turn a question, and of which a metric question has no other use. */
const TURNING: readonly Concept[] = [
  ...(['not', 'not-after', 'without', 'above', 'below', 'at-least', 'at-most'] as const),
  ...(['by', 'most', 'least', 'top', 'sort', 'beyond'] as const),
];
const COMPARING =
  /^(?:over|under|exceed(?:s|ed|ing)?|than|larger|bigger|smaller|between|大于|小于|等于|超过|超出|低于|高于|多于|少于|不到)$/u;

/**
 * What a metric question says and nothing of its answer stands for, as it was said: a comparison, an
 * operator, an exclusion of nothing. With any of it no answer is right.
 * @param named words that are looked up among the series: they are no less known for being unknown here.
 */
export function leftOver(asked: Question, named: readonly string[]): readonly string[] {
  const { sentence, conditions } = asked;
  const pieces = piecesOf(sentence.segments, conditions);
  const runs: string[] = [];
  let isOpen = false;
  for (const [at, piece] of pieces.entries()) {
    const { text } = piece.segment;
    const isLeft = !named.includes(text) && isUnread(pieces, at, asked);
    if (isLeft && isOpen) runs.push(`${runs.pop() ?? ''} ${text}`);
    else if (isLeft) runs.push(text);
    isOpen = isLeft;
  }
  return [...new Set(runs)];
}

function isUnread(pieces: readonly Piece[], at: number, asked: Question): boolean {
  const { segment, role } = pieces[at] as Piece;
  const { text, key, kind, concepts, time } = segment;
  if (role !== 'word' || time !== undefined || isOfTime(text, asked)) return false;
  if (kind === 'mark') return !PUNCTUATION.test(text);
  if (kind === 'number') return true;
  if (COMPARING.test(key)) return true;
  if (asked.conditions.unsure.includes(text)) return true;
  if (!TURNING.some((concept) => concepts.has(concept))) return false;
  if (OUTSIDE.has(key) || concepts.has('not-after')) {
    return !pieces.slice(0, at).some((one) => one.role === 'excluded');
  }
  return leadsTo(pieces, at) !== 'excluded';
}
