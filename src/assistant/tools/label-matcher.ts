import { z } from 'zod';
import type { LabelSet } from '../sources/source.types.js';
import { HIDDEN } from '../llm/redactor.js';
import { compilePattern } from './linear-pattern.js';
import { ToolInputError } from './tool-input-error.js';

/** One condition on labels. Several values: any of them for `=`, none of them for `!=`. */
export const matcherSchema = z.strictObject({
  label: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Label name; absent: any label (for contains: any label or annotation)'),
  op: z.enum(['=', '!=', '=~', '!~', 'contains']),
  values: z.array(z.string().max(500)).min(1).max(20),
});
/** All clauses must hold; of an `any` clause one matcher must. */
export const clauseSchema = z.union([
  matcherSchema,
  z.strictObject({ any: z.array(matcherSchema).min(1).max(10) }),
]);
export const whereSchema = z
  .array(clauseSchema)
  .max(20)
  .optional()
  .describe('Conditions on labels; all must hold');

export type Matcher = z.infer<typeof matcherSchema>;
export type Clause = z.infer<typeof clauseSchema>;

export type Predicate = (labels: LabelSet, annotations?: LabelSet) => boolean;

/** @throws ToolInputError for a regular expression that cannot be matched, or what stands for a secret. */
export function compileWhere(where: readonly Clause[]): Predicate {
  const clauses = where.map((clause) => {
    if (!('any' in clause)) return compileMatcher(clause);
    const alternatives = clause.any.map(compileMatcher);
    return ((labels, annotations) =>
      alternatives.some((holds) => holds(labels, annotations))) satisfies Predicate;
  });
  return (labels, annotations) => clauses.every((holds) => holds(labels, annotations));
}

/** In the notation of Prometheus where it has one: `team=~"a|b"`. */
export function showWhere(where: readonly Clause[]): string {
  return where
    .map((clause) =>
      'any' in clause ? `(${clause.any.map(showMatcher).join(' or ')})` : showMatcher(clause),
    )
    .join(', ');
}

function showMatcher({ label, op, values }: Matcher): string {
  const name = label ?? (op === 'contains' ? 'any text' : 'any label');
  const shown = values.map((value) => JSON.stringify(value));
  if (values.length === 1) {
    return op === 'contains' ? `${name} contains ${shown.join()}` : `${name}${op}${shown.join()}`;
  }
  return `${name} ${op === '=' ? 'in' : op === '!=' ? 'not in' : op} (${shown.join(', ')})`;
}

function compileMatcher(matcher: Matcher): Predicate {
  const { label, op } = matcher;
  const test = testOf(matcher);
  const negative = op === '!=' || op === '!~';
  if (label !== undefined) {
    // As in Prometheus, a label that is absent reads as the empty text.
    return (labels) => test(labels[label] ?? '') !== negative;
  }
  if (op === 'contains') {
    return (labels, annotations = {}) =>
      Object.values(labels).some(test) || Object.values(annotations).some(test);
  }
  return (labels) => Object.values(labels).some(test) !== negative;
}

function testOf({ op, values }: Matcher): (value: string) => boolean {
  if (values.some((value) => value.includes(HIDDEN))) {
    throw new ToolInputError({ code: 'redacted' });
  }
  switch (op) {
    case '=':
    case '!=':
      return (value) => values.includes(value);
    case '=~':
    case '!~': {
      const patterns = values.map(compilePattern);
      return (value) => patterns.some((matches) => matches(value));
    }
    case 'contains': {
      const needles = values.map((value) => value.toLowerCase());
      return (value) => {
        const hay = value.toLowerCase();
        return needles.some((needle) => hay.includes(needle));
      };
    }
  }
}
