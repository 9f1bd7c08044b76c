import { expect } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/a2a.js';
import { asText } from './text.js';

/** Reason → JSON-RPC code, HTTP status and google.rpc status, as A2A 1.0.1 section 5.4 has them. */
const A2A_ERRORS = {
  TASK_NOT_FOUND: [-32001, 404, 'NOT_FOUND'],
  TASK_NOT_CANCELABLE: [-32002, 400, 'FAILED_PRECONDITION'],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [-32003, 400, 'FAILED_PRECONDITION'],
  UNSUPPORTED_OPERATION: [-32004, 400, 'FAILED_PRECONDITION'],
  CONTENT_TYPE_NOT_SUPPORTED: [-32005, 400, 'INVALID_ARGUMENT'],
  VERSION_NOT_SUPPORTED: [-32009, 400, 'FAILED_PRECONDITION'],
  PARSE_ERROR: [-32700, 400, 'INVALID_ARGUMENT'],
  INVALID_REQUEST: [-32600, 400, 'INVALID_ARGUMENT'],
  METHOD_NOT_FOUND: [-32601, 404, 'NOT_FOUND'],
  INVALID_PARAMS: [-32602, 400, 'INVALID_ARGUMENT'],
} as const;

/** Those of this gateway, which keep their HTTP status over JSON-RPC too. */
const OWN_ERRORS = {
  UNAUTHENTICATED: [-32060, 401, 'UNAUTHENTICATED'],
  PERMISSION_DENIED: [-32061, 403, 'PERMISSION_DENIED'],
  CONTEXT_BUSY: [-32062, 409, 'ABORTED'],
  CONTEXT_NOT_FOUND: [-32600, 404, 'NOT_FOUND'],
  IDEMPOTENCY_CONFLICT: [-32062, 409, 'ABORTED'],
  QUOTA: [-32063, 429, 'RESOURCE_EXHAUSTED'],
  TOO_LARGE: [-32064, 413, 'INVALID_ARGUMENT'],
  MEDIA_TYPE: [-32600, 415, 'INVALID_ARGUMENT'],
  METHOD_NOT_ALLOWED: [-32600, 405, 'UNIMPLEMENTED'],
  PATH_NOT_FOUND: [-32600, 404, 'NOT_FOUND'],
} as const;

export type Reason = keyof typeof A2A_ERRORS | keyof typeof OWN_ERRORS;
export const REASONS = Object.keys({ ...A2A_ERRORS, ...OWN_ERRORS }) as readonly Reason[];

/** Texts that only the inside of a server knows. */
const INTERNALS =
  /node_modules|\bat .+\.[jt]s:\d|ioredis|Redis(Error)?:|TypeError|ECONN|<html|<!doc/i;

/** A refusal as a caller got it, in a well-formed envelope of its binding. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly binding: 'rest' | 'jsonrpc',
    readonly http: number,
    readonly error: JsonObject,
    readonly headers: Readonly<Record<string, string | string[] | undefined>>,
  ) {
    super(`refused: HTTP ${http} ${JSON.stringify(error)}`);
  }

  /** The typed details (google.rpc.ErrorInfo first). */
  get details(): readonly JsonObject[] {
    const list: JsonValue | undefined = this.error[this.binding === 'rest' ? 'details' : 'data'];
    return Array.isArray(list) ? (list as readonly JsonObject[]) : [];
  }

  get text(): string {
    return asText(this.error['message']);
  }

  get reason(): unknown {
    return this.details[0]?.['reason'];
  }

  /** Everything about the refusal is as the specification (or our own table) says. */
  expect(reason: Reason): this {
    const own = reason in OWN_ERRORS;
    const [code, http, status] = { ...A2A_ERRORS, ...OWN_ERRORS }[reason];
    expect(this.details[0], this.message).toMatchObject({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason,
      domain: own ? 'nightjar' : 'a2a-protocol.org',
    });
    if (this.binding === 'rest') {
      expect([this.http, this.error['code'], this.error['status']]).toEqual([http, http, status]);
    } else {
      expect([this.http, this.error['code']]).toEqual([own ? http : 200, code]);
    }
    expect(this.text.length).toBeGreaterThan(10);
    expect(this.message).not.toMatch(INTERNALS);
    return this;
  }
}
