import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Task } from '../domain/a2a.js';
import { type CallContext, countedToken } from '../domain/call-context.js';
import { ExecutionService } from '../execution/execution.service.js';
import type { FrozenCall } from '../execution/frozen-call.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import { RedisTaskStore } from '../store/redis-task.store.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { joinTask } from './join-task.js';
import { fingerprintOf, idempotencyOf, originOf } from './submission.js';
import type { Submission, Submitted } from './task.types.js';

/** Makes a new task of a message, run by this instance or waiting for its context. */
@Injectable()
export class CreateService {
  constructor(
    private readonly execution: ExecutionService,
    private readonly store: RedisTaskStore,
    private readonly reader: RedisTaskReader,
    private readonly tenants: TenantDirectory,
  ) {}

  /**
   * @param drops the message went past an open question of its context.
   * @throws DomainError as RedisTaskStore.create; UNAVAILABLE when this instance is full or drains.
   */
  async create(
    ctx: CallContext,
    submission: Submission,
    contextId: string,
    drops: Pick<FrozenCall, 'drops'> = {},
  ): Promise<Submitted> {
    const taskId = randomUUID();
    const { contextConcurrency, limits } = this.tenants.get(ctx.tenant);
    const { message } = submission;
    const { messageId } = message;
    const keys = this.reader.keysOf({
      tenant: ctx.tenant,
      user: ctx.user,
      taskId,
      contextId,
      messageId,
    });
    const call: FrozenCall = {
      ctx,
      message,
      messageId,
      metadata: submission.metadata ?? {},
      leg: 1,
      ...drops,
      ...originOf(submission, this.execution.now()),
    };
    const task = this.firstTask(submission, taskId, contextId);
    let joined: string | undefined;
    let queued: number | undefined;
    const owned = await this.execution.own(ctx.tenant, taskId, async () => {
      const created = await this.store.create({
        keys,
        owner: this.execution.instance,
        task,
        ts: Date.parse(task.status.timestamp),
        fingerprint: fingerprintOf(message),
        call: JSON.stringify(call),
        whenBusy: contextConcurrency,
        generation: this.tenants.generationOf(ctx.tenant),
        token: countedToken(ctx),
        ...idempotencyOf(submission),
        limits,
      });
      if (created.how === 'queued') queued = created.turn;
      if (created.how === 'joined') {
        joined = created.taskId;
      }
      if (created.how !== 'created') return undefined;
      const { turn, deadline } = created;
      const metadata = { ...task.metadata, 'n9e.seq_id': turn };
      const numbered = { ...task, metadata };
      return { keys, call, turn, attempt: 1, epoch: 1, seq: 1, task: numbered, deadline };
    });
    const turn = owned?.turn ?? queued;
    if (turn !== undefined) return { taskId, contextId, turn, how: 'created' };
    if (joined === undefined) throw new Error('bug: a create neither made nor joined a task');
    return joinTask(this.reader, ctx, joined);
  }

  private firstTask(submission: Submission, taskId: string, contextId: string): Task {
    return {
      id: taskId,
      contextId,
      status: {
        state: 'TASK_STATE_SUBMITTED',
        timestamp: new Date(this.execution.now()).toISOString(),
      },
      history: [{ ...submission.message, taskId, contextId }],
      metadata: { 'n9e.chat_id': contextId },
    };
  }
}
