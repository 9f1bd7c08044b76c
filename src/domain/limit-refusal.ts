import { DomainError } from './errors.js';
import type { Limited, Whose, LimitName, LimitState } from './limit.js';

const OF: Readonly<Record<Whose, string>> = {
  token: 'of this token',
  user: 'of this user',
  tenant: 'in this tenant',
};

const TEXTS: Readonly<Record<Limited, (of: string) => string>> = {
  active: (of) => `Too many active tasks ${of}`,
  streams: (of) => `Too many open streams ${of}`,
  requests: (of) => `Too many requests ${of}`,
  tasks: (of) => `As many tasks ${of} were started today as are allowed; more from 00:00 UTC`,
  llm_tokens: (of) =>
    `What the language model may be used ${of} today is used up; more from 00:00 UTC`,
  tool_calls: (of) => `As many tools ${of} were called today as are allowed; more from 00:00 UTC`,
};

/**
 * The refusal by a limit that is reached.
 * @param retryAfter seconds until another try makes sense.
 */
export function limitReached(
  what: Limited,
  whose: Whose,
  state: Omit<LimitState, 'name' | 'remaining'>,
  retryAfter: number,
): DomainError {
  const name: LimitName = `${what}_${whose}`;
  return new DomainError(what === 'requests' ? 'RATE' : 'QUOTA', TEXTS[what](OF[whose]), {
    retryAfter,
    metadata: { quota: name },
    limit: { ...state, name, remaining: 0 },
  });
}

export const DAY_SECONDS = 24 * 3600;

/** Seconds until a day's allowances are renewed, at 00:00 UTC. */
export function secondsOfDayLeft(now: number): number {
  return Math.max(1, Math.ceil(DAY_SECONDS - ((now / 1000) % DAY_SECONDS)));
}
