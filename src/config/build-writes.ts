import type { WriteRule, WritesConfig } from './config.types.js';
import type { WriteRuleDto, WritesDto } from './dto/tenant.dto.js';
import type { Faults } from './faults.js';
import { parseMatcher } from './label-matchers.js';

/** What a tenant's assistant may change outside. `place` is the section's own. */
export function buildWrites(
  writes: WritesDto | undefined,
  place: string,
  faults: Faults,
): { readonly writes?: WritesConfig } {
  if (writes === undefined || faults.has(place)) return {};
  const rules = Object.entries(writes) as [string, WriteRuleDto | undefined][];
  return {
    writes: Object.fromEntries(
      rules.flatMap(([tool, rule]) =>
        rule === undefined ? [] : [[tool, buildRule(rule, `${place}.${tool}`, faults)]],
      ),
    ),
  };
}

function buildRule(rule: WriteRuleDto, place: string, faults: Faults): WriteRule {
  const { matchers = [], longestSeconds } = rule.within ?? {};
  const isCreate = place.endsWith('.create_silence');
  if (rule.policy === 'auto') {
    // Without a human there must be a border.
    if (matchers.length === 0) faults.add(`${place}.within.matchers`, 'is required for auto');
    if (isCreate && longestSeconds === undefined) {
      faults.add(`${place}.within.longestSeconds`, 'is required for auto');
    }
  }
  if (!isCreate && longestSeconds !== undefined) {
    faults.add(`${place}.within.longestSeconds`, 'has no meaning for a tool without a duration');
  }
  return {
    policy: rule.policy,
    within: {
      matchers: matchers.flatMap((text) => parseMatcher(text) ?? []),
      ...(longestSeconds === undefined ? {} : { longestSeconds }),
    },
    otherwise: rule.otherwise ?? 'deny',
  };
}
