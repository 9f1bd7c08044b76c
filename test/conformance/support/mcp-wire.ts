import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/a2a.js';
import { A2aClient, type Reply } from '../../support/a2a-client.js';
import { within } from '../../support/wait.js';
import type { McpCell } from './cells.js';
import { asText } from './text.js';
import { isDocument } from './v03.js';
import type { Headers } from './wire.js';

export const MODERN = '2026-07-28';
export const TOOL = 'n9e_assistant';
const PREFIX = 'io.modelcontextprotocol/';

/** A JSON-RPC error as the caller got it. */
export class McpError extends Error {
  override readonly name = 'McpError';

  constructor(
    readonly http: number,
    readonly code: unknown,
    text: string,
  ) {
    super(`HTTP ${http} ${text}`);
  }
}

/** A tool's result, its texts and its structured content. */
export interface ToolResult {
  readonly texts: readonly string[];
  readonly structured: JsonObject;
  readonly isError: boolean;
}

/** A caller of MCP over bare HTTP, who checks every envelope; one era, one base URL, one token. */
export class McpWire {
  readonly http: A2aClient;

  constructor(
    readonly cell: McpCell,
    readonly baseUrl: string,
    readonly token: string | undefined,
    private readonly patience: number,
  ) {
    this.http = new A2aClient(baseUrl, token);
  }

  /** A request of the era as it goes over the wire, and the headers that must agree with it. */
  request(method: string, params: JsonObject = {}, id: JsonValue = 1): [JsonObject, Headers] {
    const accept = 'application/json, text/event-stream';
    if (this.cell === 'mcp-2025') return [{ jsonrpc: '2.0', id, method, params }, { accept }];
    const given = params['_meta'];
    const _meta = {
      [`${PREFIX}protocolVersion`]: MODERN,
      [`${PREFIX}clientInfo`]: { name: 'conformance', version: '1' },
      [`${PREFIX}clientCapabilities`]: {},
      ...(isDocument(given) ? given : {}),
    };
    const named = params['name'];
    return [
      { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
      {
        accept,
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...(typeof named === 'string' ? { 'mcp-name': named } : {}),
      },
    ];
  }

  post(body: JsonObject | string, headers: Headers): Promise<Reply> {
    return within('MCP', this.patience, this.http.call('POST', '/mcp', body, { ...headers }));
  }

  /** @throws McpError; Error when the answer is no JSON-RPC response to the request. */
  async rpc(method: string, params: JsonObject = {}, more: Headers = {}): Promise<JsonObject> {
    const id = randomUUID();
    const [body, headers] = this.request(method, params, id);
    return resultOf(await this.post(body, { ...headers, ...more }), id);
  }

  async refusal(method: string, params: JsonObject = {}, more: Headers = {}): Promise<McpError> {
    try {
      await this.rpc(method, params, more);
    } catch (error) {
      if (error instanceof McpError) return error;
      throw error;
    }
    throw new Error(`${method} was accepted`);
  }

  async tool(name: string, args: JsonObject, more: Headers = {}): Promise<ToolResult> {
    return toolResult(await this.rpc('tools/call', { name, arguments: args }, more));
  }

  ask(message: string, chatId?: string, more: Headers = {}): Promise<ToolResult> {
    const chat = chatId === undefined ? {} : { chat_id: chatId };
    return this.tool(TOOL, { message, ...chat }, more);
  }
}

function toolResult(result: JsonObject): ToolResult {
  const { content, structuredContent, isError } = result;
  expect(content, JSON.stringify(result)).toBeInstanceOf(Array);
  return {
    texts: (content as readonly JsonObject[]).map(({ text }) => asText(text)),
    structured: isDocument(structuredContent) ? structuredContent : {},
    isError: isError === true,
  };
}

/** The messages of a body of either form: JSON, or an event stream. */
export function messagesOf({ headers, text }: Reply): readonly JsonObject[] {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('text/event-stream')) {
    expect(type, text).toMatch(/^application\/json(;|$)/);
    return [JSON.parse(text) as JsonObject];
  }
  // By line feeds alone: a U+2028 within a text ends no line of SSE.
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as JsonObject);
}

/** @throws McpError. */
export function resultOf(reply: Reply, id: JsonValue): JsonObject {
  const answers = messagesOf(reply).filter((message) => !('method' in message));
  expect(answers, reply.text).toHaveLength(1);
  const [answer] = answers;
  expect(answer, reply.text).toMatchObject({ jsonrpc: '2.0' });
  const { error, result } = answer!;
  if (isDocument(error)) throw new McpError(reply.status, error['code'], reply.text);
  expect(answer!['id'], reply.text).toEqual(id);
  if (!isDocument(result)) throw new Error(`no result: ${reply.text}`);
  return result;
}
