/**
 * A recogniser for PromQL, not an evaluator: it tells how far a text is an expression, so that one
 * can be found in a sentence. Prometheus has the last word on what it accepts.
 */

const FUNCTIONS = new Set(
  (
    'abs absent absent_over_time acos acosh asin asinh atan atanh avg_over_time ceil changes clamp clamp_max ' +
    'clamp_min cos cosh count_over_time day_of_month day_of_week day_of_year days_in_month deg delta deriv exp ' +
    'floor histogram_avg histogram_count histogram_fraction histogram_quantile histogram_sum holt_winters hour ' +
    'idelta increase irate label_join label_replace last_over_time ln log10 log2 mad_over_time max_over_time ' +
    'min_over_time minute month pi predict_linear present_over_time quantile_over_time rad rate resets round ' +
    'scalar sgn sin sinh sort sort_desc sqrt stddev_over_time stdvar_over_time sum_over_time tan tanh time ' +
    'timestamp vector year'
  ).split(' '),
);
const AGGREGATORS = new Set(
  'sum min max avg group stddev stdvar count count_values bottomk topk quantile limitk'.split(' '),
);
const WORD_OPERATORS = new Set(['and', 'or', 'unless', 'atan2']);

const SPACE = /\s*/y;
const IDENTIFIER = /[A-Za-z_:][A-Za-z0-9_:]*/y;
const NUMBER = /(?:0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![A-Za-z_\d])/y;
const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;
const DURATION = /(?:\d+(?:ms|[smhdwy]))+(?![A-Za-z_\d])/y;
const LABEL = /[A-Za-z_][A-Za-z0-9_]*/y;
const MATCH_OP = /=~|!~|!=|=/y;
const OPERATOR = /==|!=|>=|<=|[-+*/%^<>]/y;

/** A stretch of the text that is an expression. */
export interface Expression {
  readonly end: number;
  /** It has a selector, a call or a range. A bare name, `web-1` or `(critical)` could be any text. */
  readonly structured: boolean;
}

/** The longest expression that begins at `start`; undefined when none does. */
export function expressionAt(text: string, start: number): Expression | undefined {
  const reader = new Reader(text);
  const end = reader.expression(start, 0);
  return end === undefined ? undefined : { end, structured: reader.structured };
}

/** Is it the name of a function or an aggregation? Nobody's metric is called so. */
export function isCallable(name: string): boolean {
  return FUNCTIONS.has(name) || AGGREGATORS.has(name);
}

const DEEPEST = 50;

class Reader {
  structured = false;

  constructor(private readonly text: string) {}

  expression(at: number, depth: number): number | undefined {
    if (depth > DEEPEST) return undefined;
    let end = this.unary(at, depth);
    while (end !== undefined) {
      const operator = this.operator(end);
      const next = operator === undefined ? undefined : this.unary(this.modifiers(operator), depth);
      if (operator === undefined || next === undefined) return end;
      // `up and tell me` joins sentences, `up and on (job) down_jobs` joins expressions.
      const isWord = /[a-z]/.test(this.text[operator - 1] ?? '');
      if (isWord && !/[{([_:]|^\s*up$/.test(this.text.slice(operator, next))) return end;
      end = next;
    }
    return end;
  }

  private unary(at: number, depth: number): number | undefined {
    const start = this.skip(at);
    const sign = /[-+]/.test(this.text[start] ?? '') ? 1 : 0;
    const primary = this.primary(start + sign, depth);
    return primary === undefined ? undefined : this.suffixes(primary, depth);
  }

  private primary(at: number, depth: number): number | undefined {
    const start = this.skip(at);
    if (this.text[start] === '(') return this.close(this.expression(start + 1, depth + 1), ')');
    if (this.text[start] === '{') return this.selector(start);
    const literal = this.match(NUMBER, start) ?? this.match(STRING, start);
    if (literal !== undefined) return literal;
    const end = this.match(IDENTIFIER, start);
    if (end === undefined) return undefined;
    const name = this.text.slice(start, end);
    if (AGGREGATORS.has(name)) {
      const call = this.arguments(this.grouping(end), depth);
      if (call !== undefined) return this.structure(this.grouping(call));
    }
    if (FUNCTIONS.has(name)) {
      const call = this.arguments(end, depth);
      if (call !== undefined) return this.structure(call);
    }
    if (WORD_OPERATORS.has(name)) return undefined;
    // `up {job="x"}` is one selector, but `firing {…}` in a sentence is not: no blank here.
    return this.text[end] === '{' ? (this.structure(this.selector(end)) ?? end) : end;
  }

  /** `[5m]`, `[1h:5m]`, `offset 1d`, `@ 1234`. */
  private suffixes(at: number, depth: number): number {
    const bracket = this.skip(at);
    if (this.text[bracket] === '[') {
      const duration = this.match(DURATION, this.skip(bracket + 1));
      const colon = duration === undefined ? undefined : this.skip(duration);
      const step =
        colon !== undefined && this.text[colon] === ':'
          ? (this.match(DURATION, this.skip(colon + 1)) ?? colon + 1)
          : duration;
      const end = this.structure(this.close(step, ']'));
      return end === undefined ? at : this.suffixes(end, depth);
    }
    const offset = this.word(at, 'offset');
    if (offset !== undefined) {
      const sign = this.skip(offset);
      const end = this.match(DURATION, this.skip(this.text[sign] === '-' ? sign + 1 : sign));
      if (end !== undefined) return this.suffixes(end, depth);
    }
    if (this.text[bracket] === '@') {
      const end = this.match(NUMBER, this.skip(bracket + 1));
      if (end !== undefined) return this.suffixes(end, depth);
    }
    return at;
  }

  private selector(at: number): number | undefined {
    let next = this.skip(at + 1);
    while (this.text[next] !== '}') {
      const label = this.match(LABEL, next);
      const operator = label === undefined ? undefined : this.match(MATCH_OP, this.skip(label));
      const value = operator === undefined ? undefined : this.match(STRING, this.skip(operator));
      if (value === undefined) return undefined;
      next = this.skip(value);
      if (this.text[next] === ',') next = this.skip(next + 1);
      else if (this.text[next] !== '}') return undefined;
    }
    return next + 1;
  }

  private arguments(at: number, depth: number): number | undefined {
    let next: number | undefined = this.skip(at);
    if (this.text[next] !== '(') return undefined;
    next = this.skip(next + 1);
    if (this.text[next] === ')') return next + 1;
    for (;;) {
      next = this.expression(next, depth + 1);
      if (next === undefined) return undefined;
      next = this.skip(next);
      if (this.text[next] === ')') return next + 1;
      if (this.text[next] !== ',') return undefined;
      next += 1;
    }
  }

  /** `by (a, b)`, `without (c)`; nothing is fine too. */
  private grouping(at: number): number {
    const word = this.word(at, 'by') ?? this.word(at, 'without');
    return word === undefined ? at : (this.labelList(word) ?? at);
  }

  /** `on (a) group_left (b)`, `bool`. */
  private modifiers(at: number): number {
    let end = this.word(at, 'bool') ?? at;
    for (const name of ['on', 'ignoring', 'group_left', 'group_right']) {
      const word = this.word(end, name);
      if (word !== undefined) end = this.labelList(word) ?? end;
    }
    return end;
  }

  private labelList(at: number): number | undefined {
    let next = this.skip(at);
    if (this.text[next] !== '(') return undefined;
    next = this.skip(next + 1);
    while (this.text[next] !== ')') {
      const label = this.match(LABEL, next);
      if (label === undefined) return undefined;
      next = this.skip(label);
      if (this.text[next] === ',') next = this.skip(next + 1);
      else if (this.text[next] !== ')') return undefined;
    }
    return next + 1;
  }

  private operator(at: number): number | undefined {
    const start = this.skip(at);
    for (const name of WORD_OPERATORS) {
      const end = this.word(start, name);
      if (end !== undefined) return end;
    }
    return this.match(OPERATOR, start);
  }

  private word(at: number, name: string): number | undefined {
    const start = this.skip(at);
    const end = this.match(IDENTIFIER, start);
    return end !== undefined && this.text.slice(start, end) === name ? end : undefined;
  }

  private close(at: number | undefined, mark: string): number | undefined {
    if (at === undefined) return undefined;
    const end = this.skip(at);
    return this.text[end] === mark ? end + 1 : undefined;
  }

  private structure(end: number | undefined): number | undefined {
    if (end !== undefined) this.structured = true;
    return end;
  }

  private skip(at: number): number {
    return this.match(SPACE, at) ?? at;
  }

  private match(pattern: RegExp, at: number): number | undefined {
    pattern.lastIndex = at;
    return pattern.test(this.text) ? pattern.lastIndex : undefined;
  }
}
