import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError, type ErrorCode } from '../../domain/errors.js';
import { noteRequest } from '../../metrics/request-notes.js';
import { A2AOperations } from '../a2a-v1/a2a.operations.js';
import { answerExtensions, callOf } from '../a2a-v1/call.js';
import { isV1Method, quoted } from '../a2a-v1/rpc-dispatcher.js';
import { toWireError } from '../http/send-error.js';
import { type OutgoingEvent, type SseEncoding, SseResponder } from '../sse/sse-responder.js';
import { StreamQuota } from '../sse/stream-quota.js';
import { ERROR_TABLE } from '../wire/error-table.js';
import { rpcErrorText, type RpcRequest, rpcResultText } from '../wire/json-rpc.js';
import { RequestHandlerFacade } from './request-handler.facade.js';
import { readV03Params, V03_METHODS, type V03Method } from './v03-params.js';

type Answer = Awaited<ReturnType<LegacyJsonRpcTransportHandler['handle']>>;
type Envelopes = Extract<Answer, AsyncGenerator>;
type Envelope = Exclude<Answer, AsyncGenerator>;

/** The refusals that the SDK's translation makes itself. */
const CODE_OF_SDK: Readonly<Record<number, ErrorCode>> = {
  [-32600]: 'INVALID_REQUEST',
  [-32601]: 'METHOD_NOT_FOUND',
  [-32602]: 'INVALID_PARAMS',
};

/** A2A 0.3 over JSON-RPC: the SDK's handler over the operations of 1.0, and what it gets wrong. */
@Injectable()
export class LegacyDispatcher {
  constructor(
    private readonly operations: A2AOperations,
    private readonly sse: SseResponder,
    private readonly quota: StreamQuota,
  ) {}

  /**
   * Answers on `reply`; resolves when the answer, or the stream, is over.
   * @throws DomainError what the operation throws before the answer began; METHOD_NOT_FOUND.
   */
  async dispatch(ctx: CallContext, rpc: RpcRequest, reply: FastifyReply): Promise<void> {
    const method = V03_METHODS.find((name) => name === rpc.method);
    if (method === undefined) throw unknownMethod(rpc.method);
    noteRequest(reply.request.raw, { surface: 'a2a-jsonrpc-0.3', method });
    answerExtensions(reply, 'x-a2a-extensions');
    const encoding = encodingOf(rpc, reply);
    try {
      await this.run(method, ctx, rpc, reply, encoding);
    } catch (error) {
      if (!wantsErrorAsEvent(method, error, reply)) throw error;
      await this.sse.respondError(reply, encoding, error);
    }
  }

  private async run(
    method: V03Method,
    ctx: CallContext,
    rpc: RpcRequest,
    reply: FastifyReply,
    encoding: SseEncoding,
  ): Promise<void> {
    if (method.startsWith('tasks/pushNotificationConfig/')) this.operations.push.requireEnabled();
    const params = readV03Params(method, rpc.params);
    const call = callOf(reply, '0.3');
    if (method === 'agent/getAuthenticatedExtendedCard') {
      const card = await this.operations.extendedAgentCard(ctx, params, call);
      reply.code(200).header('content-type', 'application/json').send(rpcResultText(rpc.id, card));
      return;
    }
    if (method === 'message/stream' || method === 'tasks/resubscribe') {
      await this.quota.take(ctx, reply);
    }
    const facade = new RequestHandlerFacade(this.operations, ctx, call);
    const answer = await new LegacyJsonRpcTransportHandler(facade).handle(
      { jsonrpc: '2.0', id: rpc.id, method, params },
      new ServerCallContext({ requestedVersion: '0.3' }),
    );
    if (Symbol.asyncIterator in answer) {
      await this.sse.respond(reply, outgoing(answer, facade), encoding);
      return;
    }
    if (answer.error !== undefined) throw facade.refusal ?? refusalOf(answer.error);
    reply.code(200).header('content-type', 'application/json').send(JSON.stringify(answer));
  }
}

/** The SDK's envelopes are whole JSON-RPC responses already. */
function encodingOf(rpc: RpcRequest, reply: FastifyReply): SseEncoding {
  return {
    head: '',
    tail: '',
    error: (error) => rpcErrorText(rpc.id, toWireError(error, reply)),
  };
}

async function* outgoing(
  envelopes: Envelopes,
  facade: RequestHandlerFacade,
): AsyncGenerator<OutgoingEvent> {
  for await (const envelope of envelopes) {
    if (facade.event?.settled === true) markFinal(envelope);
    yield { id: facade.event?.id, json: JSON.stringify(envelope) };
  }
}

/** 0.3 clients stop reading at `final`; the SDK sets it on terminal states only. */
function markFinal({ result }: Envelope): void {
  const update = result as { kind?: unknown; final?: unknown } | undefined;
  if (update?.kind === 'status-update') update.final = true;
}

/**
 * The one 0.3 stream whose errors its clients can only read as an event: they refuse any answer to
 * it that is no event stream, and so does the SDK's own server answer them.
 */
function wantsErrorAsEvent(method: V03Method, error: unknown, reply: FastifyReply): boolean {
  const accepts = reply.request.headers.accept?.includes('text/event-stream') ?? false;
  const plain = error instanceof DomainError && ERROR_TABLE[error.code].jsonRpcHttp === 'ok';
  return method === 'tasks/resubscribe' && accepts && plain;
}

function refusalOf(error: NonNullable<Envelope['error']>): Error {
  const code = CODE_OF_SDK[error.code];
  if (code !== undefined) return new DomainError(code, error.message);
  return new Error(`the SDK could not translate a 0.3 call: ${error.message}`);
}

function unknownMethod(name: string): DomainError {
  const newer = isV1Method(name)
    ? ': it is a method of A2A 1.0; send the header A2A-Version: 1.0, or POST to /a2a/v1'
    : '';
  return new DomainError('METHOD_NOT_FOUND', `Unknown method ${quoted(name)}${newer}`);
}
