import type { Question } from '../parse/question.js';

/**
 * What is asked of the past: `fired` at any time of a period, `ended` in it, or `history` in general.
 */
export type PastKind = 'history' | 'ended' | 'fired';

const ASKED_BEFORE = /^(?:did|has|have|had|was|were)$/;
/** `has fired`, `did alert`: not `have we got`. */
const FIRED =
  /^(?:fired?|alert|alerted|triggered|trigger|gone off|went off|go off|raised|paged|broken)$/;
/** 触发过, 报警了: it happened. */
const FIRED_HAN =
  /(?:触发|告警|报警|报|响|出现|发生|叫|挂|爆|炸)(?:了?(?:多少|几)次|过|了(?!什么|啥|哪))/u;
const STILL = /^(?:still|yet|now|right now|currently|还|还在|仍|仍在|仍然|现在|目前|当前|正在)$/;

/** Undefined: it is about what fires now. */
export function pastKindOf({ sentence, conditions, time }: Question): PastKind | undefined {
  const isNamed = conditions.where.length + conditions.unmatched.length > 0;
  const resolved = sentence.indexOf('resolved');
  if (resolved !== -1) {
    // `is HighErrorRate resolved?`, 问题解决了没: of now.
    const isNot = sentence.has(resolved - 1, 'not', 'without');
    const isOfNow = sentence.at(resolved + 1)?.key === '没';
    const isOfMany = !isNamed || sentence.any('alert') || sentence.any('which');
    if (!isNot && !isOfNow && (isOfMany || time !== undefined)) return 'ended';
  }
  if (sentence.any('history')) return 'history';
  if (resolved !== -1 || sentence.segments.some(({ key }) => STILL.test(key))) return undefined;
  // `when did it end?` of one that does not fire: of what fires the present tells.
  if (sentence.any('since-when') && conditions.unmatched.length > 0) return 'fired';
  const text = sentence.segments.map(({ key }) => key).join(sentence.chinese ? '' : ' ');
  if (FIRED_HAN.test(text) && (time !== undefined || isNamed)) return 'fired';
  const asks = ASKED_BEFORE.test(sentence.segments[0]?.key ?? '');
  const speaks = sentence.segments.some(({ key }) => FIRED.test(key));
  const isWere = /^(?:was|were)$/.test(sentence.segments[0]?.key ?? '');
  const isAny = sentence.any('alert') || sentence.any('firing');
  if (isWere) return isAny && time !== undefined ? 'fired' : undefined;
  return asks && speaks && (time !== undefined || isNamed) ? 'fired' : undefined;
}

/** `has X fired today?`, X 今天触发过吗: a yes or no comes first, unless a word was left out. */
export function asksYesNo({ sentence, ignored }: Question): boolean {
  const isOpen = (['which', 'count', 'since-when', 'detail', 'history'] as const).some((concept) =>
    sentence.any(concept),
  );
  if (isOpen || ignored.length > 0) return false;
  const first = sentence.segments[0]?.key ?? '';
  return ASKED_BEFORE.test(first) || sentence.any('check');
}

/** `what fired first?`, 最先触发的是哪个: of all that fired, not only of what fires now. */
export function asksFirst({ sentence, references }: Question): boolean {
  const { order, limit } = references;
  if (order !== 'oldest' || limit !== 1) return false;
  return sentence.segments.some(({ key, ordinal }) => ordinal === 1 || FIRST.test(key));
}

const FIRST = /first|^(?:earliest|(?:started|began|triggered|kicked|set) it)|^最(?:先|早)/u;
