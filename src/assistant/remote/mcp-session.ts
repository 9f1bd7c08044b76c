import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  getDefaultEnvironment,
  StdioClientTransport,
} from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CompatibilityCallToolResultSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { McpServerConfig } from '../../config/config.types.js';
import { cleanText } from '../sources/clean-text.js';
import { RemoteError } from './remote-error.js';
import type { RemoteHttp } from './remote-http.js';

const CONNECT_MS = 15_000;
const MOST_PAGES = 20;
const WORDS = 300;
const CLIENT = { name: 'nightjar', version: '1' };

const listed = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

export interface McpCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly depth: number;
  readonly signal: AbortSignal;
  readonly onProgress: (message: string) => void;
}

/**
 * The connection to one MCP server: made when it is needed, and anew when the server has forgotten
 * its session, when its process has ended, or when it broke. Results are read without the schemas
 * that the server sends: those are not ours to run.
 */
export class McpSession {
  private opened: Promise<Client> | undefined;
  private isClosed = false;
  /** What broke the connection the last time, where the SDK tells only that it has closed. */
  private broken: RemoteError | undefined;

  constructor(
    private readonly config: McpServerConfig,
    /** Of a server over HTTP. */
    private readonly http: RemoteHttp | undefined,
    private readonly onStderr: (line: string) => void,
  ) {}

  /** All tools as the server describes them, unread. @throws RemoteError */
  async list(signal: AbortSignal): Promise<readonly unknown[]> {
    return this.use(
      1,
      async (client) => {
        const tools: unknown[] = [];
        let cursor: string | undefined;
        for (let page = 0; page < MOST_PAGES; page += 1) {
          const request = {
            method: 'tools/list' as const,
            ...(cursor === undefined ? {} : { params: { cursor } }),
          };
          const { tools: some, nextCursor } = await client.request(request, listed, {
            signal,
            timeout: CONNECT_MS,
          });
          tools.push(...some);
          cursor = nextCursor;
          if (cursor === undefined) break;
        }
        return tools;
      },
      signal,
    );
  }

  /** @returns the result, unread. @throws RemoteError; the signal's reason when it aborts. */
  async call({ tool, args, depth, signal, onProgress }: McpCall): Promise<unknown> {
    const { silenceMs, maxSeconds } = this.config;
    return this.use(
      depth,
      (client) =>
        client.request(
          { method: 'tools/call', params: { name: tool, arguments: args } },
          CompatibilityCallToolResultSchema,
          {
            signal,
            // Without a word of progress only this one is looked at.
            timeout: Math.min(silenceMs, maxSeconds * 1000),
            maxTotalTimeout: maxSeconds * 1000,
            resetTimeoutOnProgress: true,
            onprogress: ({ message }) => {
              if (message !== undefined) onProgress(message);
            },
          },
        ),
      signal,
    );
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.drop();
  }

  private async use<T>(
    depth: number,
    work: (client: Client) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted();
    try {
      return await this.once(depth, work);
    } catch (error) {
      signal.throwIfAborted();
      if (!isForgotten(error)) throw this.faultOf(error);
    }
    // The server knows nothing of the session, so it did nothing.
    await this.drop();
    try {
      return await this.once(depth, work);
    } catch (error) {
      signal.throwIfAborted();
      throw this.faultOf(error);
    }
  }

  private async once<T>(depth: number, work: (client: Client) => Promise<T>): Promise<T> {
    // The depth goes with a connection, which is shared by calls of the usual one.
    if (this.http === undefined || depth === 1) {
      this.opened ??= this.connect(1).catch((error: unknown) => {
        this.opened = undefined;
        throw error;
      });
      return work(await this.opened);
    }
    const client = await this.connect(depth);
    try {
      return await work(client);
    } finally {
      await client.close().catch(() => undefined);
    }
  }

  private async connect(depth: number): Promise<Client> {
    if (this.isClosed) {
      throw new RemoteError(this.config.name, { kind: 'unreachable', code: 'closed' });
    }
    const client = new Client(CLIENT);
    this.broken = undefined;
    const transport = this.transport(depth, () => {
      void client.close().catch(() => undefined);
    });
    client.onclose = () => {
      this.opened = undefined;
    };
    try {
      await client.connect(transport, { timeout: CONNECT_MS });
      return client;
    } catch (error) {
      await client.close().catch(() => undefined);
      throw error;
    }
  }

  private transport(depth: number, breakOff: () => void): Transport {
    const { config, http } = this;
    if (config.transport === 'stdio') {
      const { command, args, env, cwd, maxBytes } = config;
      const transport = new StdioClientTransport({
        command,
        args: [...args],
        env: { ...getDefaultEnvironment(), ...env },
        cwd,
        stderr: 'pipe',
        maxBufferSize: maxBytes,
      });
      transport.stderr?.on('data', (chunk: Buffer) => {
        this.onStderr(cleanText(chunk.toString('utf8'), WORDS));
      });
      return transport;
    }
    if (http === undefined) throw new Error('bug: a server over HTTP without its HTTP');
    const send = http.fetchAt(depth);
    return new StreamableHTTPClientTransport(new URL(config.url), {
      requestInit: { redirect: 'manual' },
      // What the server would say by itself is not wanted: a stream for it would stay open for ever.
      fetch: async (url, init) => {
        if (init?.method === 'GET') return new Response(null, { status: 405 });
        return noticing(await send(url, init), (error) => {
          if (init?.signal?.aborted === true) return;
          this.broken = http.failure(error);
          breakOff();
        });
      },
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1000,
        maxReconnectionDelay: 1000,
        reconnectionDelayGrowFactor: 1,
      },
    });
  }

  private async drop(): Promise<void> {
    const { opened } = this;
    this.opened = undefined;
    await opened?.then((client) => client.close()).catch(() => undefined);
  }

  private faultOf(error: unknown): RemoteError {
    const { name, silenceMs, maxSeconds } = this.config;
    if (error instanceof RemoteError) return error;
    if (error instanceof StreamableHTTPError && (error.code ?? 0) > 0) {
      return new RemoteError(name, { kind: 'http', status: error.code ?? 0 });
    }
    if (error instanceof McpError) {
      // -32001: no answer in time; -32000: the connection has closed.
      const code: number = error.code;
      if (code === -32001) {
        const isLate = silenceMs > maxSeconds * 1000 || isOfTotal(error.data);
        return new RemoteError(
          name,
          isLate
            ? { kind: 'late', seconds: maxSeconds }
            : { kind: 'silent', seconds: silenceMs / 1000 },
        );
      }
      if (code === -32000) {
        return this.broken ?? new RemoteError(name, { kind: 'unreachable', code: 'closed' });
      }
      return new RemoteError(name, { kind: 'refused', text: cleanText(error.message, WORDS) });
    }
    if (error instanceof z.ZodError || error instanceof SyntaxError) {
      return new RemoteError(
        name,
        { kind: 'bad_answer', what: 'no answer of MCP' },
        { cause: error },
      );
    }
    if (this.http !== undefined) return this.http.failure(error);
    const { code } = error as { readonly code?: unknown };
    const known = typeof code === 'string' ? code : 'connection failed';
    return new RemoteError(name, { kind: 'unreachable', code: known }, { cause: error });
  }
}

/** Of a timeout: progress came all along, and the call was over its whole time. */
function isOfTotal(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'maxTotalTimeout' in data;
}

/** The same response; `onError` is told when its body breaks, which the SDK keeps to itself. */
function noticing(response: Response, onError: (error: unknown) => void): Response {
  if (response.body === null) return response;
  const source: ReadableStream<Uint8Array> = response.body;
  const reader = source.getReader();
  let isUnwanted = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (isUnwanted) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (isUnwanted) return;
        controller.error(error);
        onError(error);
      }
    },
    cancel: (reason) => {
      isUnwanted = true;
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/** 404: the session is not known (any more). */
function isForgotten(error: unknown): boolean {
  return error instanceof StreamableHTTPError && error.code === 404;
}
