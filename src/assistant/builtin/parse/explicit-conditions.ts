import type { Matcher } from '../../tools/label-matcher.js';
import type { Collected } from './collected.js';
import type { ValueResolver } from './resolve-value.js';
import type { Segment } from './segment.js';
import { isHint, type Sentence } from './sentence.js';
import { isStrictWithout } from './value-context.js';
import type { Vocabulary } from './vocabulary.js';

/** Reads what names its label and needs no guess: `team=core`, `without a team`. */
export class ExplicitReader {
  constructor(
    private readonly sentence: Sentence,
    private readonly vocabulary: Vocabulary,
    private readonly resolver: ValueResolver,
    private readonly collected: Collected,
  ) {}

  readMatcher(part: Segment, index: number): void {
    const { label, op, value } = part.matcher ?? { label: '', op: '=' as const, value: '' };
    const { sentence, collected } = this;
    collected.used.add(part);
    collected.sure += 1;
    const isNegated = sentence.has(index - 1, 'not') || isStrictWithout(sentence.at(index - 1));
    const negated = collected.negated(isNegated, index, index + 1);
    const live = this.vocabulary.labelNamed(label);
    const name = live ?? label;
    const negative = (op === '!=') !== negated;
    if (negated) collected.excluded.add(part);
    if (op === '=~' || op === '!~') {
      const turned = op === '=~' ? ('!~' as const) : ('=~' as const);
      collected.joiner.addMatcher({ label: name, op: negated ? turned : op, values: [value] });
      return;
    }
    const values = this.liveValues(name, value);
    if (values.length === 0 && value !== '') {
      collected.miss(`${name}=${value}`, nearLabel(this.vocabulary, live), negative);
      return;
    }
    const matcher: Matcher = {
      label: name,
      op: '=',
      values: values.length > 0 ? [...values] : [''],
    };
    collected.joiner.add([[matcher]], {
      negative,
      either: false,
      linked: sentence.has(index - 1, 'or'),
    });
  }

  /** The value as it stands live; of `critical|warning` both, when both are there. */
  private liveValues(label: string, value: string): readonly string[] {
    const like = (text: string): readonly string[] =>
      this.vocabulary.valuesLike(text, label).map((live) => live.value);
    const whole = like(value);
    if (whole.length > 0 || !value.includes('|')) return whole;
    const parts = value.split('|').map(like);
    return parts.every((found) => found.length > 0) ? parts.flat() : [];
  }

  /** `without a team`, `with label rack`: the label is absent, or it is there. */
  readPresence(part: Segment, index: number): void {
    if (!isHint(part)) return;
    const { sentence, collected } = this;
    const before = sentence.has(index - 1, 'label') ? index - 2 : index - 1;
    const isLabel = before < index - 1 || sentence.has(index + 1, 'label');
    const isAbsent = sentence.has(before, 'without') || (isLabel && sentence.has(before, 'not'));
    const isAsked = sentence.has(before, 'by', 'which') || sentence.has(index + 1, 'is');
    const label = this.resolver.labelsOf(part)[0];
    if (label === undefined || isAsked || !(isAbsent || isLabel)) return;
    collected.claimed.add(part);
    if (isAbsent) collected.excluded.add(part);
    collected.sure += 1;
    collected.joiner.addMatcher({ label, op: isAbsent ? '=' : '!=', values: [''] });
  }
}

/** What the label has instead: for the answer that nothing matches. */
export function nearLabel(vocabulary: Vocabulary, label: string | undefined): readonly string[] {
  if (label === undefined) return [];
  return vocabulary
    .valuesOf(label)
    .slice(0, 8)
    .map(([value]) => `${label}=${value}`);
}
