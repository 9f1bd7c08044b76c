import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  createMcpHandler,
  type McpHttpHandler,
  type McpRequestContext,
  type McpServer,
  type PerRequestResponseMode,
} from '@modelcontextprotocol/server';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import type { CallContext } from '../../domain/call-context.js';
import { TaskService } from '../../tasks/task.service.js';
import { cancelRequest } from './cancel-request.js';
import { McpExchange } from './exchange.js';
import { asJson } from './json-response.js';
import { serverOf } from './server.js';
import { ToolHosts } from './tool-hosts.js';

const OPENING = new TextEncoder().encode(': working\n\n');

/**
 * The SDK's stateless HTTP handler for both eras (2025 and 2026-07-28): a fresh server for each
 * request, so that any instance behind a load balancer can answer any of them. It has the last word
 * on the protocol: whatever is not a plain call comes here.
 */
@Injectable()
export class McpEndpoint {
  private readonly logger = new Logger(McpEndpoint.name);
  private readonly plain: McpHttpHandler;
  private readonly streaming: McpHttpHandler;

  constructor(
    private readonly tasks: TaskService,
    private readonly hosts: ToolHosts,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {
    this.plain = this.handler('auto');
    this.streaming = this.handler('sse');
  }

  /**
   * @param body what `request` carries, parsed; undefined when it is not JSON.
   * @throws whatever kept a tool from beginning and MCP clients get as an HTTP status.
   */
  async serve(exchange: McpExchange, request: Request, body: unknown): Promise<Response> {
    const handler = exchange.options.streams ? this.streaming : this.plain;
    const response = await handler.fetch(request, {
      // The SDK's way to hand something to the factory; no token leaves the guard.
      authInfo: { token: '', clientId: '', scopes: [], extra: { exchange } },
      ...(body === undefined ? {} : { parsedBody: body }),
    });
    const answer = exchange.options.streams
      ? await begun(response, exchange)
      : await asJson(response);
    if (exchange.refusal === undefined) return answer;
    await answer.body?.cancel();
    throw exchange.refusal;
  }

  /** See `cancelRequest`. */
  cancel(ctx: CallContext, body: unknown): Promise<void> {
    return cancelRequest(this.tasks, ctx, body, this.config.mcp.maxWaitSeconds * 1000);
  }

  private handler(responseMode: PerRequestResponseMode): McpHttpHandler {
    return createMcpHandler((context) => this.server(context), {
      responseMode,
      keepAliveMs: this.config.execution.sseCommentMs,
      onerror: (error) => {
        this.logger.debug(error.message);
      },
    });
  }

  private server({ era, authInfo }: McpRequestContext): McpServer {
    const exchange = authInfo?.extra?.['exchange'];
    if (!(exchange instanceof McpExchange)) throw new Error('bug: a request without its exchange');
    return serverOf(this.hosts.of(exchange, era));
  }
}

/**
 * The response, once a tool has begun or refused its work or the first bytes are there: until then
 * the HTTP status is still open. A stream that would stay silent starts with a comment, so that the
 * client sees its head at once and not with the first keep-alive.
 */
async function begun(response: Response, exchange: McpExchange): Promise<Response> {
  if (response.body === null) return response;
  const source: ReadableStream<Uint8Array> = response.body;
  const reader = source.getReader();
  let first: ReturnType<typeof reader.read> | undefined = reader.read();
  const silent = await Promise.race([exchange.opened.then(() => true), first.then(() => false)]);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (silent) controller.enqueue(OPENING);
    },
    pull: async (controller) => {
      const { done, value } = await (first ?? reader.read());
      first = undefined;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const headers = new Headers(response.headers);
  // Whether the connection stays open is the client's word and ours, not the SDK's.
  headers.delete('connection');
  return new Response(body, { status: response.status, headers });
}
