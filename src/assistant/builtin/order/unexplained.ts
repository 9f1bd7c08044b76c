import type { Conditions } from '../parse/conditions.types.js';
import type { Segment } from '../parse/segment.js';
import { isHint } from '../parse/sentence.js';
import {
  ALERT_NOUN,
  ALL,
  ASKING,
  ENDING,
  JOINT,
  OTHER_TIME,
  OUTSIDE,
  POINTING,
  POLITE,
  REQUEST,
  SILENCE_NOUN,
  SILENCING,
  TURN,
} from './order-words.js';

/** A piece of an order; `value`: a condition that the plan has, `excluded`: one that it turns round. */
export interface Piece {
  readonly segment: Segment;
  readonly role: 'value' | 'excluded' | 'hint' | 'word';
}

/** Words of an order that nothing in its plan stands for, as they were said. */
export interface Unexplained {
  /** What may narrow it, leave something out, or tie it to a condition. */
  readonly words: readonly string[];
  /** What speaks of another time than now. */
  readonly times: readonly string[];
  readonly segments: readonly Segment[];
}

/** `pointing`: about one of a list, which is said by its place. */
export type OrderKind = 'silence' | 'pointing' | 'end';

/** The roles that the words of a sentence have in its conditions. */
export function piecesOf(
  segments: readonly Segment[],
  { used, excluded, freeHints }: Conditions,
): readonly Piece[] {
  return segments.map((segment) => {
    const isClaimed = isHint(segment) && !freeHints.has(segment);
    const isRead = used.has(segment);
    const isOut = excluded.has(segment);
    const role = isOut ? 'excluded' : isRead ? 'value' : isClaimed ? 'hint' : 'word';
    return { segment, role };
  });
}

/**
 * An order is carried out only if every word of it was understood: what is left over might narrow it.
 * A word is explained by what it does here, never by being a word of ours.
 */
export function unexplained(pieces: readonly Piece[], kind: OrderKind): Unexplained {
  const isLeft = pieces.map((_, at) => !isExplained(pieces, at, kind));
  const runs: { segments: Segment[]; isTime: boolean }[] = [];
  for (const [at, { segment }] of pieces.entries()) {
    if (isLeft[at] !== true) continue;
    const last = isLeft[at - 1] === true ? runs.at(-1) : undefined;
    const isTime = segment.time !== undefined || OTHER_TIME.test(segment.key);
    if (last === undefined) runs.push({ segments: [segment], isTime });
    else {
      last.segments.push(segment);
      last.isTime ||= isTime;
    }
  }
  const told = (isTime: boolean): readonly string[] =>
    runs.filter((run) => run.isTime === isTime).map((run) => said(run.segments));
  return { words: told(false), times: told(true), segments: runs.flatMap((run) => run.segments) };
}

function isExplained(pieces: readonly Piece[], at: number, kind: OrderKind): boolean {
  const { segment, role } = pieces[at] as Piece;
  const { key, kind: form } = segment;
  if (role !== 'word') return true;
  if (/^[,;.!。{}]$/.test(key)) return true;
  if (ASKING.has(key)) return pieces.some((one) => REQUEST.has(one.segment.key));
  if (segment.time !== undefined || form === 'matcher' || form === 'quoted') return false;
  if (kind === 'pointing') {
    const isPlace = /^(?:number|alert number|item|row|alert)$/.test(
      pieces[at - 1]?.segment.key ?? '',
    );
    if (POINTING.has(key) || segment.ordinal !== undefined) return true;
    if (segment.number !== undefined && isPlace) return true;
  }
  const isOrder = kind === 'end' ? ENDING.has(key) : SILENCING.has(key);
  if (isOrder || SILENCE_NOUN.has(key) || ALERT_NOUN.has(key)) {
    return !isNegator(pieces[at - 1]) && !isUnread(segment);
  }
  // `unless B`: whether B is a filter or a condition, an order must not guess.
  if (/^(?:unless|instead of|rather than)/.test(key)) return false;
  if (isNegator(pieces[at])) return kind !== 'end' && leavesOut(pieces, at);
  if (TURN.has(key)) return leadsTo(pieces, at) === 'excluded';
  if (OUTSIDE.has(key)) return pieces.slice(0, at).some((one) => one.role === 'excluded');
  if (/^ones?$/.test(key) && pieces[at - 1]?.role !== 'word' && at > 0) return true;
  if (ALL.has(key)) return !isUnread(segment);
  if (JOINT.has(key) && kind === 'end') return at + 1 < pieces.length;
  if (JOINT.has(key)) return leadsTo(pieces, at) !== undefined || isPossessive(pieces, at);
  if (kind === 'end' && (/^(?:by|it|this|that|one|ones)$/.test(key) || POINTING.has(key))) {
    return true;
  }
  if (key === 'only' || key === 'just' || key === '只' || key === '仅') {
    const next = pieces[at + 1];
    return next !== undefined && (next.role !== 'word' || SILENCING.has(next.segment.key));
  }
  // 我的告警: those of somebody.
  const isWhose = /^[我您你咱]们?$/.test(key) && pieces[at + 1]?.segment.key === '的';
  return POLITE.has(key) && !isWhose && !isUnread(segment);
}

/** A word of ours by which something live is called, too, and which was read as the word. */
function isUnread({ mention, key }: Segment): boolean {
  return mention?.how === 'exact' && !SILENCING.has(key) && !ENDING.has(key);
}

function isNegator(piece: Piece | undefined): boolean {
  if (piece === undefined || piece.role !== 'word') return false;
  const { concepts, key } = piece.segment;
  if (OUTSIDE.has(key)) return false;
  return concepts.has('not') || concepts.has('without') || key === 'never' || key === '别';
}

/** Is what it stands before left out of the plan? */
function leavesOut(pieces: readonly Piece[], at: number): boolean {
  return leadsTo(pieces, at) === 'excluded';
}

/** What stands behind joints, articles and words for an alert; undefined for anything else. */
export function leadsTo(pieces: readonly Piece[], from: number): Piece['role'] | undefined {
  for (const { segment, role } of pieces.slice(from + 1)) {
    const { key } = segment;
    if (role === 'excluded' || role === 'value') return role;
    if (role === 'hint') continue;
    if (segment.kind === 'mark' && key === ';') return undefined;
    const isBetween =
      JOINT.has(key) ||
      ALERT_NOUN.has(key) ||
      ALL.has(key) ||
      TURN.has(key) ||
      /^(?:the|a|an|any|those|ones|not|,|不|非)$/.test(key) ||
      segment.concepts.has('not') ||
      segment.concepts.has('without');
    if (!isBetween) return undefined;
  }
  return undefined;
}

/** `把 X 的告警静默`, `a silence for all alerts`: holds what is explained on both sides. */
function isPossessive(pieces: readonly Piece[], at: number): boolean {
  const { key } = (pieces[at] as Piece).segment;
  const after = pieces.slice(at + 1).find((one) => !/^(?:the|a|an|,)$/.test(one.segment.key));
  if (after === undefined) return false;
  const next = after.segment.key;
  const isThing = ALERT_NOUN.has(next) || ALL.has(next) || SILENCE_NOUN.has(next);
  if (key === '把' || key === '将' || key === '给' || key === 'to' || key === 'and') {
    const isOrdered = SILENCING.has(next) || after.role !== 'word' || POINTING.has(next);
    return isThing || isOrdered || after.segment.ordinal !== undefined;
  }
  return isThing || POINTING.has(next) || after.segment.ordinal !== undefined;
}

/** As it stands in the order. */
function said(segments: readonly Segment[]): string {
  return segments
    .map(({ text }, index) => {
      const before = segments[index - 1]?.text ?? '';
      return index > 0 && /[\w"]$/.test(before) && /^[\w"]/.test(text) ? ` ${text}` : text;
    })
    .join('')
    .replace(/^[,;.]+|[,;.]+$/g, '')
    .trim();
}
