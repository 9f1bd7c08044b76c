import type { WriteRule, WriteScope } from '../../config/config.types.js';
import { compilePattern } from '../tools/linear-pattern.js';
import type { PlanFacts, SilenceMatcher } from './write-plan.js';

/** What the tenant's config says about one plan. */
export type Verdict =
  | {
      readonly how: 'deny';
      /** The tool is off, the plan is outside of what is allowed, or too dangerous for it. */
      readonly why: 'off' | 'scope' | 'danger';
    }
  /** `exact`: only by the exact phrase. */
  | { readonly how: 'ask-caller'; readonly exact: boolean }
  | { readonly how: 'ask-operator' | 'auto' };

export function judge(rule: WriteRule | undefined, facts: PlanFacts): Verdict {
  if (rule === undefined || rule.policy === 'deny') return { how: 'deny', why: 'off' };
  const isDangerous = facts.dangers.length > 0;
  const isWithin = within(rule.within, facts);
  // Nothing dangerous is ever done without a human.
  const holds = isWithin && !(rule.policy === 'auto' && isDangerous);
  const policy = holds ? rule.policy : rule.otherwise;
  switch (policy) {
    case 'deny':
      return { how: 'deny', why: isWithin ? 'danger' : 'scope' };
    case 'ask-caller':
      return { how: 'ask-caller', exact: isDangerous };
    case 'ask-operator':
    case 'auto':
      return { how: policy };
  }
}

function within(scope: WriteScope, { matchers, lasts }: PlanFacts): boolean {
  const { longestSeconds } = scope;
  if (longestSeconds !== undefined && lasts !== undefined && lasts > longestSeconds * 1000) {
    return false;
  }
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

/** No label has it: what fits it fits nearly anything. */
const NOBODY = 'nightjar-no-such-value-5f1c';

/** Does nothing tie these matchers to a few things? @throws ToolInputError for a bad pattern. */
export function isBroad(matchers: readonly SilenceMatcher[]): boolean {
  return !matchers.some(({ op, value }) => {
    if (op === '=') return value !== '';
    if (op !== '=~') return false;
    const fits = compilePattern(value);
    return !fits(NOBODY) && !fits('') && !fits('a') && !fits('0');
  });
}
