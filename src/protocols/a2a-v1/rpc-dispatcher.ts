import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { JsonValue } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import { noteRequest } from '../../metrics/request-notes.js';
import type { TaskStream } from '../../tasks/task.types.js';
import { toWireError } from '../http/send-error.js';
import { SseResponder } from '../sse/sse-responder.js';
import { StreamQuota } from '../sse/stream-quota.js';
import { rpcErrorText, rpcFrame, type RpcRequest, rpcResultText } from '../wire/json-rpc.js';
import { A2AOperations } from './a2a.operations.js';
import { type Call, callOf } from './call.js';

type Params = JsonValue | undefined;
type Answer = (ops: A2AOperations, ctx: CallContext, params: Params, call: Call) => unknown;
type Stream = (
  ops: A2AOperations,
  ctx: CallContext,
  params: Params,
  call: Call,
) => Promise<TaskStream>;
type Method = { readonly name: string } & (
  { readonly answer: Answer } | { readonly stream: Stream }
);

/** The methods of A2A 1.0 (spec 9.4). */
const METHODS: readonly Method[] = [
  {
    name: 'SendMessage',
    answer: async (ops, ctx, params, call) => ({ task: await ops.sendMessage(ctx, params, call) }),
  },
  {
    name: 'SendStreamingMessage',
    stream: (ops, ctx, params, call) => ops.streamMessage(ctx, params, call),
  },
  { name: 'GetTask', answer: (ops, ctx, params, call) => ops.getTaskText(ctx, params, call) },
  { name: 'ListTasks', answer: (ops, ctx, params, call) => ops.listTasks(ctx, params, call) },
  {
    name: 'CancelTask',
    answer: async (ops, ctx, params, call) => (await ops.cancelTask(ctx, params, call)).task,
  },
  {
    name: 'SubscribeToTask',
    stream: (ops, ctx, params, call) => ops.subscribe(ctx, params, call),
  },
  {
    name: 'CreateTaskPushNotificationConfig',
    answer: (ops, ctx, params, call) => ops.push.create(ctx, params, call),
  },
  {
    name: 'GetTaskPushNotificationConfig',
    answer: (ops, ctx, params, call) => ops.push.get(ctx, params, call),
  },
  {
    name: 'ListTaskPushNotificationConfigs',
    answer: (ops, ctx, params, call) => ops.push.list(ctx, params, call),
  },
  {
    name: 'DeleteTaskPushNotificationConfig',
    answer: async (ops, ctx, params, call) => {
      await ops.push.delete(ctx, params, call);
      return null;
    },
  },
  {
    name: 'GetExtendedAgentCard',
    answer: (ops, ctx, params, call) => ops.extendedAgentCard(ctx, params, call),
  },
];

export const V1_METHODS: readonly string[] = METHODS.map(({ name }) => name);

/** By the spec's PascalCase name and by the camelCase one that NevoFlux uses. */
const METHOD_OF = new Map<string, Method>(
  METHODS.flatMap((method) => [
    [method.name, method],
    [method.name.charAt(0).toLowerCase() + method.name.slice(1), method],
  ]),
);

/** Whether a method name is one of A2A 1.0, in either spelling. */
export function isV1Method(method: string): boolean {
  return METHOD_OF.has(method);
}

/** A2A 1.0 over JSON-RPC: finds the operation and wraps what it gives in the envelope. */
@Injectable()
export class RpcDispatcher {
  constructor(
    private readonly operations: A2AOperations,
    private readonly sse: SseResponder,
    private readonly quota: StreamQuota,
  ) {}

  /**
   * Answers on `reply`; resolves when the answer was given, or the stream has begun.
   * @throws DomainError what the operation throws before the answer began; METHOD_NOT_FOUND.
   */
  async dispatch(ctx: CallContext, rpc: RpcRequest, reply: FastifyReply): Promise<void> {
    const method = METHOD_OF.get(rpc.method);
    if (method === undefined) throw unknownMethod(rpc.method);
    noteRequest(reply.request.raw, { surface: 'a2a-jsonrpc', method: method.name });
    const call = callOf(reply);
    if ('stream' in method) {
      await this.quota.take(ctx, reply);
      const events = await method.stream(this.operations, ctx, rpc.params, call);
      await this.sse.respond(reply, events, {
        ...rpcFrame(rpc.id),
        error: (error) => rpcErrorText(rpc.id, toWireError(error, reply)),
      });
      return;
    }
    const result = await method.answer(this.operations, ctx, rpc.params, call);
    reply.code(200).header('content-type', 'application/json').send(rpcResultText(rpc.id, result));
  }
}

function unknownMethod(name: string): DomainError {
  const legacy = /^(?:message|tasks|agent)\//.test(name)
    ? ': it is a method of A2A 0.3, which is spoken on /a2a without an A2A-Version header and on /a2a/v03'
    : '';
  return new DomainError('METHOD_NOT_FOUND', `Unknown method ${quoted(name)}${legacy}`);
}

/** A name from outside, cut to a length at which it can be repeated. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}
