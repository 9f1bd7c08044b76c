import type { RawRequest, RawResponse } from './raw-http.js';

/** What only the inside of the server, or its framework, would say. */
const INTERNALS = [
  /<\s*(html|!doctype|body|pre|title)\b/i,
  /node_modules|\(node:|\bat .{1,200}\.[jt]s:\d+/,
  /\b(TypeError|RangeError|SyntaxError|ReferenceError|AssertionError|ReplyError)\b/,
  /\b(FST_ERR|ERR_[A-Z]{3,}|ECONN|ENOENT|EPIPE)/,
  /Cannot (read|set|GET|POST|convert)|is not a function|is not iterable|Unexpected (token|end|non)/,
  /in JSON at|ioredis|redis:\/\/|nj:\{|EVALSHA|user_script|Internal Server Error|"statusCode"/,
];

const JSON_TYPES = /^application\/(json|a2a\+json|jwk-set\+json)(; charset=utf-8)?$/;

/** What is wrong with an answer; undefined when nothing is. */
export function faultOf(
  { method, target }: RawRequest,
  response: RawResponse | undefined,
  listener: 'public' | 'management',
): string | undefined {
  if (response === undefined) return 'the connection was closed without an answer';
  const { status, headers, body } = response;
  const text = body.toString('utf8');
  const shown = `${status} ${headers.get('content-type') ?? ''} ${text.slice(0, 600)}`;
  if (status >= 500 && !(status === 503 && /UNAVAILABLE|-32065/.test(text))) {
    return `a 5xx that is not declared: ${shown}`;
  }
  const type = headers.get('content-type') ?? '';
  const internal = INTERNALS.find((pattern) => pattern.test(text));
  // Files of a task are its owner's bytes.
  if (internal !== undefined && !headers.has('content-disposition')) {
    return `${String(internal)} in the answer: ${shown}`;
  }
  // What is no HTTP has no path either, and so no protocol.
  if (/is not well-formed HTTP"/.test(text)) return faultOfRest(JSON.parse(text), status);
  if (status === 204 || status === 304 || method === 'HEAD' || status === 202) {
    return text === '' ? undefined : `a body where there is none: ${shown}`;
  }
  if (listener === 'management' || headers.has('content-disposition')) return undefined;
  if (type.startsWith('text/event-stream')) return faultOfStream(text, target);
  if (!JSON_TYPES.test(type)) return `not JSON: ${shown}`;
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return `broken JSON: ${shown}`;
  }
  const fault = faultOfEnvelope(document, status, target);
  return fault === undefined ? undefined : `${fault}: ${shown}`;
}

function faultOfStream(text: string, target: string): string | undefined {
  // By line feeds alone: a U+2028 within a text ends no line of SSE.
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice('data: '.length));
  for (const event of events) {
    let document: unknown;
    try {
      document = JSON.parse(event);
    } catch {
      return `broken JSON in an event: ${event.slice(0, 300)}`;
    }
    const fault = isRpcPath(target) ? faultOfRpc(document, 200, true) : undefined;
    if (fault !== undefined) return `${fault} in an event: ${event.slice(0, 300)}`;
  }
  return undefined;
}

/** A target that was left alone, whose protocol is plain. */
function isRpcPath(target: string): boolean {
  return /^\/(a2a|a2a\/v1|a2a\/v03|mcp)\/?(\?|$)/.test(target);
}

function isRestPath(target: string): boolean {
  return /^\/a2a\/[a-z]+[:/?]/.test(target) && !/^\/a2a\/v(1|03)\/?(\?|$)/.test(target);
}

function faultOfEnvelope(document: unknown, status: number, target: string): string | undefined {
  if (isRpcPath(target) && !/^\/a2a\/?(\?|$)/.test(target)) return faultOfRpc(document, status);
  if (isRestPath(target)) return faultOfRest(document, status);
  // A path that was changed may be either's; GET /a2a is a document of its own.
  if (status < 400 && !isRecord(document)) return 'no object';
  if (status < 400) return undefined;
  return faultOfRest(document, status) === undefined ? undefined : faultOfRpc(document, status);
}

function faultOfRpc(document: unknown, status: number, event = false): string | undefined {
  if (Array.isArray(document)) {
    return document.map((one) => faultOfRpc(one, status, event)).find((one) => one !== undefined);
  }
  if (!isRecord(document) || document['jsonrpc'] !== '2.0') return 'no JSON-RPC envelope';
  if (event && 'method' in document) return undefined;
  const { id, result, error } = document;
  if ('id' in document && typeof id !== 'string' && typeof id !== 'number' && id !== null) {
    return 'an id of a wrong type';
  }
  if ('result' in document === 'error' in document) return 'not one of result and error';
  if (status >= 400 && result !== undefined) return 'a result under an error’s status';
  if (error === undefined) return undefined;
  if (!isRecord(error) || !Number.isInteger(error['code'])) return 'an error without a code';
  const { message } = error;
  return typeof message === 'string' && message !== '' ? undefined : 'an error without a message';
}

function faultOfRest(document: unknown, status: number): string | undefined {
  if (!isRecord(document)) return 'no object';
  if (status < 400) return 'error' in document ? 'an error under a status of success' : undefined;
  const { error } = document;
  if (!isRecord(error)) return 'no google.rpc.Status';
  if (error['code'] !== status) return 'another code than the status';
  if (typeof error['status'] !== 'string' || typeof error['message'] !== 'string') {
    return 'an error without status or message';
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
