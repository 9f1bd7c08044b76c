import type { MatchOp } from '../../sources/source.types.js';
import { Vocabulary } from '../parse/vocabulary.js';
import { cutUp } from '../parse/question.js';
import { segment, type Segment } from '../parse/segment.js';
import { unquoted } from '../text/atoms.js';
import type { TimeFrame } from '../time/day.js';
import { type OrderEnd, orderTime } from './order-time.js';
import { OUTSIDE } from './order-words.js';
import { type Piece, unexplained, type Unexplained } from './unexplained.js';

export interface WrittenMatcher {
  readonly name: string;
  readonly op: Exclude<MatchOp, 'contains'>;
  readonly value: string;
}

/** An order whose conditions are written out: `silence team="payments" except env="dev" for 1h`. */
export interface WrittenOrder {
  readonly matchers: readonly WrittenMatcher[];
  readonly end: OrderEnd;
  /** Times that are none a silence can have. */
  readonly trouble: readonly string[];
  readonly left: Unexplained;
  /** Several values of one label that are to hold at once: `team="a" or team="b"`. */
  readonly alternatives: readonly WrittenMatcher[];
}

/** As it is written: `instance=~"db-.*"`. */
const MATCHER = /([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|==|=)\s*(["“”'](?:[^"“”'\\]|\\.)*["“”'])/gu;
const NOTHING = new Vocabulary([]);
const TURNED = { '=': '!=', '!=': '=', '=~': '!~', '!~': '=~' } as const;

/** The matchers that are written in a text, as they stand. */
export function matchersIn(text: string): readonly WrittenMatcher[] {
  return [...text.matchAll(MATCHER)].map(([, name = '', op = '=', value = '']) => ({
    name,
    op: (op === '==' ? '=' : op) as WrittenMatcher['op'],
    value: unquoted(value),
  }));
}

/** Undefined where no condition is written out. */
export function writtenOrder(text: string, frame: TimeFrame): WrittenOrder | undefined {
  const found = matchersIn(text);
  if (found.length === 0) return undefined;
  const gaps = text.replace(MATCHER, '\0').split('\0');
  const ends: OrderEnd[] = [];
  const trouble: string[] = [];
  const parts: (Segment | WrittenMatcher)[] = [];
  for (const [index, gap] of gaps.entries()) {
    const { atoms } = cutUp(gap, NOTHING, frame);
    const time = orderTime(atoms, frame);
    if (time.end !== undefined) ends.push(time.end);
    trouble.push(...time.trouble);
    parts.push(...segment(time.rest, NOTHING, frame));
    const matcher = found[index];
    if (matcher !== undefined) parts.push(matcher);
  }
  const pieces = turned(parts);
  const matchers = pieces.flatMap(({ matcher }) => (matcher === undefined ? [] : [matcher]));
  const left = unexplained(
    pieces.map(({ piece }) => piece),
    'silence',
  );
  const isOr = pieces.some(({ piece }) => piece.role === 'word' && isOrWord(piece.segment));
  return {
    matchers,
    end: ends.length === 1 ? ends[0] : undefined,
    trouble: ends.length > 1 ? [...trouble, text] : trouble,
    left,
    alternatives: isOr ? matchers : repeated(matchers),
  };
}

interface Turned {
  readonly piece: Piece;
  readonly matcher?: WrittenMatcher;
}

/** Each matcher with what an exclusion before or behind it makes of it. */
function turned(parts: readonly (Segment | WrittenMatcher)[]): readonly Turned[] {
  return parts.map((part, at) => {
    if (!('op' in part)) return { piece: { segment: part, role: 'word' } };
    const [before, after] = [negatorBefore(parts, at), parts[at + 1]];
    const isOut = before || (after !== undefined && !('op' in after) && OUTSIDE.has(after.key));
    const matcher = isOut ? { ...part, op: TURNED[part.op] } : part;
    // `except a="1" and b="2"`: is the second one left out, too? `not a!="1"`: nobody says that.
    const isUnclear = (isOut && /^!/.test(part.op)) || (!isOut && followsExclusion(parts, at));
    const role = isUnclear ? 'word' : isOut ? 'excluded' : 'value';
    return { piece: { segment: asSegment(part), role }, matcher };
  });
}

/** Between an exclusion and what it excludes. */
const BETWEEN =
  /^(?:the|a|an|any|those|ones|alerts?|alarms?|with|for|in|on|from|of|where|whose|label|labels|that have|having|告警|报警|标签|的|在|是)$/;

function negatorBefore(parts: readonly (Segment | WrittenMatcher)[], at: number): boolean {
  for (let index = at - 1; index >= 0; index -= 1) {
    const part = parts[index];
    if (part === undefined || 'op' in part) return false;
    if (isNegation(part)) return true;
    if (!BETWEEN.test(part.key)) return false;
  }
  return false;
}

function followsExclusion(parts: readonly (Segment | WrittenMatcher)[], at: number): boolean {
  const before = parts.slice(0, at);
  return before.some((part, index) => {
    if ('op' in part) return false;
    return isNegation(part) && before.slice(index).some((one) => 'op' in one);
  });
}

function isNegation({ concepts }: Segment): boolean {
  return concepts.has('not') || concepts.has('without');
}

function isOrWord({ concepts }: Segment): boolean {
  return concepts.has('or');
}

/** Matchers of a label that has another one which wants something else of it. */
function repeated(matchers: readonly WrittenMatcher[]): readonly WrittenMatcher[] {
  const wanted = matchers.filter(({ op }) => op === '=' || op === '=~');
  return wanted.filter(({ name }) => wanted.filter((one) => one.name === name).length > 1);
}

function asSegment({ name, op, value }: WrittenMatcher): Segment {
  const text = `${name}${op}${JSON.stringify(value)}`;
  return {
    ...{ start: 0, end: 1, text, key: text.toLowerCase(), kind: 'matcher' },
    ...{ concepts: new Set(), families: [], aliases: [], labels: [] },
  };
}
