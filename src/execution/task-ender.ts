import { Injectable } from '@nestjs/common';
import type { Task, TaskStateName } from '../domain/a2a.js';
import { isTerminal } from '../domain/task-state.js';
import { metrics, tenantLabel } from '../metrics/metrics.js';
import { RedisClock } from '../redis/redis.clock.js';
import { resend } from '../redis/redis-errors.js';
import { RedisLogStore } from '../store/redis-log.store.js';
import { RedisOwnerStore } from '../store/redis-owner.store.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import type { TaskRecord } from '../store/task-record.js';
import { RedisInstanceStore } from '../store/redis-instance.store.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { type FrozenCall, textOf } from './frozen-call.js';
import { HandedTasks } from './handed-tasks.js';
import { LeaseService } from './lease.service.js';
import { RemoteEnds } from './remote-ends.js';
import { statusOf } from './status-of.js';

/** How the gateway itself ends a task. */
export interface Verdict {
  readonly state: 'TASK_STATE_CANCELED' | 'TASK_STATE_FAILED';
  readonly text: string;
}

/** Two instances may want to end one task; the loser reads again, a few times. */
const TRIES = 8;
const PATIENCE_MS = 3000;

/**
 * Ends tasks that nobody runs, or whose owner does not answer: parked ones, orphans, forced cancels.
 * Always by a higher epoch, so that whoever believes to own the task is fenced first; and under a
 * hint, so that the task is found if this instance dies between fencing and ending it.
 */
@Injectable()
export class TaskEnder {
  constructor(
    private readonly log: RedisLogStore,
    private readonly owners: RedisOwnerStore,
    private readonly reader: RedisTaskReader,
    private readonly clock: RedisClock,
    private readonly tenants: TenantDirectory,
    private readonly handed: HandedTasks,
    private readonly instances: RedisInstanceStore,
    private readonly lease: LeaseService,
    private readonly remotes: RemoteEnds,
  ) {}

  /**
   * @param only tells from the record whether the task is still to be ended.
   * @returns the document once it is terminal, by this call or another; undefined when it is gone or
   * `only` said no.
   * @throws DomainError UNAVAILABLE, Error when Redis did not answer.
   */
  async end(
    tenant: string,
    taskId: string,
    verdict: Verdict,
    only: (record: TaskRecord) => boolean = () => true,
  ): Promise<Task | undefined> {
    const me = this.lease.instance;
    let hinted = false;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const record = await this.reader.read(tenant, '', taskId);
      const over = record === undefined || isTerminal(record.head.state);
      if (over || !only(record)) {
        // After an error it stays instead, for the look at the own hints.
        if (hinted) await this.instances.removeHint(me, { tenant, taskId });
        return over ? record?.task : undefined;
      }
      if (!hinted) await this.instances.addHint(me, { tenant, taskId });
      hinted = true;
      const taken = await this.owners.takeOver(tenant, taskId, record.head.epoch, me, 'end');
      if (taken.ok) await this.settle(tenant, taskId, taken.value.epoch, verdict);
    }
    await this.instances.removeHint(me, { tenant, taskId });
    return undefined;
  }

  /** Ends a task whose epoch this instance holds. Undefined when that has changed. */
  async settle(
    tenant: string,
    taskId: string,
    epoch: number,
    verdict: Verdict,
  ): Promise<Task | undefined> {
    const record = await this.reader.read(tenant, '', taskId);
    if (record === undefined || record.head.epoch !== epoch) return undefined;
    const { head, fold } = record;
    const call = JSON.parse(head.call) as FrozenCall;
    const ids = { taskId, contextId: head.contextId };
    const status = statusOf(verdict.state, this.clock.now(), ids, verdict.text);
    const event = { statusUpdate: { ...ids, status } };
    fold.apply(event);
    const args = {
      keys: this.reader.keysOf({ tenant, user: head.user, messageId: call.messageId, ...ids }),
      epoch,
      expected: record.cursor.seq,
      state: verdict.state as TaskStateName,
      ts: Date.parse(status.timestamp),
      task: fold.task(),
      events: [JSON.stringify(event)],
      turn: JSON.stringify({
        turn: head.turn,
        user: textOf(call.message),
        assistant: '',
        complete: false,
      }),
      expects: '' as const,
      parkMs: 0,
      limits: this.tenants.limitsOf(tenant),
    };
    const result = await resend(() => this.log.settle(args), { forMs: PATIENCE_MS });
    if (!result.ok) return undefined;
    this.handed.announce(tenant, result.value.handed);
    void this.remotes.ofTask(args.keys, call.leg);
    metrics.tasksSettled.inc({ state: verdict.state, tenant: tenantLabel(tenant) });
    return args.task;
  }
}
