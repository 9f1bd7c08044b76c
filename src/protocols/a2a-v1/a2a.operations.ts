import { Inject, Injectable } from '@nestjs/common';
import {
  GATEWAY_CONFIG,
  type GatewayConfig,
  type TenantLimits,
} from '../../config/config.types.js';
import type { JsonValue, Task } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import { parseEventId } from '../../domain/event.js';
import { TaskService } from '../../tasks/task.service.js';
import type { StartAt, Submitted, TaskStream } from '../../tasks/task.types.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';
import { Params } from '../wire/params.js';
import { readListRequest } from './list-request.js';
import { pushNotSupported, readSendRequest, type SendRequest } from './send-request.js';
import { type TaskView, viewStream, viewTask } from './task-view.js';
import { checkTenantField } from './tenant-hint.js';

/** What a call brings besides its params. */
export interface Call {
  /** Aborts when the client is gone. Ends waiting and reading, never a run. */
  readonly signal: AbortSignal;
  /** The Last-Event-ID header, for streams. */
  readonly lastEventId?: string | undefined;
  /** The Idempotency-Key header, for sends: what came before under it is joined. */
  readonly idempotencyKey?: string | undefined;
  /** Told once the core has accepted the call: which task it was about, for the access log. */
  noteTask(taskId: string): void;
}

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
    private readonly tenants: TenantDirectory,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * Waits until the task is settled, at most `maxBlockingSeconds`; with returnImmediately not at all.
   * @throws DomainError as TaskService.submit.
   */
  async sendMessage(ctx: CallContext, params: JsonValue | undefined, call: Call): Promise<Task> {
    const { submission, view, returnImmediately } = this.readSend(ctx, params, call);
    const { taskId } = await this.tasks.submit(ctx, submission);
    call.noteTask(taskId);
    const task = returnImmediately
      ? await this.tasks.get(ctx, taskId)
      : await this.tasks.waitSettled(ctx, taskId, {
          timeoutMs: this.config.execution.maxBlockingSeconds * 1000,
          signal: call.signal,
        });
    return viewTask(task, view);
  }

  /** @throws DomainError as TaskService.submit and subscribe. */
  async streamMessage(
    ctx: CallContext,
    params: JsonValue | undefined,
    call: Call,
  ): Promise<TaskStream> {
    const { submission, view } = this.readSend(ctx, params, call);
    const submitted = await this.tasks.submit(ctx, submission);
    call.noteTask(submitted.taskId);
    const stream = await this.streamOf(ctx, submitted, call);
    return viewStream(stream, view);
  }

  /** @throws DomainError TASK_NOT_FOUND. */
  async getTask(ctx: CallContext, params: JsonValue | undefined, call: Call): Promise<Task> {
    const given = this.read(ctx, params);
    const id = given.requiredId('id', this.limits(ctx).idBytes);
    const view: TaskView = {
      historyLength: given.integer('historyLength', 0, Number.MAX_SAFE_INTEGER),
    };
    given.check();
    const task = await this.tasks.get(ctx, id);
    call.noteTask(id);
    return viewTask(task, view);
  }

  async listTasks(ctx: CallContext, params: JsonValue | undefined): Promise<TaskList> {
    const { query, view } = readListRequest(this.read(ctx, params), this.limits(ctx));
    const page = await this.tasks.list(ctx, query);
    return {
      tasks: page.tasks.map((task) => viewTask(task, view)),
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
    const canceled = await this.tasks.cancel(ctx, id);
    call.noteTask(id);
    return canceled;
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
    return stream;
  }

  /** Create, get, list and delete alike, before any look at the task (spec 3.3.4). */
  pushConfigs(ctx: CallContext, params: JsonValue | undefined): never {
    this.read(ctx, params).check();
    throw pushNotSupported();
  }

  /** The card declares none (spec 3.1.11). */
  extendedAgentCard(ctx: CallContext, params: JsonValue | undefined): never {
    if (params !== undefined) this.read(ctx, params).check();
    throw new DomainError('UNSUPPORTED_OPERATION', 'There is no extended agent card');
  }

  private readSend(ctx: CallContext, params: JsonValue | undefined, call: Call): SendRequest {
    const send = readSendRequest(this.read(ctx, params), this.limits(ctx).idBytes);
    const { idempotencyKey } = call;
    if (idempotencyKey === undefined) return send;
    return { ...send, submission: { ...send.submission, idempotencyKey } };
  }

  private readTaskId(ctx: CallContext, params: JsonValue | undefined): string {
    const given = this.read(ctx, params);
    const id = given.requiredId('id', this.limits(ctx).idBytes);
    given.check();
    return id;
  }

  private read(ctx: CallContext, params: JsonValue | undefined): Params {
    const given = Params.of(params);
    checkTenantField(ctx, given);
    return given;
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

function resumeAt(lastEventId: string | undefined): StartAt {
  const id = lastEventId === undefined ? undefined : parseEventId(lastEventId);
  return id === undefined ? { from: 'snapshot' } : { from: 'after', id };
}

async function* onlyTask(task: Task): TaskStream {
  await Promise.resolve();
  yield { id: undefined, json: JSON.stringify({ task }), settled: false };
}
