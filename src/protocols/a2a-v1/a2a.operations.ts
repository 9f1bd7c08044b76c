import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import type { TenantLimits } from '../../config/limits.js';
import type { JsonObject, JsonValue, Task } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import { type EventId, parseEventId } from '../../domain/event.js';
import { FILE_MARK } from '../../domain/file-ref.js';
import { TaskService } from '../../tasks/task.service.js';
import type { StartAt, Submission, Submitted, TaskStream } from '../../tasks/task.types.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';
import { JsonText } from '../wire/json-rpc.js';
import { INT32_MAX } from '../wire/params.js';
import { agentCards } from './agent-card.js';
import type { Call } from './call.js';
import { CardSigner } from './card-signer.js';
import { FileView, type FileViewer } from './file-view.js';
import { readListRequest } from './list-request.js';
import type { WebhookRequest } from './push-request.js';
import { PushOperations } from './push.operations.js';
import { readParams } from './request-params.js';
import { readSendRequest, type SendRequest } from './send-request.js';
import { type TaskView, viewStream, viewTask } from './task-view.js';

export interface TaskList {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/**
 * The operations of A2A 1.0 (spec section 3.1) over JSON documents, with every check of the edge in
 * them: both 1.0 bindings and the 0.3 facade call these and add nothing but their envelope. `params`
 * is the request document as it came; each operation throws InvalidParams when it is not one.
 */
@Injectable()
export class A2AOperations {
  constructor(
    private readonly tasks: TaskService,
    readonly push: PushOperations,
    private readonly tenants: TenantDirectory,
    private readonly signer: CardSigner,
    private readonly files: FileView,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * Waits until the task is settled, at most `maxBlockingSeconds`; with returnImmediately not at all.
   * @throws DomainError as TaskService.submit.
   */
  async sendMessage(ctx: CallContext, params: JsonValue | undefined, call: Call): Promise<Task> {
    const { submission, view, returnImmediately, webhook } = this.readSend(ctx, params, call);
    const { taskId } = await this.submit(ctx, submission, webhook, call);
    const task = returnImmediately
      ? await this.tasks.get(ctx, taskId)
      : await this.tasks.waitSettled(ctx, taskId, {
          timeoutMs: this.config.execution.maxBlockingSeconds * 1000,
          signal: call.signal,
        });
    return this.files.task(viewTask(task, view), viewer(ctx, call));
  }

  /** @throws DomainError as TaskService.submit and subscribe. */
  async streamMessage(
    ctx: CallContext,
    params: JsonValue | undefined,
    call: Call,
  ): Promise<TaskStream> {
    const { submission, view, webhook } = this.readSend(ctx, params, call);
    const submitted = await this.submit(ctx, submission, webhook, call);
    const stream = await this.streamOf(ctx, submitted, call);
    return this.files.stream(viewStream(stream, view), viewer(ctx, call));
  }

  /** @throws DomainError TASK_NOT_FOUND. */
  async getTask(ctx: CallContext, params: JsonValue | undefined, call: Call): Promise<Task> {
    const { id, view } = this.readGet(ctx, params);
    const task = await this.tasks.get(ctx, id);
    call.noteTask(id);
    return this.files.task(viewTask(task, view), viewer(ctx, call));
  }

  /**
   * The same as text: a task that is shown as it is stored is not parsed.
   * @throws DomainError TASK_NOT_FOUND.
   */
  async getTaskText(
    ctx: CallContext,
    params: JsonValue | undefined,
    call: Call,
  ): Promise<JsonText> {
    const { id, view } = this.readGet(ctx, params);
    const found = await this.tasks.stored(ctx, id);
    call.noteTask(id);
    const { text } = found;
    const isWhole = view.historyLength === undefined && text?.includes(FILE_MARK) === false;
    if (isWhole) return new JsonText(text);
    const shown = await this.files.task(viewTask(found.task, view), viewer(ctx, call));
    return new JsonText(JSON.stringify(shown));
  }

  async listTasks(ctx: CallContext, params: JsonValue | undefined, call: Call): Promise<TaskList> {
    const { query, view } = readListRequest(readParams(ctx, params), this.limits(ctx));
    const page = await this.tasks.list(ctx, query, (task) => viewTask(task, view));
    return {
      tasks: await this.files.tasks(page.tasks, viewer(ctx, call)),
      nextPageToken: page.nextPageToken,
      pageSize: query.pageSize,
      totalSize: page.totalSize,
    };
  }

  /**
   * `again`: it was CANCELED before. 1.0 answers the task, 0.3 refuses.
   * @throws DomainError TASK_NOT_FOUND, TASK_NOT_CANCELABLE.
   */
  async cancelTask(
    ctx: CallContext,
    params: JsonValue | undefined,
    call: Call,
  ): Promise<{ task: Task; again: boolean }> {
    const id = this.readTaskId(ctx, params);
    const { task, again } = await this.tasks.cancel(ctx, id);
    call.noteTask(id);
    return { task: await this.files.task(task, viewer(ctx, call)), again };
  }

  /**
   * From a Task snapshot, or after `lastEventId`; one that is no event id counts as one the log does
   * not have, which starts with a snapshot too.
   * @throws DomainError TASK_NOT_FOUND; UNSUPPORTED_OPERATION for a terminal task without an id.
   */
  async subscribe(
    ctx: CallContext,
    params: JsonValue | undefined,
    call: Call,
  ): Promise<TaskStream> {
    const id = this.readTaskId(ctx, params);
    const stream = await this.tasks.subscribe(ctx, id, resumeAt(call.lastEventId), call.signal);
    call.noteTask(id);
    return this.files.stream(stream, viewer(ctx, call));
  }

  /** The card of the caller's own tenant (spec 3.1.11), in the shape of the caller's version. */
  async extendedAgentCard(
    ctx: CallContext,
    params: JsonValue | undefined,
    { baseUrl, version }: Call,
  ): Promise<JsonObject> {
    if (params !== undefined) readParams(ctx, params).check();
    const { v1, v03 } = agentCards({
      baseUrl,
      headerName: this.config.auth.headerName,
      issuers: this.config.auth.oidc,
      pushNotifications: this.config.push !== undefined,
      tenant: this.tenants.get(ctx.tenant),
      mayAskRemotes: ctx.busiGroups === undefined,
    });
    return version === '1.0' ? this.signer.sign(v1, baseUrl) : this.signer.sign03(v03, baseUrl);
  }

  /** A webhook that may not be registered is refused before anything runs. */
  private async submit(
    ctx: CallContext,
    submission: Submission,
    webhook: WebhookRequest | undefined,
    call: Call,
  ): Promise<Submitted> {
    if (webhook !== undefined) await this.push.check(webhook);
    const submitted = await this.tasks.submit(ctx, submission);
    call.noteTask(submitted.taskId);
    if (webhook !== undefined) await this.push.attach(ctx, submitted, webhook);
    return submitted;
  }

  private readSend(ctx: CallContext, params: JsonValue | undefined, call: Call): SendRequest {
    const { version, idempotencyKey } = call;
    const send = readSendRequest(readParams(ctx, params), version, this.limits(ctx).idBytes);
    if (idempotencyKey === undefined) return send;
    return { ...send, submission: { ...send.submission, idempotencyKey } };
  }

  private readGet(
    ctx: CallContext,
    params: JsonValue | undefined,
  ): { readonly id: string; readonly view: TaskView } {
    const given = readParams(ctx, params);
    const id = given.requiredId('id', this.limits(ctx).idBytes);
    const view: TaskView = {
      historyLength: given.integer('historyLength', 0, INT32_MAX),
    };
    given.check();
    return { id, view };
  }

  private readTaskId(ctx: CallContext, params: JsonValue | undefined): string {
    const given = readParams(ctx, params);
    const id = given.requiredId('id', this.limits(ctx).idBytes);
    given.check();
    return id;
  }

  private limits(ctx: CallContext): TenantLimits {
    return this.tenants.limitsOf(ctx.tenant);
  }

  private async streamOf(
    ctx: CallContext,
    { taskId, how }: Submitted,
    call: Call,
  ): Promise<TaskStream> {
    if (how === 'created') return this.tasks.subscribe(ctx, taskId, { from: 'start' }, call.signal);
    try {
      return await this.tasks.subscribe(ctx, taskId, resumeAt(call.lastEventId), call.signal);
    } catch (error) {
      // The run that this message continued or joined was faster than the subscription.
      if (!(error instanceof DomainError) || error.code !== 'UNSUPPORTED_OPERATION') throw error;
      return onlyTask(await this.tasks.get(ctx, taskId));
    }
  }
}

/** The base URL is made when a file asks for it: most answers hold none. */
function viewer(ctx: CallContext, call: Call): FileViewer {
  return {
    ctx,
    get baseUrl() {
      return call.baseUrl;
    },
  };
}

/** After which event nobody can have read: the log answers it with the task as it is. */
const NOWHERE: EventId = { seq: 999_999_999_999_999, epoch: 0 };

function resumeAt(lastEventId: string | undefined): StartAt {
  if (lastEventId === undefined || lastEventId === '') return { from: 'snapshot' };
  return { from: 'after', id: parseEventId(lastEventId) ?? NOWHERE };
}

async function* onlyTask(task: Task): TaskStream {
  await Promise.resolve();
  yield { id: undefined, json: JSON.stringify({ task }), settled: false };
}
