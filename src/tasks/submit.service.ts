import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Message } from '../domain/a2a.js';
import type { CallContext } from '../domain/call-context.js';
import { isDecision } from '../domain/decision.js';
import { DomainError, taskNotFound } from '../domain/errors.js';
import { isInterrupted, isTerminal } from '../domain/task-state.js';
import type { FrozenCall } from '../execution/frozen-call.js';
import { TaskEnder } from '../execution/task-ender.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import type { Idempotency } from '../store/redis-task.store.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { ContinueService } from './continue.service.js';
import { CreateService } from './create.service.js';
import { joinTask } from './join-task.js';
import { checkIdempotencyKey, checkMessage, idempotencyOf } from './submission.js';
import type { Submission, Submitted } from './task.types.js';

/** Turns a message into a task of this instance: a new one, a continued one, or one that runs. */
@Injectable()
export class SubmitService {
  constructor(
    private readonly creates: CreateService,
    private readonly continues: ContinueService,
    private readonly reader: RedisTaskReader,
    private readonly ender: TaskEnder,
    private readonly tenants: TenantDirectory,
  ) {}

  /** See TaskService.submit. */
  async submit(ctx: CallContext, submission: Submission): Promise<Submitted> {
    const text = checkMessage(submission.message, this.tenants.limitsOf(ctx.tenant));
    const { idempotency } = idempotencyOf(submission);
    if (idempotency === undefined) return this.begin(ctx, submission, text);

    checkIdempotencyKey(idempotency.key);
    const before = await this.usedBefore(ctx, idempotency);
    if (before !== undefined) return before;
    try {
      return await this.begin(ctx, submission, text);
    } catch (error) {
      // A twin may have been faster: what it changed is why this one was refused.
      const twin = error instanceof DomainError && (await this.usedBefore(ctx, idempotency));
      if (twin) return twin;
      throw error;
    }
  }

  /** @throws DomainError IDEMPOTENCY_CONFLICT when the key stands for other content. */
  private async usedBefore(
    ctx: CallContext,
    { key, fingerprint }: Idempotency,
  ): Promise<Submitted | undefined> {
    const used = await this.reader.idempotency(ctx.tenant, ctx.user, key);
    if (used === undefined) return undefined;
    if (used.fingerprint !== fingerprint) {
      throw new DomainError(
        'IDEMPOTENCY_CONFLICT',
        'This Idempotency-Key was used for another message',
      );
    }
    return joinTask(this.reader, ctx, used.taskId);
  }

  private async begin(ctx: CallContext, submission: Submission, text: string): Promise<Submitted> {
    const { message } = submission;
    await this.checkReferences(ctx, message);
    if (message.taskId !== undefined) return this.answer(ctx, submission, message.taskId);
    if (message.contextId === undefined) return this.creates.create(ctx, submission, randomUUID());

    const context = await this.reader.context(ctx.tenant, ctx.user, message.contextId);
    if (context.parked === undefined) {
      return this.creates.create(ctx, submission, message.contextId);
    }
    const parked = await this.reader.read(ctx.tenant, ctx.user, context.parked);
    const isOpen = parked !== undefined && isInterrupted(parked.head.state);
    // ADK and others continue by the context alone (design 5.7): any text answers a question for
    // text, but only an unambiguous yes or no decides an approval.
    if (isOpen && (parked.head.expects !== 'approval' || isDecision(text))) {
      return this.continues.continueTask(ctx, submission, parked);
    }
    const drops = isOpen ? { drops: true as const } : {};
    const created = await this.creates.create(ctx, submission, message.contextId, drops);
    const made = created.how === 'created';
    if (isOpen && made) await this.supersede(ctx.tenant, context.parked, created.taskId);
    return created;
  }

  /** Another user's task is refused exactly like one that does not exist. */
  private async checkReferences(
    ctx: CallContext,
    { referenceTaskIds = [] }: Message,
  ): Promise<void> {
    if (referenceTaskIds.length === 0) return;
    const foreign = await this.reader.firstForeign(ctx.tenant, ctx.user, referenceTaskIds);
    if (foreign !== undefined) throw taskNotFound(foreign);
  }

  /** The message names a task: it answers its question, or repeats what it was answered with. */
  private async answer(
    ctx: CallContext,
    submission: Submission,
    taskId: string,
  ): Promise<Submitted> {
    const record = await this.reader.read(ctx.tenant, ctx.user, taskId);
    if (record === undefined) throw taskNotFound(taskId);
    const { head } = record;
    const { message } = submission;
    if (message.contextId !== undefined && message.contextId !== head.contextId) {
      throw new DomainError('INVALID_PARAMS', 'message.contextId is not the context of this task', {
        metadata: { taskId },
      });
    }
    if (isInterrupted(head.state)) return this.continues.continueTask(ctx, submission, record);
    if (isTerminal(head.state)) {
      throw new DomainError('UNSUPPORTED_OPERATION', 'The task has ended and takes no more input', {
        metadata: { taskId },
      });
    }
    const running = (JSON.parse(head.call) as FrozenCall).message;
    const same =
      running.messageId === message.messageId &&
      JSON.stringify(running.parts) === JSON.stringify(message.parts);
    if (same) return { taskId, contextId: head.contextId, turn: head.turn, how: 'joined' };
    throw new DomainError(
      'CONTEXT_BUSY',
      'The task is running and takes no message now; subscribe to it or cancel it',
      { retryAfter: 1, metadata: { taskId } },
    );
  }

  /** The user went on to something else: the open question is void. */
  private async supersede(tenant: string, parked: string, by: string): Promise<void> {
    const verdict = { state: 'TASK_STATE_CANCELED', text: `Superseded by task ${by}` } as const;
    await this.ender.end(tenant, parked, verdict, ({ head }) => isInterrupted(head.state));
  }
}
