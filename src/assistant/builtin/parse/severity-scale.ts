import { SEVERITY_LABELS, severityRank } from '../../tools/severity.js';
import type { Concept } from '../lexicon/concept.js';
import type { Resolved } from './resolve-value.js';
import type { Sentence } from './sentence.js';
import type { Value } from './value-context.js';
import type { Vocabulary } from './vocabulary.js';

/** Comparisons by the words for them; a lower rank is worse. */
const BEFORE: readonly (readonly [Concept, (rank: number, base: number) => boolean])[] = [
  ['at-least', (rank, base) => rank <= base],
  ['above', (rank, base) => rank < base],
  ['below', (rank, base) => rank > base],
];
const AFTER: typeof BEFORE = [
  ['at-least', (rank, base) => rank <= base],
  ['at-most', (rank, base) => rank >= base],
];

/** `warning or worse`, `高于 warning`: the live severities on that side of the one that is named. */
export function scaled(
  resolved: Resolved,
  { index }: Value,
  sentence: Sentence,
  vocabulary: Vocabulary,
): Resolved {
  const [matcher] = resolved.matchers;
  const label = matcher?.label ?? '';
  const isSeverity = SEVERITY_LABELS.some((name) => name === label);
  if (matcher === undefined || !isSeverity || resolved.matchers.length > 1) return resolved;
  // `warning 比 critical 多` compares numbers.
  const isNumber =
    sentence.at(index - 1)?.key === '比' &&
    sentence.segments.some(({ key }) => /^[多少]$/.test(key));
  if (isNumber) return resolved;
  const compare = (BEFORE.find(([concept]) => sentence.has(index - 1, concept)) ??
    AFTER.find(([concept]) => sentence.has(index + 1, concept)))?.[1];
  const base = severityRank(matcher.values[0]);
  if (compare === undefined || base === severityRank('?')) return resolved;
  const values = vocabulary
    .valuesOf(label)
    .map(([value]) => value)
    .filter((value) => severityRank(value) !== severityRank('?'))
    .filter((value) => compare(severityRank(value), base));
  // Nothing on that side is a condition that nothing fulfils, not no condition.
  return {
    ...resolved,
    matchers: [{ ...matcher, values: values.length > 0 ? values : [`> ${matcher.values.join()}`] }],
  };
}
