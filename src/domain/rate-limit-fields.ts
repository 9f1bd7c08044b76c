import type { LimitState } from './limit.js';

/**
 * The header fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11):
 * lists of structured fields, an entry for each limit, named like the metric's label.
 */
export function rateLimitFields(limits: readonly LimitState[]): Record<string, string> {
  return {
    'ratelimit-policy': limits.map(policyOf).join(', '),
    ratelimit: limits.map(stateOf).join(', '),
  };
}

function policyOf({ name, quota, windowSeconds }: LimitState): string {
  const rest = windowSeconds === undefined ? 'qu="concurrent-requests"' : `w=${windowSeconds}`;
  return `"${name}";q=${quota};${rest}`;
}

function stateOf({ name, remaining, resetSeconds }: LimitState): string {
  const reset = resetSeconds === undefined ? '' : `;t=${resetSeconds}`;
  return `"${name}";r=${remaining}${reset}`;
}
