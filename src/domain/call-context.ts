import type { TraceCarrier } from './trace-carrier.js';

/** Where a user of n9e may change mutes. */
export interface MuteRights {
  /** The n9e that says so, by its URL without a trailing slash. */
  readonly at: string;
  readonly groups: readonly number[];
}

/**
 * Who calls, in which tenant: the first argument of every operation of the core. Plain data, so it
 * can be stored with a task and used by the instance that takes the task over.
 */
export interface CallContext {
  /** The isolation border. Taken from the token, never from a request's body or path. */
  readonly tenant: string;
  /** Immutable id inside the tenant; owns contexts and tasks. */
  readonly user: string;
  readonly scopes: readonly string[];
  /** Names the token in lists and in the audit; proves nothing. */
  readonly token?: string;
  /** The first of the tokens that were rotated until this one; absent: this one. */
  readonly line?: string;
  /** Of a user of n9e: nothing of any other busi group is shown. Absent: what the tenant may see. */
  readonly busiGroups?: readonly number[];
  /** Of a user of n9e; absent: nothing may be changed there for them. */
  readonly mutes?: MuteRights;
  /** How many agents have called each other until here; absent: none. */
  readonly depth?: number;
  /** The trace that the request belongs to; absent while tracing is off. */
  readonly trace?: TraceCarrier;
  /** Echoed as X-Request-Id and written to every log line of the call. */
  readonly requestId: string;
}

/**
 * What a token's limits count under: a rotated token goes on where the one before it was, and beside
 * it while both work. Empty for a caller without a token.
 */
export function countedToken({ token, line }: Pick<CallContext, 'token' | 'line'>): string {
  return line ?? token ?? '';
}

/** Reads the tasks of its whole tenant, beside the own ones. */
export const READ_TENANT = 'tasks:read:tenant';

/**
 * Whose tasks a caller may read: its own, or, as an empty text, everybody's in its tenant. For
 * reading only; whatever changes a task asks for `user`.
 */
export function readsAs({ user, scopes }: Pick<CallContext, 'user' | 'scopes'>): string {
  return scopes.includes(READ_TENANT) ? '' : user;
}
