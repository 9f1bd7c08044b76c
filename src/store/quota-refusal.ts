import type { TenantLimits } from '../config/limits.js';
import type { DomainError } from '../domain/errors.js';
import { WHOSE } from '../domain/limit.js';
import { DAY_SECONDS, limitReached, secondsOfDayLeft } from '../domain/limit-refusal.js';
import { ScriptCode } from '../redis/script-code.js';
import type { ScriptReply } from '../redis/scripts.js';

/** A place may come back at any moment; this often it is worth a look. */
const RETRY_SECONDS = 5;

/**
 * The refusal of a start by a limit, from the script's answer; undefined when it is another one.
 * @param now by Redis, ms since the epoch.
 */
export function quotaRefusal(
  reply: readonly ScriptReply[],
  limits: TenantLimits,
  now: number,
): DomainError | undefined {
  switch (Number(reply[0])) {
    case ScriptCode.TokenQuota:
      return limitReached('active', 'token', { quota: limits.activePerToken }, RETRY_SECONDS);
    case ScriptCode.UserQuota:
      return limitReached('active', 'user', { quota: limits.activePerUser }, RETRY_SECONDS);
    case ScriptCode.TenantQuota:
      return limitReached('active', 'tenant', { quota: limits.activePerTenant }, RETRY_SECONDS);
    case ScriptCode.DayOver: {
      const whose = WHOSE[Number(reply[1]) - 1] ?? 'tenant';
      const quota = {
        token: limits.tasksPerDayPerToken,
        user: limits.tasksPerDayPerUser,
        tenant: limits.tasksPerDayPerTenant,
      }[whose];
      const left = secondsOfDayLeft(now);
      const state = { quota, windowSeconds: DAY_SECONDS, resetSeconds: left };
      return limitReached('tasks', whose, state, left);
    }
    default:
      return undefined;
  }
}
