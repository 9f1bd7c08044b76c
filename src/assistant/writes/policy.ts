import type { WriteRule, WriteScope } from '../../config/config.types.js';
import { compilePattern } from '../tools/linear-pattern.js';
import type { PlanFacts, SilenceMatcher } from './write-plan.js';

/** What the tenant's config says about one plan. */
export type Verdict =
  | {
      readonly how: 'deny';
      /** The tool is off, the plan is outside of what is allowed, or too dangerous for it. */
      readonly why: 'off' | 'scope' | 'danger';
      /** Milliseconds: it would last longer than that, the most that is allowed. */
      readonly longest?: number;
    }
  /** `exact`: only by the exact phrase. */
  | { readonly how: 'ask-caller'; readonly exact: boolean }
  | { readonly how: 'ask-operator' | 'auto' };

export function judge(rule: WriteRule | undefined, facts: PlanFacts): Verdict {
  if (rule === undefined || rule.policy === 'deny') return { how: 'deny', why: 'off' };
  const isDangerous = facts.dangers.length > 0;
  const isWithin = within(rule.within, facts);
  const over = isOver(rule.within, facts)
    ? { longest: (rule.within.longestSeconds ?? 0) * 1000 }
    : {};
  // Nothing dangerous is ever done without a human.
  const holds = isWithin && !(rule.policy === 'auto' && isDangerous);
  const policy = holds ? rule.policy : rule.otherwise;
  switch (policy) {
    case 'deny':
      return isWithin ? { how: 'deny', why: 'danger' } : { how: 'deny', why: 'scope', ...over };
    case 'ask-caller':
      return { how: 'ask-caller', exact: isDangerous };
    case 'ask-operator':
    case 'auto':
      return { how: policy };
  }
}

function isOver({ longestSeconds }: WriteScope, { lasts }: PlanFacts): boolean {
  return longestSeconds !== undefined && lasts !== undefined && lasts > longestSeconds * 1000;
}

function within(scope: WriteScope, facts: PlanFacts): boolean {
  const { matchers } = facts;
  if (isOver(scope, facts)) return false;
  return scope.matchers.every((allowed) => matchers.some((own) => narrows(own, allowed)));
}

/** Does `own` let through only what `allowed` lets through? */
function narrows(own: SilenceMatcher, allowed: SilenceMatcher): boolean {
  if (own.name !== allowed.name) return false;
  if (own.op === allowed.op && own.value === allowed.value) return true;
  if (own.op !== '=') return false;
  switch (allowed.op) {
    case '=':
      return false;
    case '!=':
      return own.value !== allowed.value;
    case '=~':
      return compilePattern(allowed.value)(own.value);
    case '!~':
      return !compilePattern(allowed.value)(own.value);
  }
}

/** Hardly any label has one of these: what fits one of them by a pattern fits nearly anything. */
const NOBODIES = [
  'nightjar-no-such-value-5f1c',
  '',
  ...['a', 'A', '0', '4711'],
  ...['zzyzx', 'Zzyzx', 'ZZYZX', 'NoSuchValue'],
];

/** Does nothing tie these matchers to a few things? @throws ToolInputError for a bad pattern. */
export function isBroad(matchers: readonly SilenceMatcher[]): boolean {
  return !matchers.some(({ op, value }) => {
    if (op === '=') return value !== '';
    return op === '=~' && !NOBODIES.some(compilePattern(value));
  });
}
