import { ToolInputError } from './tool.js';
import type { ToolFault } from './tool-fault.js';

/** One state: reads a character, forks, or accepts. Numbers are places in the list of states. */
type State =
  | { readonly kind: 'read'; readonly fits: (character: string) => boolean; readonly next: number }
  | { readonly kind: 'fork'; readonly to: readonly number[] }
  | { readonly kind: 'accept' };

type Node =
  | { readonly kind: 'character'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'sequence'; readonly items: readonly Node[] }
  | { readonly kind: 'either'; readonly items: readonly Node[] }
  | { readonly kind: 'repeat'; readonly item: Node; readonly min: number; readonly max: number };

const MOST_STATES = 200;
const MOST_COPIES = 100;

/**
 * Compiles an anchored label pattern as Prometheus writes them: literals, `.`, classes, groups,
 * `|`, `*`, `+`, `?`, `{n,m}`. It is matched by following all states at once, so the time grows with
 * the length of the value and of the pattern only: JavaScript's own engine backtracks, and a pattern
 * like `(a+)+b` of some user would stop the whole process.
 * @throws ToolInputError for what is no such pattern.
 */
export function compilePattern(source: string): (value: string) => boolean {
  const tree = new Parser(source).parse();
  const states: State[] = [{ kind: 'accept' }];
  const start = build(tree, 0, states, source);
  return (value) => accepts(states, start, value);
}

function accepts(states: readonly State[], start: number, value: string): boolean {
  let current = closure(states, [start]);
  for (const character of value) {
    const next: number[] = [];
    for (const at of current) {
      const state = states[at];
      if (state?.kind === 'read' && state.fits(character)) next.push(state.next);
    }
    if (next.length === 0) return false;
    current = closure(states, next);
  }
  return current.has(0);
}

/** The states that are reached without reading. */
function closure(states: readonly State[], from: readonly number[]): ReadonlySet<number> {
  const reached = new Set<number>();
  const open = [...from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (reached.has(at)) continue;
    reached.add(at);
    const state = states[at];
    if (state?.kind === 'fork') open.push(...state.to);
  }
  return reached;
}

/** Adds the states of `node` that go on to `next`; returns where they begin. */
function build(node: Node, next: number, states: State[], source: string): number {
  const add = (state: State): number => {
    if (states.length >= MOST_STATES) throw new ToolInputError(fault(source, true));
    return states.push(state) - 1;
  };
  switch (node.kind) {
    case 'character':
      return add({ kind: 'read', fits: node.fits, next });
    case 'sequence':
      return node.items.reduceRight((end, item) => build(item, end, states, source), next);
    case 'either':
      return add({ kind: 'fork', to: node.items.map((item) => build(item, next, states, source)) });
    case 'repeat': {
      let end = next;
      if (node.max === Infinity) {
        const to = [next];
        end = add({ kind: 'fork', to });
        to.push(build(node.item, end, states, source));
      } else {
        for (let copy = node.min; copy < node.max; copy += 1) {
          end = add({ kind: 'fork', to: [next, build(node.item, end, states, source)] });
        }
      }
      for (let copy = 0; copy < node.min; copy += 1) end = build(node.item, end, states, source);
      return end;
    }
  }
}

class Parser {
  private at = 0;
  private readonly characters: readonly string[];

  constructor(private readonly source: string) {
    this.characters = Array.from(source);
  }

  parse(): Node {
    const node = this.either(0);
    if (this.at < this.characters.length) throw this.wrong();
    return node;
  }

  private either(depth: number): Node {
    if (depth > 20) throw this.wrong();
    const items = [this.sequence(depth)];
    while (this.take('|')) items.push(this.sequence(depth));
    return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'either', items };
  }

  private sequence(depth: number): Node {
    const items: Node[] = [];
    for (;;) {
      const next = this.characters[this.at];
      if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', items };
      items.push(this.repeat(this.atom(depth)));
    }
  }

  private repeat(item: Node): Node {
    const bounds = this.bounds();
    if (bounds === undefined) return item;
    // Laziness changes what is captured, not what matches.
    this.take('?');
    const [min, max] = bounds;
    if (min > max || min > MOST_COPIES || (max > MOST_COPIES && max !== Infinity)) {
      throw this.wrong();
    }
    return { kind: 'repeat', item, min, max };
  }

  private bounds(): readonly [number, number] | undefined {
    if (this.take('*')) return [0, Infinity];
    if (this.take('+')) return [1, Infinity];
    if (this.take('?')) return [0, 1];
    const rest = this.characters.slice(this.at, this.at + 10).join('');
    const match = /^\{(\d{1,3})(,)?(\d{1,3})?\}/.exec(rest);
    if (match === null) return undefined;
    this.at += match[0].length;
    const min = Number(match[1]);
    if (match[2] === undefined) return [min, min];
    return [min, match[3] === undefined ? Infinity : Number(match[3])];
  }

  private atom(depth: number): Node {
    const character = this.characters[this.at] ?? '';
    if (this.take('(')) {
      if (this.take('?') && !this.take(':')) throw this.wrong();
      const node = this.either(depth + 1);
      if (!this.take(')')) throw this.wrong();
      return node;
    }
    if (character === '[') return this.fitting(this.classSource());
    if (character === '\\') {
      const escaped = this.characters[this.at + 1] ?? '';
      // Back-references and borders are no sets of characters.
      if (escaped === '' || /[1-9kKbBpPuUxAzZQE]/.test(escaped)) throw this.wrong();
      this.at += 2;
      return /[dDwWsStnrfv]/.test(escaped)
        ? this.fitting(`\\${escaped}`)
        : { kind: 'character', fits: (c) => c === escaped };
    }
    if ('*+?{'.includes(character)) throw this.wrong();
    this.at += 1;
    if (character === '.') return { kind: 'character', fits: () => true };
    // The pattern is anchored already.
    if (character === '^' || character === '$') return { kind: 'sequence', items: [] };
    return { kind: 'character', fits: (c) => c === character };
  }

  private classSource(): string {
    const start = this.at;
    this.at += this.characters[this.at + 1] === '^' ? 2 : 1;
    // A bracket that comes first stands for itself.
    if (this.characters[this.at] === ']') this.at += 1;
    while (this.characters[this.at] !== ']') {
      if (this.characters[this.at] === undefined) throw this.wrong();
      this.at += this.characters[this.at] === '\\' ? 2 : 1;
    }
    this.at += 1;
    return this.characters
      .slice(start, this.at)
      .join('')
      .replace(/^(\[\^?)\]/, '$1\\]');
  }

  /** A set of characters, as JavaScript reads it: one character is nothing to backtrack over. */
  private fitting(set: string): Node {
    try {
      const pattern = new RegExp(`^${set}$`, 'su');
      return { kind: 'character', fits: (character) => pattern.test(character) };
    } catch {
      throw this.wrong();
    }
  }

  private take(character: string): boolean {
    if (this.characters[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private wrong(): ToolInputError {
    return new ToolInputError(fault(this.source, false));
  }
}

function fault(source: string, isComplex: boolean): ToolFault {
  return { code: 'pattern', pattern: source.slice(0, 200), isComplex };
}
