import type { JsonObject, JsonValue } from '../../domain/a2a.js';
import { DomainError } from '../../domain/errors.js';
import { jsonRpcError, type WireError } from './error-body.js';
import { parseJson } from './parse-json.js';

/** A longer one is refused: the id is repeated in every event of a stream. */
const MAX_ID_BYTES = 256;

export type RpcId = string | number | null;

export interface RpcRequest {
  /** Null too when the request had none: A2A knows no notifications. */
  readonly id: RpcId;
  readonly method: string;
  /** As it came; undefined when absent. */
  readonly params: JsonValue | undefined;
}

/**
 * Reads the envelope (JSON-RPC 2.0 section 4).
 * @throws DomainError PARSE_ERROR when it is not JSON, INVALID_REQUEST when it is no request (a
 * batch, no method, an id that is no string, integer or null).
 */
export function parseRpcRequest(body: unknown): RpcRequest {
  const document = parseJson(typeof body === 'string' ? body : '');
  if (Array.isArray(document)) throw refusal('Batches are not supported: send one request');
  if (!isObject(document)) throw refusal('The body must be a JSON-RPC request object');
  const { jsonrpc, method, params } = document;
  const id = document['id'] ?? null;
  if (!isRpcId(id)) throw refusal('id must be a string of at most 256 bytes, an integer or null');
  if (jsonrpc !== '2.0') throw refusal('jsonrpc must be "2.0"');
  if (typeof method !== 'string' || method === '') {
    throw refusal('method must be a string that is not empty');
  }
  return { id, method, params };
}

/** The id to answer a refused request under: null when the body has none that could be used. */
export function rpcIdOf(body: unknown): RpcId {
  if (typeof body !== 'string') return null;
  try {
    const document = parseJson(body);
    const id = isObject(document) ? (document['id'] ?? null) : null;
    return isRpcId(id) ? id : null;
  } catch {
    return null;
  }
}

/** The text before and after a result: an event is put between them without being parsed. */
export function rpcFrame(id: RpcId): { readonly head: string; readonly tail: string } {
  return { head: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, tail: '}' };
}

export function rpcResultText(id: RpcId, result: unknown): string {
  const { head, tail } = rpcFrame(id);
  return head + jsonOf(result) + tail;
}

/** A document that is JSON already. */
export class JsonText {
  constructor(readonly text: string) {}
}

export function jsonOf(document: unknown): string {
  return document instanceof JsonText ? document.text : JSON.stringify(document);
}

export function rpcErrorText(id: RpcId, error: WireError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: jsonRpcError(error) });
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Only integers that survive a round trip: 2^53 + 1 would be answered under another id. */
function isRpcId(id: JsonValue): id is RpcId {
  if (typeof id === 'string') return Buffer.byteLength(id) <= MAX_ID_BYTES;
  return id === null || Number.isSafeInteger(id);
}

function refusal(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', message);
}
