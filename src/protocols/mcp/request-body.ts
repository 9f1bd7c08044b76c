import { DomainError } from '../../domain/errors.js';
import { parseJson } from '../wire/parse-json.js';

/** UTF-8 bytes of a tool call's arguments (design section 8). */
const ARGUMENT_BYTES = 16 * 1024;
/** Of a tool's name: an unknown one is repeated in the answer. */
const NAME_BYTES = 128;

/** The operations of MCP by their names, for metrics; any other is `unknown`. */
const METHODS = new Set([
  'initialize',
  'ping',
  'notifications/initialized',
  'notifications/cancelled',
  'server/discover',
  'subscriptions/listen',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'logging/setLevel',
  'completion/complete',
]);

/**
 * Undefined for what is not JSON: the SDK words the error.
 * @throws DomainError PARSE_ERROR for JSON that `parseJson` refuses: too deep, a key twice.
 */
export function parseBody(text: string): unknown {
  // The SDK reads past a byte order mark: what is checked here must be what it sees.
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    return parseJson(json);
  } catch (error) {
    if (isJson(json)) throw error;
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The method of a single message, `batch` for an array, `unknown` for anything else. */
export function methodOf(body: unknown): string {
  if (Array.isArray(body)) return 'batch';
  const method = field(body, 'method');
  return typeof method === 'string' && METHODS.has(method) ? method : 'unknown';
}

/** @throws DomainError TOO_LARGE when a tool call's arguments pass the bound, INVALID_PARAMS its name. */
export function checkArguments(body: unknown): void {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  for (const message of messages) {
    if (field(message, 'method') !== 'tools/call') continue;
    const name = field(field(message, 'params'), 'name');
    if (typeof name === 'string' && Buffer.byteLength(name) > NAME_BYTES) {
      throw new DomainError('INVALID_PARAMS', `The name of a tool has at most ${NAME_BYTES} bytes`);
    }
    const size = Buffer.byteLength(
      JSON.stringify(field(field(message, 'params'), 'arguments') ?? {}),
    );
    if (size > ARGUMENT_BYTES) {
      throw new DomainError(
        'TOO_LARGE',
        `The arguments are ${size} bytes long; ${ARGUMENT_BYTES} are allowed`,
      );
    }
  }
}

/** A property of what may be anything. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
