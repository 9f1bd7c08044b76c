import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  NoOutputGeneratedError,
  ToolChoiceViolationError,
  TypeValidationError,
} from 'ai';
import type { Whose } from '../../domain/limit.js';
import { PromptTooLongError } from './fit-prompt.js';

/** What went wrong with a model, in terms a user or an operator understands. */
export type FaultKind =
  /** 401, 403. */
  | 'key'
  /** 429. */
  | 'rate'
  /** 5xx, or the provider says so in the stream. */
  | 'overloaded'
  /** Any other status. */
  | 'http'
  | 'redirect'
  | 'unreachable'
  /** Silent for too long. */
  | 'silent'
  /** The conversation does not fit into its context. */
  | 'too_long'
  /** It sent more than is read. */
  | 'too_big'
  /** The stream ended before the answer did. */
  | 'broken'
  /** It sent something that is not its protocol. */
  | 'garbled'
  /** It ended well, with nothing said. */
  | 'empty'
  /** Its content filter stepped in. */
  | 'filtered'
  /** Its token limit was reached before a word of the answer. */
  | 'length'
  /** It kept calling tools until it was not allowed more. */
  | 'steps'
  /** It was not asked: the day's allowance is used up. */
  | 'spent';

export interface FaultDetail {
  readonly status?: number;
  /** Trying again may help, as long as nothing has been said. */
  readonly retryable?: boolean;
  /** How long the provider wants us to wait, in ms. */
  readonly retryAfterMs?: number;
  /** The provider's own words: for a debug log, redacted; never for the user. */
  readonly words?: string;
  /** Whose allowance is used up. */
  readonly whose?: Whose;
}

/** The model failed. */
export class ModelFault extends Error {
  constructor(
    readonly kind: FaultKind,
    readonly detail: FaultDetail = {},
  ) {
    super(detail.status === undefined ? kind : `${kind} (HTTP ${detail.status})`);
    this.name = 'ModelFault';
  }
}

const TOO_LONG =
  /context[ _-]?(?:length|window|size)|maximum context|max_model_len|too many (?:input )?tokens|prompt is too long|input is too long|reduce the length/i;

/** Whatever the SDK, a provider or the connection threw, as a fault. */
export function faultOf(error: unknown): ModelFault {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ModelFault) return at;
  }
  if (error instanceof PromptTooLongError) return new ModelFault('too_long');
  if (APICallError.isInstance(error)) return faultOfCall(error);
  if (NoOutputGeneratedError.isInstance(error)) return new ModelFault('empty');
  if (ToolChoiceViolationError.isInstance(error)) return new ModelFault('steps');
  if (InvalidResponseDataError.isInstance(error)) {
    const isCut = error.message.includes('without a finish reason');
    return new ModelFault(isCut ? 'broken' : 'garbled', { words: error.message });
  }
  if (TypeValidationError.isInstance(error)) {
    // An error object that lacks a field of its provider's is still one.
    const value = error.value as { readonly error?: unknown } | null | undefined;
    const told = typeof value === 'object' ? value?.error : undefined;
    return told === undefined ? new ModelFault('garbled') : faultOfWords(told);
  }
  if (JSONParseError.isInstance(error)) return new ModelFault('garbled');
  if (error instanceof TypeError && error.message === 'terminated') {
    return new ModelFault('broken', { retryable: true });
  }
  return faultOfWords(error);
}

function faultOfCall(error: APICallError): ModelFault {
  const { statusCode: status } = error;
  const words = `${error.message} ${error.responseBody ?? ''}`.slice(0, 2000);
  if (status === undefined) {
    return new ModelFault('unreachable', { retryable: error.isRetryable, words });
  }
  // A body that broke off, or was no event stream, comes with the status of its head.
  if (status < 300) {
    const isGarbled = error.cause instanceof Error && error.cause.name.startsWith('AI_');
    return new ModelFault(isGarbled ? 'garbled' : 'broken', { retryable: !isGarbled, words });
  }
  if (status < 400) return new ModelFault('redirect', { status });
  if (status === 401 || status === 403) return new ModelFault('key', { status, words });
  if (status === 413 || ((status === 400 || status === 422) && TOO_LONG.test(words))) {
    return new ModelFault('too_long', { status, words });
  }
  const after = retryAfterOf(error.responseHeaders ?? {});
  const wait = after === undefined ? {} : { retryAfterMs: after };
  if (status === 429) {
    const retryable = !/insufficient_quota|billing/i.test(words);
    return new ModelFault('rate', { status, retryable, words, ...wait });
  }
  if (status >= 500) {
    return new ModelFault('overloaded', { status, retryable: true, words, ...wait });
  }
  return new ModelFault('http', { status, words });
}

/** An error object in the stream: `{type, code, message}` of one kind or another. */
function faultOfWords(error: unknown): ModelFault {
  const fields = typeof error === 'object' && error !== null ? error : { message: error };
  const { type, code, message } = fields as { type?: unknown; code?: unknown; message?: unknown };
  const told = [type, code, message].filter((field) => ['string', 'number'].includes(typeof field));
  const words = told.join(' ').slice(0, 2000);
  if (TOO_LONG.test(words)) return new ModelFault('too_long', { words });
  if (/rate.?limit|too many requests|\b429\b/i.test(words)) {
    return new ModelFault('rate', { retryable: true, words });
  }
  if (/overloaded|server_error|api_error|unavailable|internal|\b5\d\d\b/i.test(words)) {
    return new ModelFault('overloaded', { retryable: true, words });
  }
  return new ModelFault('broken', { words });
}

function retryAfterOf(headers: Readonly<Record<string, string>>): number | undefined {
  const precise = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (Number.isFinite(precise) && precise >= 0) return precise;
  const given = headers['retry-after'];
  if (given === undefined) return undefined;
  const seconds = Number(given);
  const ms = Number.isNaN(seconds) ? Date.parse(given) - Date.now() : seconds * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
