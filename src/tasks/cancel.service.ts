import { Injectable } from '@nestjs/common';
import type { Task } from '../domain/a2a.js';
import type { CallContext } from '../domain/call-context.js';
import { DomainError, taskNotFound, unavailable } from '../domain/errors.js';
import { isInterrupted } from '../domain/task-state.js';
import { ExecutionService } from '../execution/execution.service.js';
import { LeaseService } from '../execution/lease.service.js';
import { canceled } from '../execution/end-texts.js';
import { TaskEnder } from '../execution/task-ender.js';
import { RedisEffectStore } from '../store/redis-effect.store.js';
import { RedisInstanceStore } from '../store/redis-instance.store.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import { RedisTaskStore } from '../store/redis-task.store.js';
import { StreamHub } from '../streams/hub.js';

/** Whose task it is. */
type Owner = Pick<CallContext, 'tenant' | 'user'>;

/** An owner that has not ended its run by then is fenced and the task ended for it. */
const GRACE_MS = 10_000;

/**
 * Cancels from any instance (design 5.6): a durable mark that the owner sees in every append and
 * heartbeat, a signal so that it sees it at once, a wait for its end, and then force.
 */
@Injectable()
export class CancelService {
  constructor(
    private readonly store: RedisTaskStore,
    private readonly reader: RedisTaskReader,
    private readonly effects: RedisEffectStore,
    private readonly instances: RedisInstanceStore,
    private readonly execution: ExecutionService,
    private readonly lease: LeaseService,
    private readonly ender: TaskEnder,
    private readonly hub: StreamHub,
  ) {}

  /** See TaskService.cancel. */
  async cancel(ctx: Owner, taskId: string, mark = 'user'): Promise<{ task: Task; again: boolean }> {
    const { tenant, user } = ctx;
    const marked = await this.store.markCancel(tenant, user, taskId, mark);
    if (!marked.ok) return this.alreadyOver(ctx, taskId);
    const { state, owner } = marked.value;
    if (!isInterrupted(state)) await this.letOwnerEnd(ctx, taskId, owner, mark);
    const open = await this.effects.open(tenant, taskId).catch(() => []);
    const effects = open.map((effect) => effect.text);
    const verdict = { state: 'TASK_STATE_CANCELED', text: canceled(effects, mark) } as const;
    const task = await this.ender.end(tenant, taskId, verdict);
    if (task === undefined) throw unavailable('The task could not be ended now; try again');
    if (task.status.state !== 'TASK_STATE_CANCELED') throw notCancelable(taskId);
    return { task, again: false };
  }

  private async alreadyOver(ctx: Owner, taskId: string): Promise<{ task: Task; again: boolean }> {
    const record = await this.reader.read(ctx.tenant, ctx.user, taskId);
    if (record === undefined) throw taskNotFound(taskId);
    if (record.head.state !== 'TASK_STATE_CANCELED') throw notCancelable(taskId);
    return { task: record.task, again: true };
  }

  /** Returns when the task has ended, or its owner is dead or has had its time. */
  private async letOwnerEnd(
    ctx: Owner,
    taskId: string,
    owner: string,
    mark: string,
  ): Promise<void> {
    const hint = { tenant: ctx.tenant, taskId };
    const local = this.execution.runOf(ctx.tenant, taskId);
    if (local !== undefined) local.stop({ kind: 'cancel', mark });
    else {
      const now = this.execution.now();
      const alive = await this.instances.isAlive(owner, this.lease.leaseMs, now).catch(() => true);
      if (!alive) return;
      await this.instances.signal(owner, hint).catch(() => undefined);
    }
    const reader = await this.hub.open(ctx.tenant, ctx.user, taskId, 'snapshot');
    if (reader === undefined) return;
    const timer = setTimeout(() => {
      reader.close();
    }, GRACE_MS);
    for await (const event of reader) if (event.settled) break;
    clearTimeout(timer);
  }
}

function notCancelable(taskId: string): DomainError {
  return new DomainError('TASK_NOT_CANCELABLE', 'The task has ended already', {
    metadata: { taskId },
  });
}
