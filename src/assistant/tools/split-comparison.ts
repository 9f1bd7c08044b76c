export interface Comparison {
  /** What is measured. */
  readonly measured: string;
  readonly op: '>' | '<' | '>=' | '<=' | '==' | '!=';
  /** As it is written. */
  readonly threshold: string;
}

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;
const AT_END = /^([^]*\S)\s*(>=|<=|==|!=|>|<)\s*(?:bool\s+)?(\S+)$/;

/**
 * Takes a rule's expression of the form `<measured> > <number>` apart, so that the value can be shown
 * also while it does not hold. Undefined for anything where that could change the meaning: several
 * comparisons, `and`, `or`, `unless`, a threshold that is no number.
 */
export function splitComparison(expr: string): Comparison | undefined {
  const text = expr.trim().slice(0, 4000);
  const [, measured = '', op = '', threshold = ''] = AT_END.exec(text) ?? [];
  if (!NUMBER.test(threshold)) return undefined;
  const bare = withoutTexts(measured);
  if (/\b(?:and|or|unless)\b|[<>#]|[=!]=/i.test(bare) || !isBalanced(bare)) return undefined;
  return { measured: measured.trim(), op: op as Comparison['op'], threshold };
}

/** Without label matchers and quoted texts, whose operators are none of the expression's. */
function withoutTexts(expr: string): string {
  return expr
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g, '')
    .replace(/\{[^{}]*\}/g, '');
}

function isBalanced(expr: string): boolean {
  let depth = 0;
  for (const char of expr) {
    if (char === '(' || char === '[') depth += 1;
    if (char === ')' || char === ']') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
