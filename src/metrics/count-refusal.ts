import { DomainError } from '../domain/errors.js';
import { metrics } from './metrics.js';
import { QUOTAS } from './quotas.js';

/** Counts a refusal by a limit, once, where it leaves for the caller; anything else is left alone. */
export function countRefusal(error: unknown): void {
  if (!(error instanceof DomainError)) return;
  const { quota = '' } = error.metadata;
  if (quota === '' && error.code !== 'QUOTA' && error.code !== 'RATE') return;
  metrics.quotaRefusals.inc({ quota: QUOTAS.includes(quota) ? quota : 'other' });
}
