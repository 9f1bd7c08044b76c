import type { Question } from '../parse/question.js';
import type { Sentence } from '../parse/sentence.js';

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

/**
 * Undefined: it is about what fires now.
 * @param tells is there a source that remembers what has ended?
 */
export function pastKindOf(question: Question, tells: boolean): PastKind | undefined {
  const { sentence, conditions, time } = question;
  if (tells) {
    if (asksEnd(question)) return 'ended';
    if (asksFirstTime(question) || asksOften(question) || firedSince(question)) return 'fired';
    if (sentence.any('resolved') && asksLatest(question)) return 'ended';
  }
  const isNamed = conditions.where.length + conditions.unmatched.length > 0;
  const resolved = sentence.indexOf('resolved');
  if (resolved !== -1) {
    // `is HighErrorRate resolved?`, 问题解决了没: of now.
    const isNot = sentence.has(resolved - 1, 'not', 'without');
    const isOfNow = sentence.at(resolved + 1)?.key === '没';
    const isOfMany = !isNamed || sentence.any('alert') || sentence.any('which');
    if (!isNot && isAdded(sentence, resolved)) return 'fired';
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

/** `fired today, including ended ones`: no condition, but more of them. */
function isAdded(sentence: Sentence, resolved: number): boolean {
  const before = sentence.parts.slice(Math.max(0, resolved - 3), resolved);
  return before.some(({ key }) =>
    /^(?:include|includes|including|incl|包括|包含|连同|含|算上)$/.test(key),
  );
}

/** `when did X end?`, X 上一次是什么时候恢复的: also of one that fires again. */
export function asksEnd({ sentence, conditions }: Question): boolean {
  const isNamed = conditions.where.length + conditions.unmatched.length > 0;
  const { segments } = sentence;
  const isWhen = segments.some(({ key }) => WHEN_DID.test(key));
  if (!isNamed || !isWhen || sentence.any('not') || sentence.any('silence')) return false;
  return segments.some(({ key, concepts }) => concepts.has('resolved') || END.test(key));
}

const WHEN_DID =
  /^(?:when (?:did|was|has)|ended when|什么时候|何时|几点|啥时候|哪天|(?:什么时候|何时|几点)结束)$/;
const END =
  /^(?:end|ends|ended|ended when|recover|clear|stop|stopped|结束|(?:什么时候|何时|几点)结束)$/;

/** `when did X start for the first time today?`: not when it began the last time. */
export function asksFirstTime({ sentence, conditions }: Question): boolean {
  const isNamed = conditions.where.length + conditions.unmatched.length > 0;
  const { segments } = sentence;
  if (!isNamed || sentence.any('silence') || !sentence.any('since-when')) return false;
  return segments.some(({ key, ordinal }, index) => {
    const next = segments[index + 1];
    const isTime = /^(?:time|次)$/.test(next?.key ?? '') || next?.concepts.has('firing') === true;
    return (
      (ordinal === 1 && (isTime || BEGIN.test(next?.key ?? ''))) || /^(?:首次|第一次)$/.test(key)
    );
  });
}

const BEGIN = /^(?:start|begin|trigger|happen|开始|触发)$/;

/** `which alert fired most often today?`, 今天哪个告警报得最多: by how many times, not by labels. */
export function asksOften({ sentence, grouping, time }: Question): boolean {
  if (!sentence.any('most') || grouping.by.length > 0) return false;
  const keys = sentence.segments.map(({ key }) => key);
  const isOften = keys.some((key) => /^(?:often|frequently|频繁)$/.test(key));
  return isOften || (time !== undefined && keys.some((key) => /^[报响]得最多$/.test(key)));
}

/** The newest or the last of those that ended. */
export function asksLatest({ sentence, references }: Question): boolean {
  return references.order === 'newest' || sentence.any('last');
}

/** `which alerts fired today?`: all of them, whether they fire still or not. */
export function firedSince(question: Question): boolean {
  const { sentence, time, state, references } = question;
  if (time?.after === undefined || time.before !== undefined || state !== undefined) return false;
  const isOther = (
    ['silenced', 'them', 'not', 'without', 'since-when', 'oldest', 'newest'] as const
  ).some((concept) => sentence.any(concept));
  if (isOther || references.threshold !== undefined || asksFirst(question)) return false;
  const { segments } = sentence;
  if (segments.some(({ key }) => STILL.test(key))) return false;
  return segments.some(({ key }, index) => {
    return FIRED_IN.test(key) && segments[index - 1]?.concepts.has('is') !== true;
  });
}

const FIRED_IN = /^(?:fired|alerted|triggered|gone off|went off|paged)$/;

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
  const isWhat = limit === undefined && sentence.segments.some(({ key }) => WHAT_HAN.test(key));
  if (order !== 'oldest' || !(limit === 1 || isWhat)) return false;
  return sentence.segments.some(({ key, ordinal }) => ordinal === 1 || FIRST.test(key));
}

/** 最早触发的告警: in the order of the past, whatever else is asked. */
export function speaksOfFirst({ sentence }: Question): boolean {
  return sentence.segments.some(({ key, ordinal }) => ordinal === 1 || FIRST.test(key));
}

const WHAT_HAN = /^(?:是|都?有)?(?:什么|啥|谁)$/;
const FIRST = /first|^(?:earliest|(?:started|began|triggered|kicked|set) it)|^最(?:先|早)/u;
