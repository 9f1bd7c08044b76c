import type { Atom } from '../text/atoms.js';
import type { TimeFrame } from '../time/day.js';
import { phraseAt, type Read, spanAt } from '../time/duration.js';
import { timePhraseAt } from '../time/time-phrase.js';

/** Until when an order is to hold. */
export type OrderEnd =
  { readonly duration_minutes: number } | { readonly ends_at: string } | undefined;

/** The time of an order, and the atoms that are left without it. */
export interface OrderTime {
  /** Undefined where none is said. */
  readonly end: OrderEnd;
  /** The order without it; where it stood, a mark keeps its neighbours apart. */
  readonly rest: readonly Atom[];
  /** Times as they were said, where they are none that a silence can have, or where there are two. */
  readonly trouble: readonly string[];
}

const MINUTE = 60_000;
/** Before how long it is to last; the unit may then stand alone: `for the next hour`. */
const NEXT = [
  ...['for the next', 'over the next', 'during the next', 'within the next', 'in the next'],
  ...['for another', 'for the', 'the next', 'next', 'another'],
  ...['接下来的', '接下来', '今后的', '今后', '未来的', '未来'],
];
const FOR = ['for exactly', 'for', 'lasting', '为期', '时长', '持续'];
/** Behind it. */
const LONG = ['from now on', 'from now', 'long', '的时间', '时间', '之内', '以内', '内', '里'];
const UNTIL = ['until', 'till', '一直到', '直到', '到', '至'];
/** Before an amount of time that is none to last for: `in 2 hours`, `older than 1h`, 过两小时. */
const OTHER_BEFORE =
  /^(?:in|after|within|since|from|than|over|under|least|most|every|each|last|past|per|about|around|almost|nearly|under|above|below|than|过|每|隔|约|近|超|于|少|多|前)$/;
/** Behind one: 两小时后, `2h ago`, 两小时的告警. */
const OTHER_BEHIND = /^(?:ago|old|later|after|before|apart|each|后|前|起|以|之|的|左|多|一次)$/;
const BARRIER: Atom = { kind: 'mark', text: ';', key: ';', spaceBefore: false };

/**
 * Takes out of an order for how long, or until when, it is to hold. Only one such time is taken; what
 * else speaks of time stays in the rest, where it is a word that nothing explains.
 */
export function orderTime(atoms: readonly Atom[], frame: TimeFrame): OrderTime {
  const rest: Atom[] = [];
  const said: { readonly end: OrderEnd; readonly text: string }[] = [];
  for (let at = 0; at < atoms.length;) {
    const own = endAt(atoms, at, frame);
    const other = timePhraseAt(atoms, at, frame)?.length ?? 0;
    const length = Math.max(own?.length ?? 0, other, 1);
    const taken = atoms.slice(at, at + length);
    if (own === undefined || own.length < other) rest.push(...taken);
    else {
      said.push({ end: own.value, text: textOf(taken) });
      rest.push(BARRIER);
    }
    at += length;
  }
  const [only, ...more] = said;
  const isClear = more.length === 0 && (only === undefined || only.end !== undefined);
  return {
    end: isClear ? only?.end : undefined,
    rest,
    trouble: isClear ? [] : said.map(({ text }) => text),
  };
}

/** A value that is undefined: a time all right, but none to come. */
function endAt(atoms: readonly Atom[], at: number, frame: TimeFrame): Read<OrderEnd> | undefined {
  const until = phraseAt(atoms, at, UNTIL);
  if (until > 0) {
    const point = timePhraseAt(atoms, at, frame);
    const isEnd = point !== undefined && point.length > until && point.value.after === undefined;
    if (!isEnd || point.value.unusable === true) return undefined;
    const { before } = point.value;
    const length = point.length + phraseAt(atoms, at + point.length, ['为止', '结束']);
    const isAhead = before !== undefined && before > frame.now;
    return { value: isAhead ? { ends_at: new Date(before).toISOString() } : undefined, length };
  }
  const next = phraseAt(atoms, at, NEXT);
  const intro = next > 0 ? next : phraseAt(atoms, at, FOR);
  const span = spanAt(atoms, at + intro, next > 0);
  if (span === undefined) return undefined;
  const isBare = intro === 0;
  const before = atoms[at - 1]?.key ?? '';
  // `-5 minutes` is no time at all.
  const isNegative = /^[-−–]$/.test(before) && atoms[at]?.spaceBefore === false;
  if (isBare && isNegative) return { value: undefined, length: span.length };
  if (isBare && OTHER_BEFORE.test(before)) return undefined;
  const end = intro + span.length;
  const long = phraseAt(atoms, at + end, LONG);
  if (long === 0 && OTHER_BEHIND.test(atoms[at + end]?.key ?? '')) return undefined;
  return { value: lasting(span.value, frame), length: end + long };
}

/** A silence is never longer than was said: what is no whole minutes ends at its own second. */
function lasting(ms: number, { now }: TimeFrame): OrderEnd {
  if (ms <= 0) return undefined;
  const minutes = ms / MINUTE;
  return Number.isInteger(minutes)
    ? { duration_minutes: minutes }
    : { ends_at: new Date(now + ms).toISOString() };
}

function textOf(atoms: readonly Atom[]): string {
  return atoms
    .map(({ text, spaceBefore }, index) => (index > 0 && spaceBefore ? ` ${text}` : text))
    .join('');
}
