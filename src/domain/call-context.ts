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
  /** Echoed as X-Request-Id and written to every log line of the call. */
  readonly requestId: string;
}
