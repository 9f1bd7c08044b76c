import type { Concept } from '../lexicon/concept.js';
import { isHan } from '../text/normalise.js';
import type { ValueResolver } from './resolve-value.js';
import { isHint, type Sentence } from './sentence.js';
import type { Segment } from './segment.js';
import type { Value, ValueContext } from './value-context.js';

/** Words that hold a sentence together: a value of that name needs its label beside it. */
const GRAMMAR: ReadonlySet<Concept> = new Set<Concept>([
  'alert',
  'firing',
  'is',
  'in',
  'of',
  'and',
  'or',
  'not',
  'without',
  'by',
  'which',
  'check',
  'it',
  'them',
  'all',
  'label',
  'about',
  'silence',
  'silenced',
]);

const VERBS: ReadonlySet<Concept> = new Set<Concept>(['list', 'query', 'write', 'value']);

/** Finds the parts of a sentence that stand for values of labels. */
export class ValueFinder {
  constructor(
    private readonly sentence: Sentence,
    private readonly resolver: ValueResolver,
    private readonly context: ValueContext,
  ) {}

  /** Does the part stand for a label's value here? Most words of ours do so only beside a label. */
  isValue(index: number): boolean {
    const part = this.sentence.at(index);
    if (part === undefined || part.kind === 'time' || part.kind === 'mark') return false;
    if (part.kind === 'quoted') return true;
    // `by shard` asks for a label, even for one that does not exist.
    if (part.kind === 'unknown') return !this.sentence.has(index - 1, 'by');
    const hint = this.context.hintOf([{ part, index }])?.part;
    const hinted = hint !== undefined;
    if (part.kind === 'number') {
      // `shard 3` and `the 3 shard` name a shard, `3 shards` counts them.
      const counts = hinted && /[^s]s$/.test(hint.key) && this.sentence.at(index + 1) === hint;
      return hinted && !counts && part.ordinal === undefined;
    }
    if (part.aliases.length > 0) {
      return this.aliasCounts(part) || hinted || part.concepts.size === 0;
    }
    if (part.mention === undefined) {
      return this.isOwnName(part, index) || this.isNamedLikeVerb(part, index);
    }
    if (isHint(part)) {
      // `job node` where `node` is a job.
      if (hint !== undefined && this.context.fits([{ part, index }], hint)) return true;
      return !this.precedesValue(index) && this.context.isPlace(index);
    }
    if (part.concepts.size === 0) return true;
    // A live value that is also a word of ours, such as job="prometheus" or service="search".
    const isGrammar = [...part.concepts].some((concept) => GRAMMAR.has(concept));
    // In Chinese a Latin word is a name rather than a word of ours.
    const isForeign = this.sentence.chinese && !Array.from(part.text).some(isHan);
    // An order begins with its verb: later in the sentence `search` is the team of that name.
    const isName = index > 0 && [...part.concepts].every((concept) => VERBS.has(concept));
    return hinted || (!isGrammar && (isForeign || isName || this.context.isPlace(index)));
  }

  /** `database alerts` where no label is a database: the word can only be part of a name. */
  private isOwnName(part: Segment, index: number): boolean {
    if (part.families.length === 0 || this.resolver.labelsOf(part).length > 0) return false;
    const isAsked = this.sentence.has(index - 1, 'by', 'which', 'count');
    const isBound = this.precedesValue(index) || (index > 0 && this.isNamed(index - 1));
    return !isAsked && !isBound && this.context.isSubject(index);
  }

  /** `alerts for search` where nothing live is called so: a name all the same, not our verb. */
  private isNamedLikeVerb(part: Segment, index: number): boolean {
    const verbs = [...part.concepts].filter((concept) => VERBS.has(concept));
    const before = this.sentence.at(index - 1);
    const isAfter =
      before?.key === 'of' || (before?.concepts.has('in') === true && before.key !== 'to');
    return (
      isAfter &&
      part.end - part.start === 1 &&
      verbs.length === part.concepts.size &&
      verbs.length > 0
    );
  }

  private isNamed(index: number): boolean {
    const part = this.sentence.at(index);
    return part !== undefined && !isHint(part) && this.isValue(index);
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
  listFrom(index: number): readonly Value[] {
    const list: Value[] = [{ part: this.sentence.at(index) as Segment, index }];
    for (;;) {
      let next = (list.at(-1)?.index ?? index) + 1;
      const joint = next;
      while (this.sentence.has(next, 'and', 'or') && !isHint(this.sentence.at(next))) next += 1;
      // `team core or in staging` begins a new condition.
      // `not staging but critical`
      const isTurn = /^(?:but|但|但是|不过)$/.test(this.sentence.at(next - 1)?.key ?? '');
      const isNew = / (?:in|on|for|from|with)$/.test(this.sentence.at(next - 1)?.key ?? '');
      if (next === joint || isNew || isTurn || !this.isValue(next)) return list;
      list.push({ part: this.sentence.at(next) as Segment, index: next });
    }
  }
}
