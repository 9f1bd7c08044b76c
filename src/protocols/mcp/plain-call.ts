import type { IncomingHttpHeaders } from 'node:http';
import {
  classifyInboundRequest,
  isJsonContentType,
  type ProgressToken,
  type ProtocolEra,
  type RequestId,
} from '@modelcontextprotocol/server';
import { PROTOCOLS } from '../../config/build-identity.js';

/** A `tools/call` with nothing in it that would need the SDK. */
export interface PlainCall {
  readonly era: ProtocolEra;
  readonly id: RequestId;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly progressToken?: ProgressToken;
}

type Fields = Readonly<Record<string, unknown>>;

const MODERN = '2026-07-28';
const LEGACY = new Set<string>(PROTOCOLS.mcp.filter((version) => version < MODERN));

/** Keys of `_meta` that the protocol keeps for itself begin so; the SDK knows what they mean. */
const RESERVED = 'io.modelcontextprotocol/';

const MESSAGE_KEYS = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMS_KEYS = new Set(['name', 'arguments', '_meta']);

/**
 * Reads a call of one tool, or says by undefined that the SDK has to read it: everything odd, wrong
 * or rare goes there, so that what this knows of the protocol is only how a good call looks
 * (ADR 0007).
 * @param body parsed JSON.
 */
export function plainCall(headers: IncomingHttpHeaders, body: unknown): PlainCall | undefined {
  if (!isFields(body) || body['method'] !== 'tools/call' || body['jsonrpc'] !== '2.0') return;
  const { id, params } = body;
  if (!isName(id) || !isFields(params)) return;
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  if (typeof name !== 'string' || !isFields(args) || !isFields(meta)) return;
  const { progressToken } = meta;
  if (progressToken !== undefined && !isName(progressToken)) return;
  if (!hasOnly(body, MESSAGE_KEYS) || !hasOnly(params, PARAMS_KEYS)) return;
  if (!isJsonContentType(headers['content-type'] ?? null)) return;
  const era = eraOf(headers, body, meta, name);
  if (era === undefined) return;
  return {
    ...{ era, id, tool: name, args },
    ...(progressToken === undefined ? {} : { progressToken }),
  };
}

function eraOf(
  headers: IncomingHttpHeaders,
  body: Fields,
  meta: Fields,
  name: string,
): ProtocolEra | undefined {
  const version = headers['mcp-protocol-version'];
  if (!Object.keys(meta).some((key) => key.startsWith(RESERVED))) {
    return version === undefined || LEGACY.has(String(version)) ? 'legacy' : undefined;
  }
  // An envelope: the SDK's own judgement of it, and the headers exactly as a client writes them.
  if (version !== MODERN || headers['mcp-method'] !== 'tools/call') return undefined;
  if (headers['mcp-name'] !== name) return undefined;
  const found = classifyInboundRequest({
    ...{ httpMethod: 'POST', body },
    ...{ protocolVersionHeader: MODERN, mcpMethodHeader: 'tools/call', mcpNameHeader: name },
  });
  return found.kind === 'modern' && found.classification.revision === MODERN ? 'modern' : undefined;
}

function hasOnly(fields: Fields, known: ReadonlySet<string>): boolean {
  for (const key in fields) if (!known.has(key)) return false;
  return true;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Both a request id and a progress token: a string or a whole number. */
function isName(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
