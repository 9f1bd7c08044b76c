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
