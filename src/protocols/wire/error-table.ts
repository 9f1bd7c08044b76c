import type { ErrorCode } from '../../domain/errors.js';

/** How one refusal looks on each binding. */
export interface ErrorRow {
  readonly jsonRpcCode: number;
  /** HTTP status of a REST answer, and of a JSON-RPC answer where `jsonRpcHttp` keeps it. */
  readonly httpStatus: number;
  /** The canonical google.rpc code name (AIP-193). */
  readonly status: string;
  /** google.rpc.ErrorInfo.reason. */
  readonly reason: string;
  /** google.rpc.ErrorInfo.domain: A2A's own errors and ours. */
  readonly domain: 'a2a-protocol.org' | 'nightjar';
  /**
   * `ok`: a JSON-RPC answer is HTTP 200, as A2A's own errors are; `status`: it keeps `httpStatus`,
   * so that proxies and clients that look at nothing else see a 401, 429 or 503.
   */
  readonly jsonRpcHttp: 'ok' | 'status';
}

function a2a(jsonRpcCode: number, httpStatus: number, status: string, reason: string): ErrorRow {
  return { jsonRpcCode, httpStatus, status, reason, domain: 'a2a-protocol.org', jsonRpcHttp: 'ok' };
}

function ours(jsonRpcCode: number, httpStatus: number, status: string, reason: string): ErrorRow {
  return { jsonRpcCode, httpStatus, status, reason, domain: 'nightjar', jsonRpcHttp: 'status' };
}

/**
 * The one table of wire codes, for all protocols and bindings. A2A's own: spec 1.0.1 section 5.4;
 * JSON-RPC 2.0 section 5.1; ours: design section 6 (-32060 … -32065 lie outside every range that
 * A2A, MCP or JSON-RPC reserve).
 */
export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = {
  TASK_NOT_FOUND: a2a(-32001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'),
  TASK_NOT_CANCELABLE: a2a(-32002, 400, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'),
  PUSH_NOTIFICATION_NOT_SUPPORTED: a2a(
    -32003,
    400,
    'FAILED_PRECONDITION',
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
  ),
  UNSUPPORTED_OPERATION: a2a(-32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'),
  CONTENT_TYPE_NOT_SUPPORTED: a2a(-32005, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'),
  INVALID_AGENT_RESPONSE: a2a(-32006, 500, 'INTERNAL', 'INVALID_AGENT_RESPONSE'),
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: a2a(
    -32007,
    400,
    'FAILED_PRECONDITION',
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  ),
  EXTENSION_SUPPORT_REQUIRED: a2a(-32008, 400, 'FAILED_PRECONDITION', 'EXTENSION_SUPPORT_REQUIRED'),
  VERSION_NOT_SUPPORTED: a2a(-32009, 400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'),
  PARSE_ERROR: a2a(-32700, 400, 'INVALID_ARGUMENT', 'PARSE_ERROR'),
  INVALID_REQUEST: a2a(-32600, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'),
  METHOD_NOT_FOUND: a2a(-32601, 404, 'NOT_FOUND', 'METHOD_NOT_FOUND'),
  INVALID_PARAMS: a2a(-32602, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'),
  UNAUTHENTICATED: ours(-32060, 401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'),
  PERMISSION_DENIED: ours(-32061, 403, 'PERMISSION_DENIED', 'PERMISSION_DENIED'),
  CONTEXT_NOT_FOUND: ours(-32600, 404, 'NOT_FOUND', 'CONTEXT_NOT_FOUND'),
  CONTEXT_BUSY: ours(-32062, 409, 'ABORTED', 'CONTEXT_BUSY'),
  IDEMPOTENCY_CONFLICT: ours(-32062, 409, 'ABORTED', 'IDEMPOTENCY_CONFLICT'),
  QUOTA: ours(-32063, 429, 'RESOURCE_EXHAUSTED', 'QUOTA'),
  RATE: ours(-32063, 429, 'RESOURCE_EXHAUSTED', 'RATE'),
  TOO_LARGE: ours(-32064, 413, 'INVALID_ARGUMENT', 'TOO_LARGE'),
  UNAVAILABLE: ours(-32065, 503, 'UNAVAILABLE', 'UNAVAILABLE'),
  MEDIA_TYPE: ours(-32600, 415, 'INVALID_ARGUMENT', 'MEDIA_TYPE'),
  METHOD_NOT_ALLOWED: ours(-32600, 405, 'UNIMPLEMENTED', 'METHOD_NOT_ALLOWED'),
  PATH_NOT_FOUND: ours(-32600, 404, 'NOT_FOUND', 'PATH_NOT_FOUND'),
  NOT_FOUND: ours(-32600, 404, 'NOT_FOUND', 'NOT_FOUND'),
  ALREADY_EXISTS: ours(-32600, 409, 'ALREADY_EXISTS', 'ALREADY_EXISTS'),
  ETAG_MISMATCH: ours(-32600, 412, 'ABORTED', 'ETAG_MISMATCH'),
  FAILED_PRECONDITION: ours(-32600, 409, 'FAILED_PRECONDITION', 'FAILED_PRECONDITION'),
  INTERNAL: ours(-32603, 500, 'INTERNAL', 'INTERNAL'),
};
