import { DEFAULT_LIMITS, type TenantConfig, type TenantLimits } from './config.types.js';

export const PROFILES = ['default', 'strict'] as const;
export type Profile = (typeof PROFILES)[number];

/** What a profile sets for a tenant; a tenant's own settings win (design section 8). */
export interface ProfileSettings {
  readonly limits: TenantLimits;
  readonly takeover: TenantConfig['takeover'];
  readonly contextConcurrency: TenantConfig['contextConcurrency'];
}

/** `strict` carries nl2sh's numbers: small requests, few tasks, an unfinished run is never repeated,
 * the tasks of a context run in order. */
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
    },
    takeover: 'fail',
    contextConcurrency: 'queue',
  },
};
