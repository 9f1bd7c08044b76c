import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/public.decorator.js';
import { RequireScope } from '../../auth/require-scope.decorator.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError, unavailable } from '../../domain/errors.js';
import { noteRequest } from '../../metrics/request-notes.js';
import { Ctx } from '../../tenant/ctx.decorator.js';
import { RefusesRatesItself, rateRefusalOf } from '../../tenant/rate-refusal.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';
import { clientGone } from '../http/client-gone.js';
import { pathNotFound } from '../http/path-not-found.js';
import { setRefusalHeaders } from '../http/send-error.js';
import { StreamQuota } from '../sse/stream-quota.js';
import { StreamRegistry } from '../sse/stream-registry.js';
import { acceptedForm } from './accept.js';
import { CallRunner } from './call-runner.js';
import { McpExchange } from './exchange.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { plainCall } from './plain-call.js';
import { checkArguments, methodOf, parseBody } from './request-body.js';

/** MCP over Streamable HTTP. The rules of HTTP are here, those of MCP in `CallRunner` and the SDK. */
@Controller()
export class McpController {
  constructor(
    private readonly endpoint: McpEndpoint,
    private readonly runner: CallRunner,
    private readonly tenants: TenantDirectory,
    private readonly streams: StreamRegistry,
    private readonly quota: StreamQuota,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @All('mcp')
  @RequireScope('mcp')
  @RefusesRatesItself()
  async handle(
    @Ctx() ctx: CallContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (request.method !== 'POST') {
      void reply.header('allow', 'POST');
      throw new DomainError('METHOD_NOT_ALLOWED', 'The MCP endpoint takes POST only');
    }
    const text = typeof request.body === 'string' ? request.body : '';
    const limits = this.tenants.limitsOf(ctx.tenant);
    if (Buffer.byteLength(text) > limits.mcpBodyBytes) {
      throw new DomainError('TOO_LARGE', 'The request body is too large');
    }
    const body = parseBody(text);
    checkArguments(body);
    const method = methodOf(body);
    noteRequest(request.raw, { surface: 'mcp', method });
    const refusal = rateRefusalOf(request.raw);
    // A model can make something of a tool's answer; of an HTTP error only its client can.
    if (refusal !== undefined && method !== 'tools/call') throw refusal;
    if (refusal !== undefined) setRefusalHeaders(reply, refusal);
    if (method === 'subscriptions/listen') {
      void reply.send(nothingToListenTo(body));
      return;
    }
    if (method === 'notifications/cancelled') await this.endpoint.cancel(ctx, body);

    const form = acceptedForm(request.headers.accept);
    if (form === 'none') {
      void reply.send(notAcceptable());
      return;
    }
    const exchange = new McpExchange({
      ctx,
      limits,
      streams: form !== 'json' && method === 'tools/call',
      baseUrl: () => reply.server.baseUrlOf?.(request) ?? '',
      protocolVersion: headerOf(request, 'mcp-protocol-version'),
      admit: () => (refusal === undefined ? this.quota.take(ctx, reply) : Promise.reject(refusal)),
      noteTask: (taskId) => {
        noteRequest(request.raw, { taskId });
      },
    });
    this.endWith(exchange, reply, method === 'tools/call');
    const call = plainCall(request.headers, body);
    if (call !== undefined && (await this.runner.answer(exchange, call, form, reply))) return;
    const asked = webRequest(request, text, clientGone(reply));
    const response = await this.endpoint.serve(exchange, asked, body);
    void reply.send(response);
  }

  /** Everything below the endpoint (seed-behaviours N12). */
  @Public()
  @All('mcp/*')
  below(): never {
    throw pathNotFound(this.config);
  }

  /** A client that goes away ends its exchange, and a call would hold up a graceful stop. */
  private endWith(exchange: McpExchange, { raw }: FastifyReply, waits: boolean): void {
    let remove = (): void => undefined;
    if (waits) {
      if (this.streams.closed) throw unavailable('This instance is stopping; call again');
      remove = this.streams.add({
        close: () => {
          exchange.hurry();
        },
      });
    }
    const end = (): void => {
      remove();
      if (!raw.writableFinished) exchange.leave();
    };
    if (raw.destroyed) end();
    else raw.on('close', end);
  }
}

function headerOf({ headers }: FastifyRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/** For the SDK: the headers that MCP defines, and no other (no credentials). */
function webRequest(request: FastifyRequest, body: string, signal: AbortSignal): Request {
  const headers = new Headers({ accept: 'application/json, text/event-stream' });
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value !== 'string') continue;
    if (name === 'content-type' || name.startsWith('mcp-')) headers.set(name, value);
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers, body, signal });
}

function notAcceptable(): Response {
  const message = 'Accept must admit application/json or text/event-stream';
  return rpcError(406, -32600, message, null);
}

/** The tools are fixed, so a stream of changes would be one that never says anything. */
function nothingToListenTo(body: unknown): Response {
  const sent = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  const id = typeof sent === 'string' || Number.isInteger(sent) ? sent : null;
  return rpcError(404, -32601, 'Method not found: this server has no change notifications', id);
}

function rpcError(status: number, code: number, message: string, id: unknown): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status });
}
