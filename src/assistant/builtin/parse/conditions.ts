import { Collected } from './collected.js';
import type { Conditions } from './conditions.types.js';
import { ExplicitReader, nearLabel } from './explicit-conditions.js';
import { type Resolved, ValueResolver } from './resolve-value.js';
import { hintedStanding, isNameByItself, isPredicate, type Standing } from './name-place.js';
import type { Segment } from './segment.js';
import { isHint, type Sentence } from './sentence.js';
import { scaled } from './severity-scale.js';
import { type Hint, type Value, ValueContext } from './value-context.js';
import { ValueFinder } from './value-finder.js';
import type { Vocabulary } from './vocabulary.js';

/** Reads the conditions of a question. One object a question. */
export class ConditionReader {
  private readonly collected: Collected;
  private readonly resolver: ValueResolver;
  private readonly context: ValueContext;
  private readonly finder: ValueFinder;
  private readonly explicit: ExplicitReader;

  constructor(
    private readonly sentence: Sentence,
    private readonly vocabulary: Vocabulary,
  ) {
    const collected = new Collected(sentence);
    this.collected = collected;
    this.resolver = new ValueResolver(vocabulary);
    this.context = new ValueContext(
      sentence,
      this.resolver,
      (hint) => collected.claimed.has(hint) || collected.used.has(hint),
    );
    this.finder = new ValueFinder(sentence, this.resolver, this.context);
    this.explicit = new ExplicitReader(sentence, vocabulary, this.resolver, collected);
  }

  read(): Conditions {
    const { parts } = this.sentence;
    for (let index = 0; index < parts.length;) {
      const part = parts[index] as Segment;
      if (part.kind === 'matcher') {
        this.explicit.readMatcher(part, index);
        index += 1;
      } else if (this.finder.isValue(index)) {
        const list = this.finder.listFrom(index);
        this.readList(list);
        index = (list.at(-1)?.index ?? index) + 1;
      } else {
        // `without host db-1` is about that host, not about having one.
        const next = parts[index + 1];
        const isOfValue =
          next !== undefined &&
          this.finder.isValue(index + 1) &&
          this.context.fits([{ part: next, index: index + 1 }], part);
        if (!isOfValue) this.explicit.readPresence(part, index);
        index += 1;
      }
    }
    this.noteWords();
    const { joiner, unmatched, ignored, unsure, notes, used, excluded, claimed, sure } =
      this.collected;
    const freeHints = parts.filter((part) => isHint(part) && !claimed.has(part) && !used.has(part));
    return {
      where: joiner.clauses(),
      contradictory: joiner.contradictory,
      unmatched,
      ignored,
      unsure,
      notes,
      freeHints: new Set(freeHints),
      used,
      excluded,
      sure,
    };
  }

  private readList(list: readonly Value[]): void {
    const { sentence, collected, context } = this;
    const hint = context.hintOf(list);
    if (hint !== undefined) collected.claimed.add(hint.part);
    const first = list[0] as Value;
    const last = list.at(-1) as Value;
    const place = hint === undefined ? -1 : sentence.parts.indexOf(hint.part);
    const isBefore = place !== -1 && place < first.index;
    const isAfter = hint !== undefined && sentence.at(last.index + 1) === hint.part;
    const start = isBefore ? place : first.index;
    const negative = collected.negated(
      context.isNegated(first, last, hint),
      start,
      last.index + (isAfter ? 2 : 1),
    );
    const found: { resolved: Resolved; part: Segment }[] = [];
    const missing: Segment[] = [];
    for (const value of list) {
      const { part } = value;
      const resolved = this.resolve(value, hint?.part);
      if (resolved !== undefined) found.push({ resolved, part });
      else {
        const standing = this.standing(value, list, hint);
        if (standing === 'name') missing.push(part);
        else collected[standing === 'unsure' ? 'unsure' : 'ignored'].push(part.text);
      }
      if (resolved !== undefined || missing.includes(part)) {
        collected.used.add(part);
        if (negative) collected.excluded.add(part);
      }
    }
    if (found.length > 0 || hint !== undefined) collected.sure += 1;
    for (const part of missing) {
      const text = this.nameOf(part, hint?.part);
      collected.miss(text, this.near(part, hint?.part), negative, found.length > 0);
    }
    for (const { resolved, part } of found) this.noteReading(resolved, part, hint?.part);
    collected.joiner.add(
      found.map(({ resolved }) => resolved.matchers),
      {
        negative,
        either: list.some(({ index }) => index > first.index && sentence.has(index - 1, 'or')),
        linked: context.isLinked(start),
      },
    );
  }

  /** What a word is that nothing live is called by. */
  private standing(
    { part, index }: Value,
    list: readonly Value[],
    hint: Hint | undefined,
  ): Standing {
    const { sentence, context } = this;
    if (isNameByItself(part)) return 'name';
    if (isPredicate(sentence, index)) return 'unsure';
    if (hint !== undefined) return hintedStanding(sentence, index, hint.part);
    const first = list[0] as Value;
    // `for checkout and billing`: what the first one is, the others are.
    const isJoined = index > first.index && sentence.at(index - 1)?.kind !== 'mark';
    return context.standing(isJoined ? first.index : index);
  }

  private resolve(value: Value, hint: Segment | undefined): Resolved | undefined {
    const resolved = this.find(value, hint);
    return resolved === undefined
      ? undefined
      : scaled(resolved, value, this.sentence, this.vocabulary);
  }

  private find({ part, index }: Value, hint: Segment | undefined): Resolved | undefined {
    const labels = hint === undefined ? [] : this.resolver.labelsOf(hint);
    if (labels.length > 0 && hint !== undefined) {
      const found = this.resolver.known(part, labels) ?? this.resolver.partial(part, labels);
      const isSure = this.resolver.ownLabelsOf(hint).length > 0;
      return found ?? (isSure ? undefined : this.resolver.known(part));
    }
    const isNamed = part.kind !== 'unknown' || this.context.standing(index) === 'name';
    const found = this.resolver.known(part) ?? this.resolver.partial(part, undefined, isNamed);
    if (found !== undefined || !this.sentence.has(index - 1, 'about')) return found;
    return { matchers: [{ op: 'contains', values: [part.text] }], how: 'text' };
  }

  /** A live value that was taken for a word is no condition: the user should know. */
  private noteWords(): void {
    for (const part of this.sentence.parts) {
      const [live] = part.mention?.how === 'exact' ? part.mention.values : [];
      const isValue = this.collected.used.has(part);
      if (live === undefined || isValue || part.concepts.size === 0) continue;
      const found = `${live.label}=${live.value}`;
      this.collected.notes.push({ kind: 'word', typed: part.text, found });
    }
  }

  private noteReading(resolved: Resolved, part: Segment, hint: Segment | undefined): void {
    const found = resolved.matchers
      .flatMap(({ label, values }) => values.map((value) => `${label ?? ''}=${value}`))
      .slice(0, 5)
      .join(', ');
    if (resolved.how === 'part') {
      this.collected.notes.push({ kind: 'part', typed: part.text, found });
    }
    const same = resolved.matchers.some(({ values }) =>
      values.some((value) => value.toLowerCase() === part.key),
    );
    if (resolved.how === 'alias' && !same) {
      this.collected.notes.push({ kind: 'read', typed: part.text, readAs: found });
    }
    const labels = hint === undefined ? [] : this.resolver.labelsOf(hint);
    if (hint !== undefined && !resolved.matchers.some(({ label = '' }) => labels.includes(label))) {
      const typed = `${hint.text} ${part.text}`;
      this.collected.notes.push({ kind: 'other-label', typed, found });
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
    return nearLabel(this.vocabulary, this.resolver.labelsOf(hint)[0]);
  }
}
