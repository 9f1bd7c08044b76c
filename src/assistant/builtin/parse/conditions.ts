import type { Clause, Matcher } from '../../tools/label-matcher.js';
import { Joiner } from './join-clauses.js';
import { type Resolved, ValueResolver } from './resolve-value.js';
import type { Segment } from './segment.js';
import { isHint, type Sentence } from './sentence.js';
import { isStrictWithout, type Value, ValueContext } from './value-context.js';
import type { Vocabulary } from './vocabulary.js';

/** Something about the reading that the user should see. */
export type Note =
  | { readonly kind: 'read'; readonly typed: string; readonly readAs: string }
  /** A word was found as a part of live values only. */
  | { readonly kind: 'part'; readonly typed: string; readonly found: string }
  /** No live label is of the kind that was named; another one has the value. */
  | { readonly kind: 'other-label'; readonly typed: string; readonly found: string }
  /** An exclusion of something that nothing has. */
  | { readonly kind: 'nothing-excluded'; readonly typed: string }
  /** One of several alternatives exists nowhere. */
  | { readonly kind: 'no-such-alternative'; readonly typed: string };

/** A condition that nothing live fulfils. */
export interface Unmatched {
  /** `team=foo` or just `foo`. */
  readonly text: string;
  /** Live values of the same label, or conditions that the user may have meant; for the answer. */
  readonly near: readonly string[];
}

export interface Conditions {
  readonly where: readonly Clause[];
  readonly unmatched: readonly Unmatched[];
  /** Words that look like conditions, but could not be read as one. */
  readonly ignored: readonly string[];
  readonly notes: readonly Note[];
  /** Label hints that no value has claimed: what a `by` may group by. */
  readonly freeHints: ReadonlySet<Segment>;
  /** Segments that were read as values. */
  readonly used: ReadonlySet<Segment>;
  /** How many conditions were told beyond doubt: live ones, and those with a label. */
  readonly sure: number;
  /** Conditions on the same label that cannot be combined into one list. */
  readonly contradictory: boolean;
}

/** Words whose exclusion goes on over `and`; that of a plain `not` does not. */
const EXCEPTION =
  /^(?:except|exclud|other than|apart|beside|aside|ignor|minus|leaving|all but|everything but|without|除|排除|不包|不含|剔除|刨除|去掉)/;

/** Reads the conditions of a question. One object a question. */
export class ConditionReader {
  private readonly resolver: ValueResolver;
  private readonly context: ValueContext;
  private readonly joiner = new Joiner();
  private readonly unmatched: Unmatched[] = [];
  private readonly ignored: string[] = [];
  private readonly notes: Note[] = [];
  private readonly claimed = new Set<Segment>();
  private readonly used = new Set<Segment>();
  private sure = 0;
  /** Where an exception such as `except a` ends: what `and` joins to it there is excepted too. */
  private exceptionEnd: number | undefined;

  constructor(
    private readonly sentence: Sentence,
    private readonly vocabulary: Vocabulary,
  ) {
    this.resolver = new ValueResolver(vocabulary);
    this.context = new ValueContext(
      sentence,
      this.resolver,
      (hint) => this.claimed.has(hint) || this.used.has(hint),
    );
  }

  read(): Conditions {
    const { parts } = this.sentence;
    for (let index = 0; index < parts.length;) {
      const part = parts[index] as Segment;
      if (part.kind === 'matcher') {
        this.readMatcher(part, index);
        index += 1;
      } else if (this.isValue(index)) {
        const list = this.listFrom(index);
        this.readList(list);
        index = (list.at(-1)?.index ?? index) + 1;
      } else {
        this.readAbsence(part, index);
        index += 1;
      }
    }
    const freeHints = new Set(parts.filter((part) => isHint(part) && !this.claimed.has(part)));
    for (const value of this.used) freeHints.delete(value);
    return {
      where: this.joiner.clauses(),
      contradictory: this.joiner.contradictory,
      unmatched: this.unmatched,
      ignored: this.ignored,
      notes: this.notes,
      freeHints,
      used: this.used,
      sure: this.sure,
    };
  }

  /** Does the part stand for a label's value here? Most words of ours do so only beside a label. */
  private isValue(index: number): boolean {
    const part = this.sentence.at(index);
    if (part === undefined || part.kind === 'time' || part.kind === 'mark') return false;
    if (part.kind === 'quoted') return true;
    // `by shard` asks for a label, even for one that does not exist.
    if (part.kind === 'unknown') return !this.sentence.has(index - 1, 'by');
    const hinted = this.context.hintOf([{ part, index }]) !== undefined;
    if (part.kind === 'number') return hinted && part.ordinal === undefined;
    if (part.aliases.length > 0) {
      return this.aliasCounts(part) || hinted || part.concepts.size === 0;
    }
    if (part.mention === undefined) return false;
    if (isHint(part)) return !this.precedesValue(index) && this.context.isPlace(index);
    if (part.concepts.size === 0) return true;
    // A live value that is also a word of ours, such as job="prometheus".
    const weak = ['source', 'metric', 'up', 'ok', 'more', 'newest', 'filler', 'now', 'top'];
    const isWeak = [...part.concepts].every((concept) => weak.includes(concept));
    return (hinted || this.context.isPlace(index)) && (isWeak || hinted);
  }

  private aliasCounts(part: Segment): boolean {
    if (part.mention !== undefined) return true;
    const conditional = part.aliases.every((alias) => alias.kind === 'severity-if-live');
    return !conditional || this.resolver.known(part) !== undefined;
  }

  private precedesValue(index: number): boolean {
    const next = this.sentence.at(index + 1);
    return next !== undefined && !isHint(next) && this.isValue(index + 1);
  }

  /** The value at `index` and those that `and`, `or` or a comma join to it. */
  private listFrom(index: number): readonly Value[] {
    const list: Value[] = [{ part: this.sentence.at(index) as Segment, index }];
    for (;;) {
      let next = (list.at(-1)?.index ?? index) + 1;
      const joint = next;
      while (this.sentence.has(next, 'and', 'or') && !isHint(this.sentence.at(next))) next += 1;
      if (next === joint || !this.isValue(next)) return list;
      list.push({ part: this.sentence.at(next) as Segment, index: next });
    }
  }

  private readList(list: readonly Value[]): void {
    const hint = this.context.hintOf(list);
    if (hint !== undefined) this.claimed.add(hint.part);
    const first = list[0] as Value;
    const last = list.at(-1) as Value;
    const start = this.startOf(first, hint?.part);
    const negative = this.context.isNegated(first, last, hint) || this.continuesException(start);
    this.noteException(
      negative,
      start,
      last.index + (hint?.part === this.sentence.at(last.index + 1) ? 2 : 1),
    );
    const either = list.some(
      ({ index }) => index > first.index && this.sentence.has(index - 1, 'or'),
    );
    const found: { resolved: Resolved; part: Segment }[] = [];
    const missing: Segment[] = [];
    for (const { part, index } of list) {
      const resolved = this.resolve(part, index, hint?.part);
      if (resolved !== undefined) {
        found.push({ resolved, part });
        this.used.add(part);
      } else if (hint !== undefined || list.length > 1 || this.context.isStrong(index)) {
        missing.push(part);
        this.used.add(part);
      } else this.ignored.push(part.text);
    }
    if (found.length > 0 || hint !== undefined) this.sure += 1;
    for (const part of missing) {
      const text = this.nameOf(part, hint?.part);
      if (negative) this.notes.push({ kind: 'nothing-excluded', typed: text });
      else if (found.length > 0) this.notes.push({ kind: 'no-such-alternative', typed: text });
      else this.unmatched.push({ text, near: this.near(part, hint?.part) });
    }
    for (const { resolved, part } of found) this.noteReading(resolved, part, hint?.part);
    this.joiner.add(
      found.map(({ resolved }) => resolved.matchers),
      { negative, either, linked: this.context.isLinked(first) },
    );
  }

  private resolve(part: Segment, index: number, hint: Segment | undefined): Resolved | undefined {
    const labels = hint === undefined ? [] : this.resolver.labelsOf(hint);
    if (labels.length > 0 && hint !== undefined) {
      const found = this.resolver.known(part, labels) ?? this.resolver.partial(part, labels);
      const isSure = this.resolver.ownLabelsOf(hint).length > 0;
      return found ?? (isSure ? undefined : this.resolver.known(part));
    }
    const known = this.resolver.known(part);
    if (known !== undefined) return known;
    const partial = this.resolver.partial(part);
    if (partial !== undefined) return partial;
    if (!this.sentence.has(index - 1, 'about')) return undefined;
    return { matchers: [{ op: 'contains', values: [part.text] }], how: 'text' };
  }

  private readMatcher(part: Segment, index: number): void {
    const { label, op, value } = part.matcher ?? { label: '', op: '=' as const, value: '' };
    this.used.add(part);
    this.sure += 1;
    const negated =
      this.sentence.has(index - 1, 'not') ||
      isStrictWithout(this.sentence.at(index - 1)) ||
      this.continuesException(index);
    this.noteException(negated, index, index + 1);
    const live = this.vocabulary.labelNamed(label);
    const name = live ?? label;
    const negative = (op === '!=') !== negated;
    if (op === '=~' || op === '!~') {
      const turned = op === '=~' ? ('!~' as const) : ('=~' as const);
      this.joiner.addMatcher({ label: name, op: negated ? turned : op, values: [value] });
      return;
    }
    const values = this.vocabulary.valuesLike(value, name).map((found) => found.value);
    if (values.length === 0 && value !== '') {
      const text = `${name}=${value}`;
      if (negative) this.notes.push({ kind: 'nothing-excluded', typed: text });
      else this.unmatched.push({ text, near: this.nearLabel(live) });
      return;
    }
    const matcher: Matcher = { label: name, op: '=', values: values.length > 0 ? values : [''] };
    this.joiner.add([[matcher]], {
      negative,
      either: false,
      linked: this.sentence.has(index - 1, 'or'),
    });
  }

  private startOf(first: Value, hint: Segment | undefined): number {
    return hint !== undefined && this.sentence.at(first.index - 1) === hint
      ? first.index - 1
      : first.index;
  }

  private continuesException(start: number): boolean {
    return this.exceptionEnd === start - 1 && this.sentence.has(start - 1, 'and', 'or');
  }

  private noteException(negative: boolean, start: number, end: number): void {
    const before = this.sentence.at(start - 1);
    const isException = before !== undefined && EXCEPTION.test(before.key);
    const goesOn = this.continuesException(start);
    this.exceptionEnd = negative && (isException || goesOn) ? end : undefined;
  }

  /** `without a team`: the label is absent. */
  private readAbsence(part: Segment, index: number): void {
    if (!isHint(part) || !this.sentence.has(index - 1, 'without')) return;
    if (this.sentence.has(index + 1, 'is')) return;
    const label = this.resolver.labelsOf(part)[0];
    if (label === undefined) return;
    this.claimed.add(part);
    this.joiner.addMatcher({ label, op: '=', values: [''] });
  }

  private noteReading(resolved: Resolved, part: Segment, hint: Segment | undefined): void {
    const found = resolved.matchers
      .flatMap(({ label, values }) => values.map((value) => `${label ?? ''}=${value}`))
      .slice(0, 5)
      .join(', ');
    if (resolved.how === 'part') this.notes.push({ kind: 'part', typed: part.text, found });
    const same = resolved.matchers.some(({ values }) =>
      values.some((value) => value.toLowerCase() === part.key),
    );
    if (resolved.how === 'alias' && !same) {
      this.notes.push({ kind: 'read', typed: part.text, readAs: found });
    }
    const labels = hint === undefined ? [] : this.resolver.labelsOf(hint);
    if (hint !== undefined && !resolved.matchers.some(({ label = '' }) => labels.includes(label))) {
      const typed = `${hint.text} ${part.text}`;
      this.notes.push({ kind: 'other-label', typed, found });
    }
  }

  private nameOf(part: Segment, hint: Segment | undefined): string {
    if (hint === undefined) return part.text;
    return `${this.resolver.labelsOf(hint)[0] ?? hint.text}=${part.text}`;
  }

  private near(part: Segment, hint: Segment | undefined): readonly string[] {
    if (hint === undefined) return [];
    const elsewhere = this.resolver.known(part)?.matchers ?? [];
    if (elsewhere.length > 0) {
      return elsewhere.flatMap(({ label, values }) => values.map((v) => `${label ?? ''}=${v}`));
    }
    return this.nearLabel(this.resolver.labelsOf(hint)[0]);
  }

  private nearLabel(label: string | undefined): readonly string[] {
    if (label === undefined) return [];
    return this.vocabulary
      .valuesOf(label)
      .slice(0, 8)
      .map(([value]) => `${label}=${value}`);
  }
}
