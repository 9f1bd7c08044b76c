import type { TenantLimits } from '../config/limits.js';

/** How long a context is kept, ms: longer than its longest run, as its hash holds the lock. */
export function contextTtl(limits: TenantLimits): number {
  return Math.max(limits.contextIdleSeconds, limits.runSeconds + 120) * 1000;
}
