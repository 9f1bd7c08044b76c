import { Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireScope } from '../../auth/require-scope.decorator.js';
import type { JsonObject, JsonValue } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import { noteRequest } from '../../metrics/request-notes.js';
import type { TaskStream } from '../../tasks/task.types.js';
import { Ctx } from '../../tenant/ctx.decorator.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';
import { toWireError } from '../http/send-error.js';
import { SseResponder } from '../sse/sse-responder.js';
import { StreamQuota } from '../sse/stream-quota.js';
import { requestedVersion, requireVersion } from '../wire/a2a-version.js';
import { restErrorBody } from '../wire/error-body.js';
import { InvalidParams } from '../wire/invalid-params.js';
import { isObject, jsonOf } from '../wire/json-rpc.js';
import { parseJson } from '../wire/parse-json.js';
import { A2AOperations } from './a2a.operations.js';
import { answerExtensions, callOf, checkBodySize } from './call.js';
import { queryDocument } from './query-document.js';
import { splitTaskRef } from './task-ref.js';
import { checkTenantHint } from './tenant-hint.js';

type Request = FastifyRequest<{ Params: Record<string, string | undefined> }>;

/**
 * A2A 1.0 over HTTP+JSON (spec section 11), with and without a tenant in the path. Adapts only:
 * each route makes the request document of its operation out of path, query and body.
 */
@Controller(['a2a', 'a2a/:tenant'])
@RequireScope('a2a')
export class RestController {
  constructor(
    private readonly operations: A2AOperations,
    private readonly sse: SseResponder,
    private readonly quota: StreamQuota,
    private readonly tenants: TenantDirectory,
  ) {}

  @Post('message::send')
  async send(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.begin(ctx, request, reply, 'SendMessage');
    const task = await this.operations.sendMessage(ctx, bodyOf(request), callOf(reply));
    answer(reply, { task });
  }

  @Post('message::stream')
  async stream(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.begin(ctx, request, reply, 'SendStreamingMessage');
    await this.respond(ctx, reply, () =>
      this.operations.streamMessage(ctx, bodyOf(request), callOf(reply)),
    );
  }

  @Get('tasks')
  async list(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.begin(ctx, request, reply, 'ListTasks');
    answer(
      reply,
      await this.operations.listTasks(ctx, queryDocument(request.query), callOf(reply)),
    );
  }

  /** GetTask; and SubscribeToTask, which the spec's proto binds to GET. */
  @Get('tasks/:ref')
  async get(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { id, verb } = splitTaskRef(request.params['ref'] ?? '', ['subscribe']);
    this.begin(ctx, request, reply, verb === undefined ? 'GetTask' : 'SubscribeToTask');
    const document = { ...queryDocument(request.query), id };
    const call = callOf(reply);
    if (verb === undefined) answer(reply, await this.operations.getTaskText(ctx, document, call));
    else if (request.method === 'HEAD') throw notAllowed(reply, 'GET, POST');
    else await this.respond(ctx, reply, () => this.operations.subscribe(ctx, document, call));
  }

  /** CancelTask; and SubscribeToTask, which the spec's text binds to POST. */
  @Post('tasks/:ref')
  async act(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { id, verb } = splitTaskRef(request.params['ref'] ?? '', ['cancel', 'subscribe']);
    if (verb === undefined) throw notAllowed(reply, 'GET');
    const subscribes = verb === 'subscribe';
    this.begin(ctx, request, reply, subscribes ? 'SubscribeToTask' : 'CancelTask');
    const document = { ...optionalBodyOf(request), id };
    const call = callOf(reply);
    if (subscribes) {
      await this.respond(ctx, reply, () => this.operations.subscribe(ctx, document, call));
    } else answer(reply, (await this.operations.cancelTask(ctx, document, call)).task);
  }

  @Post('tasks/:id/pushNotificationConfigs')
  async createPushConfig(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.begin(ctx, request, reply, 'CreateTaskPushNotificationConfig');
    const taskId = request.params['id'] ?? '';
    const body = optionalBodyOf(request);
    const named = body['taskId'] ?? '';
    if (named !== '' && named !== taskId) {
      const description = 'must be the task of the path, or left out';
      throw new InvalidParams([{ field: 'taskId', description }]);
    }
    const document = { ...body, taskId };
    answer(reply, await this.operations.push.create(ctx, document, callOf(reply)), 201);
  }

  @Get(['tasks/:id/pushNotificationConfigs', 'tasks/:id/pushNotificationConfigs/:config'])
  async readPushConfigs(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { id: taskId = '', config } = request.params;
    const document = { ...queryDocument(request.query), taskId };
    const call = callOf(reply);
    if (config === undefined) {
      this.begin(ctx, request, reply, 'ListTaskPushNotificationConfigs');
      answer(reply, await this.operations.push.list(ctx, document, call));
    } else {
      this.begin(ctx, request, reply, 'GetTaskPushNotificationConfig');
      answer(reply, await this.operations.push.get(ctx, { ...document, id: config }, call));
    }
  }

  @Delete('tasks/:id/pushNotificationConfigs/:config')
  async deletePushConfig(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.begin(ctx, request, reply, 'DeleteTaskPushNotificationConfig');
    const { id: taskId = '', config: id = '' } = request.params;
    const document = { ...queryDocument(request.query), taskId, id };
    await this.operations.push.delete(ctx, document, callOf(reply));
    reply.code(204).send();
  }

  @Get('extendedAgentCard')
  async extendedCard(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.begin(ctx, request, reply, 'GetExtendedAgentCard');
    const document = queryDocument(request.query);
    answer(reply, await this.operations.extendedAgentCard(ctx, document, callOf(reply)));
  }

  /** What every operation checks before its own params. */
  private begin(ctx: CallContext, request: Request, reply: FastifyReply, operation: string): void {
    noteRequest(request.raw, { surface: 'a2a-rest', method: operation });
    checkTenantHint(ctx, request.params['tenant']);
    requireVersion(requestedVersion(request.headers, request.query), '1.0', 'the REST paths');
    checkBodySize(ctx, this.tenants, request.body);
    answerExtensions(reply, 'a2a-extensions');
  }

  private async respond(
    ctx: CallContext,
    reply: FastifyReply,
    open: () => Promise<TaskStream>,
  ): Promise<void> {
    await this.quota.take(ctx, reply);
    await this.sse.respond(reply, await open(), {
      head: '',
      tail: '',
      error: (error) => JSON.stringify(restErrorBody(toWireError(error, reply))),
    });
  }
}

/** `application/a2a+json` (spec 11.1), for a client that names only plain JSON that. */
function answer(reply: FastifyReply, document: unknown, status = 200): void {
  const accept = reply.request.headers.accept ?? '';
  const plain = accept.includes('application/json') && !accept.includes('application/a2a+json');
  reply
    .code(status)
    .header('content-type', plain ? 'application/json' : 'application/a2a+json')
    .send(jsonOf(document));
}

function bodyOf(request: Request): JsonValue {
  return parseJson(typeof request.body === 'string' ? request.body : '');
}

/** SDK clients send a JSON content type with no body. */
function optionalBodyOf(request: Request): JsonObject {
  if (typeof request.body !== 'string' || request.body.trim() === '') return {};
  const document = parseJson(request.body);
  if (isObject(document)) return document;
  throw new DomainError('INVALID_REQUEST', 'The body must be a JSON object, or empty');
}

function notAllowed(reply: FastifyReply, allow: string): DomainError {
  reply.header('allow', allow);
  return new DomainError('METHOD_NOT_ALLOWED', `Use ${allow.replace(', ', ' or ')} here`);
}
