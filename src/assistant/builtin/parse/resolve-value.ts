import type { Matcher } from '../../tools/label-matcher.js';
import { SEVERITY_LABELS } from '../../tools/severity.js';
import type { ValueAlias } from '../lexicon/concept.js';
import type { Segment } from './segment.js';
import { type LiveValue, type Vocabulary, wordsOf } from './vocabulary.js';

/** What a word of the question stands for. */
export interface Resolved {
  /** Alternatives: one matcher a label. */
  readonly matchers: readonly Matcher[];
  /** How it was found; anything but `exact` is told to the user. */
  readonly how: 'exact' | 'alias' | 'part' | 'text';
}

const MOST_VALUES = 20;
/** Words of many alert names that also say how anything is. */
const GENERIC: ReadonlySet<string> = new Set(
  'long high low large small big full missing slow fast rate runs run time soon nearly too down up new old bad'.split(
    ' ',
  ),
);

/** Turns words into conditions on live labels. */
export class ValueResolver {
  private parts: Map<string, LiveValue[]> | undefined;

  constructor(private readonly vocabulary: Vocabulary) {}

  /**
   * The values a segment names, on `labels` only when given.
   * @returns undefined when nothing live is meant.
   */
  known(part: Segment, labels?: readonly string[]): Resolved | undefined {
    const fits = (live: LiveValue): boolean => labels?.includes(live.label) ?? true;
    const mentioned = sameCase(part, (part.mention?.values ?? []).filter(fits));
    if (mentioned.length > 0) return { matchers: byLabel(mentioned), how: 'exact' };
    if (labels !== undefined) {
      const equal = labels.flatMap((label) => this.vocabulary.valuesLike(part.text, label));
      if (equal.length > 0) return { matchers: byLabel(equal), how: 'exact' };
    }
    for (const alias of part.aliases) {
      const found = this.ofAlias(alias, labels);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * Live values of which the word is a part: `disk` of `DiskAlmostFull`, `web-1` of `web-1.lan:80`.
   * `isNamed`: it stands where names stand; elsewhere only a whole word of a value will do.
   */
  partial(part: Segment, labels?: readonly string[], isNamed = true): Resolved | undefined {
    const key = part.key;
    if (part.kind === 'number' || key.length < (/^[\x20-\x7f]+$/.test(key) ? 3 : 2)) {
      return undefined;
    }
    const index = (this.parts ??= this.indexParts());
    const singular = key.replace(/s$/, '');
    const exact = index.get(key) ?? index.get(singular) ?? [];
    // `keep coming back` means no `BackupMissing`.
    if (!isNamed && (exact.length === 0 || GENERIC.has(key))) return undefined;
    const found = exact.length > 0 ? exact : this.containing(part, index);
    const fitting = found.filter(({ label }) => labels?.includes(label) ?? true);
    if (fitting.length === 0) return undefined;
    const matchers = byLabel(fitting).map((matcher) =>
      matcher.values.length <= MOST_VALUES
        ? matcher
        : { ...matcher, op: 'contains' as const, values: [key] },
    );
    return { matchers: matchers.slice(0, 10), how: 'part' };
  }

  /** The labels of that kind that exist live; the first one is the one meant. */
  labelsOf(hint: Segment): readonly string[] {
    const loose = hint.families.flatMap((family) => family.loose ?? []);
    return [
      ...new Set([...this.ownLabelsOf(hint), ...loose.filter((label) => this.isLive(label))]),
    ];
  }

  /** Those of them that the word surely means. */
  ownLabelsOf(hint: Segment): readonly string[] {
    const own = [...hint.labels, ...hint.families.flatMap(({ labels }) => labels)];
    return [...new Set(own)].filter((label) => this.isLive(label));
  }

  private isLive(label: string): boolean {
    return this.vocabulary.labelNames.includes(label);
  }

  private ofAlias(alias: ValueAlias, labels: readonly string[] | undefined): Resolved | undefined {
    const severity = alias.kind !== 'any';
    const where = labels ?? (severity ? [...SEVERITY_LABELS] : this.vocabulary.labelNames);
    for (const candidate of alias.values) {
      const live = where.flatMap((label) => this.vocabulary.valuesLike(candidate, label));
      if (live.length > 0) return { matchers: byLabel(live), how: 'alias' };
    }
    if (alias.kind !== 'severity' || labels !== undefined) return undefined;
    // Nobody has it now, but everyone knows it: a condition that holds for nothing.
    const label = SEVERITY_LABELS.find((name) => this.vocabulary.labelNames.includes(name));
    const values = alias.values.filter((value) => /^[a-z]/.test(value)).slice(0, 1);
    return { matchers: [{ label: label ?? 'severity', op: '=', values }], how: 'alias' };
  }

  private containing(
    part: Segment,
    index: ReadonlyMap<string, readonly LiveValue[]>,
  ): readonly LiveValue[] {
    const { key } = part;
    if (!/^[\x20-\x7f]+$/.test(key)) {
      return [...this.vocabulary.all()].filter(({ value }) =>
        this.vocabulary.keyOfValue(value).includes(key),
      );
    }
    if (/[^a-z0-9]/.test(key)) {
      // `web-1` is a part of `web-1.lan:80`, not of `web-10`.
      const bordered = new RegExp(
        `(?<![\\p{L}\\p{N}])${key.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`,
        'u',
      );
      return [...this.vocabulary.all()].filter(({ value }) =>
        bordered.test(this.vocabulary.keyOfValue(value)),
      );
    }
    // The beginning of a word is enough in names of alerts only: `cert`, but not `prod` of `product`.
    if (key.length < 4 || part.kind !== 'unknown') return [];
    return [...index].flatMap(([word, live]) =>
      word.startsWith(key) ? live.filter(({ label }) => label === 'alertname') : [],
    );
  }

  private indexParts(): Map<string, LiveValue[]> {
    const index = new Map<string, LiveValue[]>();
    for (const live of this.vocabulary.all()) {
      for (const word of new Set(wordsOf(live.value))) {
        const list = index.get(word);
        if (list === undefined) index.set(word, [live]);
        else list.push(live);
      }
    }
    return index;
  }
}

/** `Test` is the alert of that name, not the environment `test`, when both are there. */
function sameCase(part: Segment, values: readonly LiveValue[]): readonly LiveValue[] {
  const same = values.filter(({ value }) => value === part.text);
  return same.length > 0 ? same : values;
}

function byLabel(values: readonly LiveValue[]): readonly Matcher[] {
  const labels = new Map<string, string[]>();
  for (const { label, value } of values) {
    const list = labels.get(label) ?? [];
    if (!list.includes(value)) list.push(value);
    labels.set(label, list);
  }
  return [...labels].map(([label, list]) => ({ label, op: '=', values: list }));
}
