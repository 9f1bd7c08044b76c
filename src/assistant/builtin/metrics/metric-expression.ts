import { halfWidth } from '../promql/find-promql.js';
import { expressionAt, isCallable } from '../promql/grammar.js';

/** As metrics are called: a name with an underscore or a colon, and nothing of an expression at it. */
const METRIC = /(?<![\w:.'"`=~{/@-])[a-zA-Z_:][\w:]*[_:][\w:]*(?<!:)(?![\w({[=]|:\w|[.@/-]\w)/gu;
const NAME = /[A-Za-z_:][\w:]*/g;
const KEYWORD = /^(?:bool|offset|unless|atan2)$/;
/** `above 1`, 大于 1 behind a name; what lasts or has a unit is none: `over 30 minutes`. */
const COMPARED =
  /^\s*(?:的?值|\s*values?)?\s*(?:(?:is|are|was|were|has been|of|being|goes|go|went|that is|that are)\s+)?(?<words>or more|[a-z ]+?|[一-鿿]+?)\s*(?<number>-?\d+(?:\.\d+)?)(?<percent>\s*%)?(?:\s+(?<more>or (?:more|above|higher|less|below|lower)))?(?![\w.:%/-]|\s*(?:ms|s|m|h|d|secs?|seconds?|mins?|minutes?|hours?|hrs?|days?|weeks?|months?|years?)\b|\s*(?:毫秒|秒|分钟|小时|天|周|月|年|点|倍|个))/iu;
const OPERATORS: readonly (readonly [op: string, words: RegExp])[] = [
  [
    '>=',
    /^(?:at least|no less than|not less than|not below|不低于|不小于|不少于|至少|大于等于)$/iu,
  ],
  [
    '<=',
    /^(?:at most|no more than|not more than|not above|up to|不超过|不高于|不大于|至多|最多|小于等于)$/iu,
  ],
  [
    '>',
    /^(?:above|over|greater than|more than|higher than|larger than|bigger than|exceeds?|exceeding|大于|超过|高于|超出|多于)$/iu,
  ],
  ['<', /^(?:below|under|less than|lower than|smaller than|fewer than|小于|低于|少于|不到)$/iu],
  ['==', /^(?:equal to|equals?|exactly|等于)$/iu],
];

/** An expression about a metric in a question. */
export interface MetricExpression {
  readonly name: string;
  readonly expr: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The one metric that the question names, with what is calculated or compared: `x_y > 1`,
 * `x_y offset 5m`, `x_y above 1`, `x_y / z_y`; undefined for none, or for several that no operator
 * joins.
 */
export function metricExpression(
  question: string,
  isOther: (name: string) => boolean,
): MetricExpression | undefined {
  const text = halfWidth(question);
  const names = [...text.matchAll(METRIC)].filter(([name]) => !isCallable(name) && !isOther(name));
  const [only] = names;
  if (only === undefined) return undefined;
  const [name] = only;
  const start = only.index;
  const bare = start + name.length;
  const end = calculated(text, start, bare);
  if (names.some(({ index }) => index >= end)) return undefined;
  if (end > bare) return { name, expr: text.slice(start, end).trim(), start, end };
  const compared = comparedIn(text.slice(bare), name);
  if (compared === undefined) return { name, expr: name, start, end };
  return { name, expr: `${name} ${compared.condition}`, start, end: bare + compared.length };
}

/** Where the arithmetic ends that begins with a name; a host is no operand: `x_y -web-1`. */
function calculated(text: string, start: number, bare: number): number {
  const found = expressionAt(text, start);
  if (found === undefined || found.end <= bare) return bare;
  const tail = text.slice(bare, found.end);
  const isOurs = (tail.match(NAME) ?? []).every(
    (one) =>
      KEYWORD.test(one) || isCallable(one) || /[_:]/.test(one) || /^[smhdwy]$|^ms$/.test(one),
  );
  return isOurs && !tail.startsWith(':') && !/[\w-]/.test(text[found.end] ?? '') ? found.end : bare;
}

function comparedIn(
  tail: string,
  name: string,
): { readonly condition: string; readonly length: number } | undefined {
  const match = COMPARED.exec(tail);
  const { words = '', number = '', percent, more } = match?.groups ?? {};
  const op = more === undefined ? operatorOf(words.trim()) : undefined;
  if (match === null || op === undefined) return undefined;
  if (percent !== undefined && !/percent|pct/i.test(name)) return undefined;
  return { condition: `${op} ${number}`, length: match[0].length };
}

function operatorOf(words: string): string | undefined {
  return OPERATORS.find(([, one]) => one.test(words))?.[0];
}
