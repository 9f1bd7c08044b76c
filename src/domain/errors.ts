import type { LimitState } from './limit.js';

/**
 * Every way in which an operation is refused. The wire codes of each stand in one table,
 * protocols/wire/error-table.ts.
 */
export type ErrorCode =
  // A2A's own (spec 1.0.1 section 5.4)
  | 'TASK_NOT_FOUND'
  | 'TASK_NOT_CANCELABLE'
  | 'PUSH_NOTIFICATION_NOT_SUPPORTED'
  | 'UNSUPPORTED_OPERATION'
  | 'CONTENT_TYPE_NOT_SUPPORTED'
  | 'INVALID_AGENT_RESPONSE'
  | 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'
  | 'EXTENSION_SUPPORT_REQUIRED'
  | 'VERSION_NOT_SUPPORTED'
  // JSON-RPC 2.0
  | 'PARSE_ERROR'
  | 'INVALID_REQUEST'
  | 'METHOD_NOT_FOUND'
  | 'INVALID_PARAMS'
  // ours (design section 6)
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'CONTEXT_NOT_FOUND'
  | 'CONTEXT_BUSY'
  | 'IDEMPOTENCY_CONFLICT'
  | 'QUOTA'
  | 'RATE'
  | 'TOO_LARGE'
  | 'UNAVAILABLE'
  | 'MEDIA_TYPE'
  | 'METHOD_NOT_ALLOWED'
  | 'PATH_NOT_FOUND'
  // of the admin API
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'ETAG_MISMATCH'
  | 'FAILED_PRECONDITION'
  | 'INTERNAL';

export interface Challenge {
  /** Absent: nothing was presented. */
  readonly error?: 'invalid_token' | 'insufficient_scope';
  /** What the route asks for. */
  readonly scope?: string;
}

export interface ErrorOptions {
  /** Seconds after which a retry makes sense (Retry-After). */
  readonly retryAfter?: number;
  /** Goes into ErrorInfo.metadata: facts the caller already knows or may know. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** What a client has to bring; becomes a part of WWW-Authenticate (RFC 6750 section 3). */
  readonly challenge?: Challenge;
  /** The limit that is reached, for the RateLimit header fields. */
  readonly limit?: LimitState;
  /** For the log only; never reaches a client. */
  readonly cause?: unknown;
}

/** A refusal whose message is written for the caller: it names no internals. */
export class DomainError extends Error {
  readonly retryAfter: number | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly challenge: Challenge | undefined;
  readonly limit: LimitState | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DomainError';
    this.retryAfter = options.retryAfter;
    this.metadata = options.metadata ?? {};
    this.challenge = options.challenge;
    this.limit = options.limit;
  }
}

/** The one answer for a task that is missing, expired, or another user's or tenant's. */
export function taskNotFound(taskId: string): DomainError {
  return new DomainError('TASK_NOT_FOUND', 'Task not found', { metadata: { taskId } });
}

/** Redis is away or the instance drains or is full: try again, here or elsewhere. */
export function unavailable(
  message: string,
  cause?: unknown,
  metadata: Readonly<Record<string, string>> = {},
): DomainError {
  return new DomainError('UNAVAILABLE', message, { retryAfter: 2, cause, metadata });
}
