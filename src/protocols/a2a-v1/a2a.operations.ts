import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  GATEWAY_CONFIG,
  type GatewayConfig,
  type TenantLimits,
} from '../../config/config.types.js';
import type { JsonObject, JsonValue, Task } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import type { EndSignal } from '../../domain/end-signal.js';
import { DomainError } from '../../domain/errors.js';
import { type EventId, parseEventId } from '../../domain/event.js';
import { FILE_MARK } from '../../domain/file-ref.js';
import type { Webhook, WireVersion } from '../../domain/webhook.js';
import { PushConfigService, type ShownWebhook } from '../../tasks/push-config.service.js';
import { TaskService } from '../../tasks/task.service.js';
import type { StartAt, Submission, Submitted, TaskStream } from '../../tasks/task.types.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';
import { JsonText } from '../wire/json-rpc.js';
import { INT32_MAX, Params } from '../wire/params.js';
import { agentCards } from './agent-card.js';
import { CardSigner } from './card-signer.js';
import { FileView, type FileViewer } from './file-view.js';
import { readListRequest } from './list-request.js';
import {
  type PushConfigList,
  readPushPage,
  readWebhook,
  type WebhookRequest,
} from './push-request.js';
import { readSendRequest, type SendRequest } from './send-request.js';
import { type TaskView, viewStream, viewTask } from './task-view.js';
import { checkTenantField } from './tenant-hint.js';

/** What a call brings besides its params. */
export interface Call {
  /** Aborts when the client is gone. Ends waiting and reading, never a run. */
  readonly signal: EndSignal;
  /** The Last-Event-ID header, for streams. */
  readonly lastEventId?: string | undefined;
  /** The Idempotency-Key header, for sends: what came before under it is joined. */
  readonly idempotencyKey?: string | undefined;
  /** The version that the caller speaks, for what outlives the call. */
  readonly version: WireVersion;
  /** Under which URL the caller reaches the gateway, without a trailing slash. */
  readonly baseUrl: string;
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
    private readonly push: PushConfigService,
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
    const { query, view } = readListRequest(this.read(ctx, params), this.limits(ctx));
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

  /**
   * Before any look at the task (spec 3.3.4).
   * @throws DomainError PUSH_NOTIFICATION_NOT_SUPPORTED.
   */
  requirePush(): void {
    this.push.requireEnabled();
  }

  /**
   * Without an id it gets one of its own in 1.0; in 0.3 there is one such config a task.
   * @throws DomainError as PushConfigService.create.
   */
  async createPushConfig(
    ctx: CallContext,
    params: JsonValue | undefined,
    call: Call,
  ): Promise<ShownWebhook> {
    const given = this.readPush(ctx, params);
    const { idBytes } = this.limits(ctx);
    const taskId = given.requiredId('taskId', idBytes);
    const webhook = readWebhook(given, call.version, idBytes);
    given.check();
    const id = webhook.id ?? (call.version === '0.3' ? taskId : randomUUID());
    const created = await this.push.create(ctx, taskId, { ...webhook, id });
    call.noteTask(taskId);
    return created;
  }

  /** @throws DomainError TASK_NOT_FOUND for the task and for the config (spec 3.1.8). */
  async getPushConfig(
    ctx: CallContext,
    params: JsonValue | undefined,
    call: Call,
  ): Promise<ShownWebhook> {
    const given = this.readPush(ctx, params);
    const { idBytes } = this.limits(ctx);
    const taskId = given.requiredId('taskId', idBytes);
    // 0.3 may leave it out.
    const id =
      call.version === '0.3' ? (given.id('id', idBytes) ?? '') : given.requiredId('id', idBytes);
    given.check();
    const found = await this.push.get(ctx, taskId, id);
    call.noteTask(taskId);
    return found;
  }

  /** @throws DomainError TASK_NOT_FOUND. */
  async listPushConfigs(
    ctx: CallContext,
    params: JsonValue | undefined,
    call: Call,
  ): Promise<PushConfigList> {
    const given = this.readPush(ctx, params);
    const { idBytes, listPageMax } = this.limits(ctx);
    const taskId = given.requiredId('taskId', idBytes);
    const page = readPushPage(given, listPageMax);
    given.check();
    const all = await this.push.list(ctx, taskId);
    call.noteTask(taskId);
    return page(all);
  }

  /** Idempotent (spec 3.1.10). @throws DomainError TASK_NOT_FOUND. */
  async deletePushConfig(
    ctx: CallContext,
    params: JsonValue | undefined,
    call: Call,
  ): Promise<void> {
    const given = this.readPush(ctx, params);
    const { idBytes } = this.limits(ctx);
    const taskId = given.requiredId('taskId', idBytes);
    const id = given.requiredId('id', idBytes);
    given.check();
    await this.push.remove(ctx, taskId, id);
    call.noteTask(taskId);
  }

  /** The card of the caller's own tenant (spec 3.1.11), in the shape of the caller's version. */
  async extendedAgentCard(
    ctx: CallContext,
    params: JsonValue | undefined,
    { baseUrl, version }: Call,
  ): Promise<JsonObject> {
    if (params !== undefined) this.read(ctx, params).check();
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
    if (webhook !== undefined) await this.push.check(webhook.url);
    const submitted = await this.tasks.submit(ctx, submission);
    const { taskId, how } = submitted;
    call.noteTask(taskId);
    if (webhook !== undefined) {
      const hook: Webhook = { ...webhook, id: webhook.id ?? taskId };
      if (how === 'joined') await this.push.ensure(ctx, taskId, hook);
      else await this.push.attach(ctx, taskId, hook, how === 'created' ? 'start' : 'now');
    }
    return submitted;
  }

  private readSend(ctx: CallContext, params: JsonValue | undefined, call: Call): SendRequest {
    const { version, idempotencyKey } = call;
    const send = readSendRequest(this.read(ctx, params), version, this.limits(ctx).idBytes);
    if (idempotencyKey === undefined) return send;
    return { ...send, submission: { ...send.submission, idempotencyKey } };
  }

  private readPush(ctx: CallContext, params: JsonValue | undefined): Params {
    const given = this.read(ctx, params);
    this.push.requireEnabled();
    return given;
  }

  private readGet(
    ctx: CallContext,
    params: JsonValue | undefined,
  ): { readonly id: string; readonly view: TaskView } {
    const given = this.read(ctx, params);
    const id = given.requiredId('id', this.limits(ctx).idBytes);
    const view: TaskView = {
      historyLength: given.integer('historyLength', 0, INT32_MAX),
    };
    given.check();
    return { id, view };
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
