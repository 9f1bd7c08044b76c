import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface ToolAnswer {
  readonly texts: readonly string[];
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

export interface CallOptions {
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
  readonly signal?: AbortSignal;
}

/** The part of both eras' clients that the tests use. */
export interface AnyClient {
  call(args: Record<string, unknown>, options?: CallOptions, tool?: string): Promise<ToolAnswer>;
  tools(): Promise<readonly { name: string; outputSchema?: object | undefined }[]>;
  instructions(): string | undefined;
  close(): Promise<void>;
}

const NAME = { name: 'nightjar-test', version: '1.0.0' };

/** The client of @modelcontextprotocol/sdk 1, which speaks 2025-11-25. */
export async function client2025(url: string, token: string): Promise<AnyClient> {
  const client = new Client(NAME);
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { 'X-User-Token': token } },
  });
  await client.connect(transport);
  return {
    call: async (args, options, tool = 'n9e_assistant') =>
      answerOf(await client.callTool({ name: tool, arguments: args }, undefined, options)),
    tools: async () => (await client.listTools()).tools,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

/** The client of @modelcontextprotocol/client 2, pinned to 2026-07-28. */
export async function client2026(url: string, token: string): Promise<AnyClient> {
  const client = new ModernClient(NAME, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const transport = new ModernTransport(new URL('/mcp', url), {
    requestInit: { headers: { 'X-User-Token': token } },
  });
  await client.connect(transport);
  return {
    call: async (args, options, tool = 'n9e_assistant') =>
      answerOf(await client.callTool({ name: tool, arguments: args }, options)),
    tools: async () => (await client.listTools()).tools,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

function answerOf(result: object): ToolAnswer {
  const { content, structuredContent, isError } = result as {
    content: readonly { text: string }[];
    structuredContent?: Record<string, unknown>;
    isError?: boolean;
  };
  return {
    texts: content.map((block) => block.text),
    structured: structuredContent ?? {},
    isError: isError === true,
  };
}

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly token?: string;
}

/** A bare POST to /mcp, with the headers that a client should send unless they are overridden. */
export function post(url: string, body: unknown, options: PostOptions = {}): Promise<Response> {
  return fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-user-token': options.token ?? 'alice-token',
      ...options.headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

/** A tools/call of the 2025 era. */
export function call2025(args: object, name = 'n9e_assistant'): object {
  return { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args } };
}

/** A tools/call of 2026-07-28 and the headers that must agree with it. */
export function call2026(args: object): {
  body: object;
  headers: Readonly<Record<string, string>>;
} {
  const body = {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: {
      name: 'n9e_assistant',
      arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': NAME,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'n9e_assistant',
  };
  return { body, headers };
}

/** The one JSON-RPC response in a body of either form. */
export async function messageOf(response: Response): Promise<{
  result?: { content: readonly { text: string }[]; isError?: boolean } & Record<string, unknown>;
  error?: { code: number; message: string };
}> {
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return JSON.parse(data) as ReturnType<typeof messageOf> extends Promise<infer T> ? T : never;
}
