import { DomainError } from './errors.js';

/** What a tenant's limits count. */
export type Limited = 'active' | 'streams' | 'requests' | 'tasks' | 'llm_tokens' | 'tool_calls';
/** Over whom it is counted; in this order scripts number them from 1. */
export const WHOSE = ['token', 'user', 'tenant'] as const;
export type Whose = (typeof WHOSE)[number];
export type LimitName = `${Limited}_${Whose}`;

/** One limit and what is left of it, as the RateLimit header fields tell it. */
export interface LimitState {
  readonly name: LimitName;
  /** Most at once where there is no window, else most in a window. */
  readonly quota: number;
  readonly remaining: number;
  /** In which the quota is renewed, s; absent: places that come back as they are given up. */
  readonly windowSeconds?: number;
  /** Until the whole quota is there again; absent: nobody knows. */
  readonly resetSeconds?: number;
}

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
