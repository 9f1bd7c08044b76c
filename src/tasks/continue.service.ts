import { Injectable } from '@nestjs/common';
import type { Message, Task } from '../domain/a2a.js';
import { type CallContext, countedToken } from '../domain/call-context.js';
import { jsonBytes, WIRE_BYTES } from '../domain/document-size.js';
import { DomainError } from '../domain/errors.js';
import { ExecutionService } from '../execution/execution.service.js';
import { type FrozenCall, isObject } from '../execution/frozen-call.js';
import type { OwnedTask } from '../execution/owned-task.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import { RedisTaskStore } from '../store/redis-task.store.js';
import type { TaskRecord } from '../store/task-record.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { joinTask } from './join-task.js';
import { idempotencyOf, originOf } from './submission.js';
import type { Submission, Submitted } from './task.types.js';

/** So long a task may be with the message that continues it: what its run ends with must still fit. */
const CONTINUED_BYTES = WIRE_BYTES - 256 * 1024;

/** Goes on with a task that waits for its user: the message answers its question. */
@Injectable()
export class ContinueService {
  constructor(
    private readonly execution: ExecutionService,
    private readonly store: RedisTaskStore,
    private readonly reader: RedisTaskReader,
    private readonly tenants: TenantDirectory,
  ) {}

  /**
   * @param record the task as the caller's own read found it.
   * @throws DomainError TOO_LARGE; as RedisTaskStore.continueTask; UNAVAILABLE when this instance is
   * full or drains.
   */
  async continueTask(
    ctx: CallContext,
    submission: Submission,
    record: TaskRecord,
  ): Promise<Submitted> {
    const { head } = record;
    const { limits } = this.tenants.get(ctx.tenant);
    const taskId = record.task.id;
    const { contextId, turn } = head;
    const before = JSON.parse(head.call) as FrozenCall;
    // The question as it was stored, by this gateway: what is approved is what was shown.
    const asked = record.task.status.message?.parts ?? [];
    const plan = asked.find((part) => part.data !== undefined)?.data;
    const answer: Message = { ...submission.message, taskId, contextId };
    const call: FrozenCall = {
      ctx,
      message: answer,
      messageId: before.messageId,
      metadata: { ...before.metadata, ...submission.metadata },
      leg: before.leg + 1,
      ...originOf(submission, this.execution.now()),
      answering: {
        question: asked.flatMap((part) => part.text ?? []).join('\n'),
        expects: head.expects === 'approval' ? 'approval' : 'text',
        ...(isObject(plan) ? { plan } : {}),
      },
    };
    const now = this.execution.now();
    const task: Task = {
      ...record.task,
      status: { state: 'TASK_STATE_WORKING', timestamp: new Date(now).toISOString() },
      history: [...(record.task.history ?? []), answer],
    };
    if (jsonBytes(task) > CONTINUED_BYTES) {
      throw new DomainError(
        'TOO_LARGE',
        'The task holds as much as it may; cancel it and send the message as a new one',
        { metadata: { taskId } },
      );
    }
    const keys = this.reader.keysOf({
      tenant: ctx.tenant,
      user: ctx.user,
      taskId,
      contextId,
      messageId: before.messageId,
    });
    let joined: string | undefined;
    await this.execution.own(ctx.tenant, taskId, async (): Promise<OwnedTask | undefined> => {
      const continued = await this.store.continueTask({
        keys,
        owner: this.execution.instance,
        record,
        task,
        ts: now,
        call: JSON.stringify(call),
        token: countedToken(ctx),
        ...idempotencyOf(submission),
        limits,
      });
      if (continued.how === 'joined') {
        joined = continued.taskId;
        return undefined;
      }
      const { seq, epoch, deadline } = continued;
      return { keys, call, turn, attempt: 1, task, seq, epoch, deadline };
    });
    if (joined !== undefined) return joinTask(this.reader, ctx, joined);
    return { taskId, contextId, turn, how: 'continued' };
  }
}
