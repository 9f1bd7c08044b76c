import type { JsonObject } from '../../domain/a2a.js';
import { type Challenge, DomainError } from '../../domain/errors.js';
import type { LimitState } from '../../domain/limit.js';
import { ERROR_TABLE, type ErrorRow } from './error-table.js';
import { InvalidParams } from './invalid-params.js';

/** An error as every binding needs it: its row of the table, its text, and its typed details. */
export interface WireError {
  readonly row: ErrorRow;
  readonly message: string;
  /** google.rpc.ErrorInfo first, then what else there is. */
  readonly details: readonly JsonObject[];
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** For WWW-Authenticate. */
  readonly challenge: Challenge | undefined;
  /** The limit that is reached. */
  readonly limit: LimitState | undefined;
  /** Set when the error is not one of ours: log it once; its text went to nobody. */
  readonly unknown: unknown;
}

/**
 * Anything but a DomainError becomes INTERNAL with a fixed text and the request id: a text that was
 * not written for the caller may carry a URL with a password, a path or another tenant's data.
 */
export function wireError(error: unknown, requestId: string): WireError {
  if (!(error instanceof DomainError)) {
    const row = ERROR_TABLE.INTERNAL;
    return {
      row,
      message: `Internal error; its details are in the server's log under request ${requestId}`,
      details: [errorInfo(row, { requestId })],
      retryAfter: undefined,
      challenge: undefined,
      limit: undefined,
      unknown: error ?? new Error('something threw undefined'),
    };
  }
  const row = ERROR_TABLE[error.code];
  const details = [errorInfo(row, error.metadata)];
  if (error instanceof InvalidParams) details.push(badRequest(error));
  if (error.retryAfter !== undefined) details.push(retryInfo(error.retryAfter));
  return {
    row,
    message: error.message,
    details,
    retryAfter: error.retryAfter,
    challenge: error.challenge,
    limit: error.limit,
    unknown: error.code === 'INTERNAL' ? (error.cause ?? error) : undefined,
  };
}

/** The `error` member of a JSON-RPC response (A2A spec 9.5: `data` is a list of typed details). */
export function jsonRpcError(error: WireError): JsonObject {
  return { code: error.row.jsonRpcCode, message: error.message, data: error.details };
}

/** The body of a REST error (A2A spec 11.6, AIP-193). */
export function restErrorBody(error: WireError): JsonObject {
  return {
    error: {
      code: error.row.httpStatus,
      status: error.row.status,
      message: error.message,
      details: error.details,
    },
  };
}

function errorInfo(row: ErrorRow, metadata: Readonly<Record<string, string>>): JsonObject {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: row.reason,
    domain: row.domain,
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

function badRequest(error: InvalidParams): JsonObject {
  return {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: error.violations.map(({ field, description }) => ({ field, description })),
  };
}

/** The delay as a google.protobuf.Duration. */
function retryInfo(seconds: number): JsonObject {
  return {
    '@type': 'type.googleapis.com/google.rpc.RetryInfo',
    retryDelay: `${Math.ceil(seconds)}s`,
  };
}
