import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { AuditLog } from '../audit/audit.log.js';
import type { Task } from '../domain/a2a.js';
import { type CallContext, readsAs } from '../domain/call-context.js';
import { jsonBytes, WIRE_BYTES } from '../domain/document-size.js';
import type { EndSignal } from '../domain/end-signal.js';
import { DomainError, taskNotFound } from '../domain/errors.js';
import { isSettled, isTerminal } from '../domain/task-state.js';
import { ExecutionService } from '../execution/execution.service.js';
import type { FrozenCall } from '../execution/frozen-call.js';
import { metrics } from '../metrics/metrics.js';
import { RedisListReader, type TaskRows } from '../store/redis-list.reader.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import type { TaskRecord } from '../store/task-record.js';
import { StreamHub } from '../streams/hub.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { withHeartbeats } from './heartbeat.js';
import { Patience } from './patience.js';
import { formatPageToken, parsePageToken } from './page-token.js';
import { SubmitService } from './submit.service.js';
import { CancelService } from './cancel.service.js';
import type {
  StartAt,
  Submission,
  Submitted,
  TaskPage,
  TaskQuery,
  TaskStream,
} from './task.types.js';

/** Tasks of a page that are held at once, however large they are. */
const READ_TOGETHER = 20;

/**
 * The one core API. It knows no wire: each protocol and version is a thin adapter over it. Every
 * operation answers a task that is not the caller's exactly like one that does not exist; a caller
 * with the scope `tasks:read:tenant` gets, lists and subscribes to every task of its tenant.
 */
@Injectable()
export class TaskService {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly submits: SubmitService,
    private readonly cancels: CancelService,
    private readonly execution: ExecutionService,
    private readonly reader: RedisTaskReader,
    private readonly lists: RedisListReader,
    private readonly hub: StreamHub,
    private readonly tenants: TenantDirectory,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Starts a task on this instance, continues a parked one, or joins the running one of the same
   * messageId and content.
   * @throws DomainError TASK_NOT_FOUND (unknown taskId), UNSUPPORTED_OPERATION (terminal task),
   * INVALID_PARAMS (context mismatch, blank text), CONTENT_TYPE_NOT_SUPPORTED, CONTEXT_BUSY, QUOTA,
   * TOO_LARGE, PERMISSION_DENIED (suspended tenant), UNAVAILABLE.
   */
  submit(ctx: CallContext, submission: Submission): Promise<Submitted> {
    return this.audit.of(
      ctx,
      'task.send',
      `task/${submission.message.taskId ?? ''}`,
      () => this.submits.submit(ctx, submission),
      (submitted) => `task/${submitted.taskId}`,
    );
  }

  /** @throws DomainError TASK_NOT_FOUND, UNAVAILABLE. */
  async get(ctx: CallContext, taskId: string): Promise<Task> {
    return (await this.stored(ctx, taskId)).task;
  }

  /**
   * The same, with the document's text where it is stored whole.
   * @throws DomainError TASK_NOT_FOUND, UNAVAILABLE.
   */
  async stored(ctx: CallContext, taskId: string): Promise<Pick<TaskRecord, 'task' | 'text'>> {
    const record = await this.reader.read(ctx.tenant, readsAs(ctx), taskId);
    if (record === undefined) throw taskNotFound(taskId);
    return record;
  }

  /**
   * @param shown a task as the caller will see it. A page ends before that takes more than may go over
   * the wire, whatever was asked for.
   * @throws DomainError INVALID_PARAMS for a page token that is not of this query; UNAVAILABLE.
   */
  async list(
    ctx: CallContext,
    query: TaskQuery,
    shown: (task: Task) => Task = (task) => task,
  ): Promise<TaskPage> {
    const limits = this.tenants.limitsOf(ctx.tenant);
    const expiredBefore = this.execution.now() - limits.taskTtlSeconds * 1000;
    const after = query.pageToken ? parsePageToken(query, query.pageToken) : undefined;
    const page = await this.lists.page({
      tenant: ctx.tenant,
      user: readsAs(ctx),
      ...(query.contextId === undefined ? {} : { contextId: query.contextId }),
      ...(query.state === undefined ? {} : { state: query.state }),
      since: Math.max(query.changedSince ?? 0, expiredBefore),
      expiredBefore,
      ...(after === undefined ? {} : { after }),
      most: query.pageSize,
    });
    const { tasks, read } = await this.readPage(ctx, page.rows, shown);
    const last = page.rows[read - 1];
    const more = page.more || read < page.rows.length;
    return {
      tasks,
      nextPageToken: more && last !== undefined ? formatPageToken(query, last) : '',
      totalSize: page.total,
    };
  }

  /** The tasks of the first `read` rows: as many as go over the wire, at least one. */
  private async readPage(
    ctx: CallContext,
    rows: TaskRows['rows'],
    shown: (task: Task) => Task,
  ): Promise<{ tasks: readonly Task[]; read: number }> {
    const tasks: Task[] = [];
    let bytes = 0;
    for (let from = 0; from < rows.length; from += READ_TOGETHER) {
      const ids = rows.slice(from, from + READ_TOGETHER).map(({ id }) => id);
      const records = await this.reader.readMany(ctx.tenant, readsAs(ctx), ids);
      for (const [index, record] of records.entries()) {
        if (record === undefined) continue;
        const task = shown(record.task);
        bytes += jsonBytes(task);
        if (bytes > WIRE_BYTES && tasks.length > 0) return { tasks, read: from + index };
        tasks.push(task);
      }
    }
    return { tasks, read: rows.length };
  }

  /**
   * Returns the task once it is terminal: at most 10 s later, then forced. A task that is CANCELED
   * already is returned as it is with `again: true` (1.0 answers it, 0.3 refuses).
   * @throws DomainError TASK_NOT_FOUND; TASK_NOT_CANCELABLE in any other terminal state; UNAVAILABLE.
   */
  cancel(ctx: CallContext, taskId: string): Promise<{ task: Task; again: boolean }> {
    return this.audit.of(ctx, 'task.cancel', `task/${taskId}`, () =>
      this.cancels.cancel(ctx, taskId),
    );
  }

  /**
   * Cancels the running task that this request of the caller's token waits for: only if there is
   * exactly one, as clients with one token may name their requests alike.
   * @param withinMs a request that came earlier waits no more.
   * @throws DomainError UNAVAILABLE; TASK_NOT_CANCELABLE for one that has just ended.
   */
  async cancelOrigin(ctx: CallContext, origin: string, withinMs: number): Promise<void> {
    const since = this.execution.now() - withinMs;
    const calls = await this.reader.activeCalls(ctx.tenant, ctx.user);
    const matching = calls.filter(({ call }) => {
      const { origin: from, ctx: by } = JSON.parse(call) as FrozenCall;
      return from?.name === origin && from.at >= since && by.token === ctx.token;
    });
    const [only, ...others] = matching;
    if (only === undefined || others.length > 0) return;
    await this.cancels.cancel(ctx, only.taskId);
  }

  /**
   * Resolves once the first event is known, so that an error still finds a response without a head.
   * @throws DomainError TASK_NOT_FOUND; UNSUPPORTED_OPERATION for a terminal task (`snapshot`);
   * UNAVAILABLE.
   */
  async subscribe(
    ctx: CallContext,
    taskId: string,
    start: StartAt,
    signal: EndSignal,
  ): Promise<TaskStream> {
    const at = start.from === 'after' ? start.id : start.from;
    const reader = await this.hub.open(ctx.tenant, readsAs(ctx), taskId, at);
    if (reader === undefined) throw taskNotFound(taskId);
    if (start.from === 'snapshot' && reader.begunIn && isTerminal(reader.begunIn)) {
      reader.close();
      throw new DomainError(
        'UNSUPPORTED_OPERATION',
        'The task has ended; get it instead of subscribing to it',
        { metadata: { taskId } },
      );
    }
    reader.closeOn(signal);
    return withHeartbeats(reader, this.config.execution.streamHeartbeatMs, () =>
      this.pulse(ctx.tenant, taskId),
    );
  }

  /**
   * Waits until the task is settled (terminal or parked) and returns it with all artifacts; returns
   * it as it is when `timeoutMs` has passed, the instance drains, or the signal aborts.
   * @throws DomainError TASK_NOT_FOUND, UNAVAILABLE.
   */
  async waitSettled(
    ctx: CallContext,
    taskId: string,
    options: { timeoutMs: number; signal: EndSignal },
  ): Promise<Task> {
    const patience = new Patience(options.timeoutMs, options.signal);
    try {
      const own = this.execution.runOf(ctx.tenant, taskId)?.keys.ref.user === ctx.user;
      const local = own ? this.execution.settled(ctx.tenant, taskId) : undefined;
      // Undefined: the run was lost or left, or the time is up. Redis knows.
      const task = local && (await patience.wait(local));
      if (task !== undefined) return task;
      if (!patience.isOver && !this.hub.isClosing) await this.follow(ctx, taskId, patience);
      const found = await this.get(ctx, taskId);
      if (patience.isTimeUp && !isSettled(found.status.state)) metrics.blockingTimeouts.inc();
      return found;
    } finally {
      patience.end();
    }
  }

  private async follow(ctx: CallContext, taskId: string, patience: Patience): Promise<void> {
    const reader = await this.hub.open(ctx.tenant, ctx.user, taskId, 'snapshot');
    if (reader === undefined) throw taskNotFound(taskId);
    patience.whenOver(() => {
      reader.close();
    });
    for await (const event of reader) if (event.settled) break;
  }

  /** What a silent stream repeats: the current status, as long as the owner's lease lives. */
  private async pulse(tenant: string, taskId: string): Promise<string | undefined> {
    const { leaseMs } = this.config.execution;
    const pulse = await this.reader.pulse(tenant, taskId, leaseMs, this.execution.now());
    if (pulse === undefined || !pulse.alive || isSettled(pulse.state)) return undefined;
    const status = { state: pulse.state, timestamp: new Date(pulse.updated).toISOString() };
    const statusUpdate = { taskId, contextId: pulse.contextId, status };
    return JSON.stringify({ statusUpdate });
  }
}
