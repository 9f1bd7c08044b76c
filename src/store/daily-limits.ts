import type { TenantLimits } from '../config/limits.js';

/** What there is a daily allowance of, as scripts name it. */
export type Spendable = 'tasks' | 'llm' | 'tools';

/**
 * Of the token, the user and the tenant, as scripts take them; 0 for no limit.
 * @param of `token`: empty where there is none, and so no limit.
 */
export function dailyLimits(
  what: Spendable,
  { token, limits }: { readonly token: string; readonly limits: TenantLimits },
): readonly [number, number, number] {
  const [ofToken, ...others] = all(what, limits);
  return [token === '' ? 0 : ofToken, ...others];
}

function all(what: Spendable, limits: TenantLimits): [number, number, number] {
  switch (what) {
    case 'tasks':
      return [limits.tasksPerDayPerToken, limits.tasksPerDayPerUser, limits.tasksPerDayPerTenant];
    case 'llm':
      return [
        limits.llmTokensPerDayPerToken,
        limits.llmTokensPerDayPerUser,
        limits.llmTokensPerDayPerTenant,
      ];
    case 'tools':
      return [
        limits.toolCallsPerDayPerToken,
        limits.toolCallsPerDayPerUser,
        limits.toolCallsPerDayPerTenant,
      ];
  }
}
