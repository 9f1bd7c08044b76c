import { expressionAt, isCallable } from './grammar.js';

/** A PromQL expression in a question. */
export interface FoundPromql {
  readonly expr: string;
  /** The rest of the question, the cue and the expression cut out. */
  readonly rest: string;
  /** False: it is one bare word, which may as well be the name of something else. */
  readonly sure: boolean;
}

// Written in full width by an input method, meant as PromQL. One character each: places stay.
const FULL_WIDTH = new Map(
  Array.from(
    '｛{｝}（(）)＝=，,“"”"‘\'’\'［[］]：:！!～~＞>＜<＋+－-／/　 '.matchAll(/(.)(.)/gsu),
    ([, a, b]) => [a, b],
  ),
);
const CUES =
  /(?:\b(?:promql|query|evaluate|eval|current values? of|values? of|metrics?|graph|plot)\b|查询|指标|表达式|执行|计算|查一下|查下|查看|查)/giu;
const RUN_CUES =
  /\b(?:run|execute|compute|calculate|show|get|what is|what's|how much is|charts?|draw|visuali[sz]e)\b|运行|看看|看一下|看|画(?:出|一下|图)?/giu;
const BETWEEN =
  /(?:[\s:：,，]|\b(?:the|a|an|of|for|metrics?|promql|expression|query|instant|range|current|value|values|series|me|please)\b|一下|下|指标|表达式|语句|promql|当前|现在|目前|的|值|一个)*/iuy;
const HAN_VALUE =
  /^\s*(?:指标)?\s*的?\s*(?:当前|现在|最新|目前|实时)?\s*的?\s*(?:指标)?(?:值|数值|取值|读数|是多少|等于多少|多少|变化|趋势|走势|曲线)/u;
const ENGLISH_VALUE = /^\s*(?:(?:current|latest)\s+)?values?\b/iu;
const MOST_STARTS = 600;

/** Finds the expression that a question asks to evaluate; undefined when there is none. */
export function findPromql(question: string): FoundPromql | undefined {
  const text = halfWidth(question);
  const values = matcherValues(text);
  return (
    inCode(text) ??
    structured(text, values) ??
    afterCue(text, values) ??
    beforeValue(text, values) ??
    comparison(text)
  );
}

/** The same text in half width, each character at its place. */
export function halfWidth(text: string): string {
  return Array.from(text, (character) => FULL_WIDTH.get(character) ?? character).join('');
}

function inCode(text: string): FoundPromql | undefined {
  const match = /```(?:promql)?\s*([^`]+?)\s*```|`([^`]+)`/i.exec(text);
  const code = (match?.[1] ?? match?.[2] ?? '').trim();
  if (match === null || code === '') return undefined;
  const found = expressionAt(code, 0);
  if (found?.end !== code.length) return undefined;
  const rest = withoutCues(
    `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`,
  );
  return {
    expr: code,
    rest,
    sure: found.structured || text.search(CUES) !== -1 || /[^\w]/.test(code),
  };
}

/** A stretch of the text: `[start, end)`. */
type Stretch = readonly [number, number];

/** `instance="…"`: what stands in the quotes is a value, whatever it looks like. */
function matcherValues(text: string): readonly Stretch[] {
  return [...text.matchAll(/[=~]\s*("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/gsu)].map(
    ({ index, 0: whole }) => [index, index + whole.length],
  );
}

function isWithin(index: number, stretches: readonly Stretch[]): boolean {
  return stretches.some(([start, end]) => index > start && index < end);
}

/** Goes on as only an expression does: what was read so far is not the whole of it. */
const GOES_ON = /^\s*(?:(?:by|without|on|ignoring)\s*\(|[({[])/u;

function structured(text: string, values: readonly Stretch[]): FoundPromql | undefined {
  let tried = 0;
  for (const { index } of text.matchAll(/(?<![\w:.'"])[A-Za-z_:({]/gu)) {
    if ((tried += 1) > MOST_STARTS) return undefined;
    if (isWithin(index, values)) continue;
    const found = expressionAt(text, index);
    if (found?.structured !== true) continue;
    const isWhole = !GOES_ON.test(text.slice(found.end));
    return foundAt(text, index, isWhole ? found.end : endOf(text), true);
  }
  return undefined;
}

/** `query up`, `查询 up`: a bare name or arithmetic after a word that announces an expression. */
function afterCue(text: string, values: readonly Stretch[]): FoundPromql | undefined {
  for (const [cues, anyName] of [
    [CUES, true],
    [RUN_CUES, false],
  ] as const) {
    for (const cue of text.matchAll(cues)) {
      if (isWithin(cue.index, values)) continue;
      BETWEEN.lastIndex = cue.index + cue[0].length;
      BETWEEN.test(text);
      const start = Math.max(BETWEEN.lastIndex, cue.index + cue[0].length);
      const found = expressionAt(text, start);
      const expr = found === undefined ? '' : text.slice(start, found.end).trim();
      // `run diagnostics` announces nothing; only a name as metrics have them counts there.
      const isBroken =
        found !== undefined && isCallable(expr) && GOES_ON.test(text.slice(found.end));
      const isName = anyName || isBroken || /^\w*[a-z]_[a-z]\w*$|:/i.test(expr);
      if (found === undefined || !/[a-z_]/i.test(expr) || !isName) continue;
      if (/[\w.-]/.test(text[found.end] ?? '')) continue;
      // `query sum(rate(`: broken, but meant as one; Prometheus says best what is wrong with it.
      if (isBroken || /[({[]/.test(text[found.end] ?? '')) {
        return foundAt(text, start, endOf(text), true);
      }
      return foundAt(text, start, found.end, false);
    }
  }
  return undefined;
}

function endOf(text: string): number {
  return text.replace(/[\s?。.]+$/u, '').length;
}

/** `up 的值`, `node_load1 是多少`, `up value`. */
function beforeValue(text: string, values: readonly Stretch[]): FoundPromql | undefined {
  for (const { index } of text.matchAll(/(?<![\w:.'"-])[A-Za-z_:][\w:]*/gu)) {
    const found = isWithin(index, values) ? undefined : expressionAt(text, index);
    if (found === undefined) continue;
    const tail = text.slice(found.end);
    if (HAN_VALUE.test(tail) || ENGLISH_VALUE.test(tail)) {
      return foundAt(text, index, found.end, false);
    }
  }
  return undefined;
}

/** `up == 0` as the whole question. */
function comparison(text: string): FoundPromql | undefined {
  const expr = text.replace(/[\s?。.]+$/u, '').trim();
  if (!/^[A-Za-z_:][\w:]*\s*(?:==|!=|>=|<=|>|<)\s*-?\d+(?:\.\d+)?$/.test(expr)) return undefined;
  return { expr, rest: '', sure: false };
}

function foundAt(text: string, start: number, end: number, sure: boolean): FoundPromql {
  const expr = text.slice(start, end).trim();
  const rest = withoutCues(`${text.slice(0, start)} ; ${text.slice(end)}`);
  return { expr, rest, sure };
}

function withoutCues(text: string): string {
  return text
    .replace(CUES, ' ')
    .replace(
      /\b(?:promql|run|execute|compute|calculate|values?|metrics?|expression)\b|的?值|数值|运行|计算/giu,
      ' ',
    );
}
