import type { TenantConfig } from './config.types.js';
import { DEFAULT_LIMITS, type TenantLimits } from './limits.js';

export const PROFILES = ['default', 'strict'] as const;
export type Profile = (typeof PROFILES)[number];

/** What a profile sets for a tenant; a tenant's own settings win (design section 8). */
export interface ProfileSettings {
  readonly limits: TenantLimits;
  readonly takeover: TenantConfig['takeover'];
  readonly contextConcurrency: TenantConfig['contextConcurrency'];
}

/** `strict` carries nl2sh's numbers: small requests, few tasks, an unfinished run is never repeated,
 * the tasks of a context run in order. Its rates and days are ours: far above what people do, far
 * below what a script in a loop does. */
export const PROFILE_SETTINGS: Readonly<Record<Profile, ProfileSettings>> = {
  default: { limits: DEFAULT_LIMITS, takeover: 'rerun', contextConcurrency: 'reject' },
  strict: {
    limits: {
      ...DEFAULT_LIMITS,
      a2aBodyBytes: 32 * 1024,
      mcpBodyBytes: 32 * 1024,
      textBytes: 8192,
      activePerUser: 16,
      retainedTasksPerUser: 200,
      activePerToken: 16,
      streamsPerToken: 32,
      requestsPerMinutePerToken: 600,
      requestsPerMinutePerUser: 1200,
      requestsPerMinutePerTenant: 12_000,
      tasksPerDayPerUser: 5000,
      tasksPerDayPerTenant: 50_000,
      llmTokensPerDayPerUser: 5_000_000,
      llmTokensPerDayPerTenant: 50_000_000,
      toolCallsPerDayPerUser: 20_000,
      toolCallsPerDayPerTenant: 200_000,
    },
    takeover: 'fail',
    contextConcurrency: 'queue',
  },
};
