import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { TenantLimits } from '../config/config.types.js';
import type { JsonObject, Message, Task } from '../domain/a2a.js';
import { type CallContext, countedToken } from '../domain/call-context.js';
import { isDecision } from '../domain/decision.js';
import { jsonBytes, WIRE_BYTES } from '../domain/document-size.js';
import { DomainError, taskNotFound } from '../domain/errors.js';
import { isInterrupted, isTerminal } from '../domain/task-state.js';
import { ExecutionService, type OwnedTask } from '../execution/execution.service.js';
import { type FrozenCall, isObject } from '../execution/frozen-call.js';
import { TaskEnder } from '../execution/task-ender.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import { type Idempotency, RedisTaskStore } from '../store/redis-task.store.js';
import type { TaskRecord } from '../store/task-record.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { checkIdempotencyKey, checkMessage, fingerprintOf, idempotencyOf } from './submission.js';
import type { Submission, Submitted } from './task.types.js';

/** So long a task may be with the message that continues it: what its run ends with must still fit. */
const CONTINUED_BYTES = WIRE_BYTES - 256 * 1024;

/** Turns a message into a task of this instance: a new one, a continued one, or one that runs. */
@Injectable()
export class SubmitService {
  constructor(
    private readonly execution: ExecutionService,
    private readonly store: RedisTaskStore,
    private readonly reader: RedisTaskReader,
    private readonly ender: TaskEnder,
    private readonly tenants: TenantDirectory,
  ) {}

  /** See TaskService.submit. */
  async submit(ctx: CallContext, submission: Submission): Promise<Submitted> {
    const { limits } = this.tenants.get(ctx.tenant);
    const { message } = submission;
    const text = checkMessage(message, limits);
    const { idempotencyKey } = submission;
    if (idempotencyKey === undefined) return this.begin(ctx, submission, limits, text);

    checkIdempotencyKey(idempotencyKey);
    const idempotency = idempotencyOf(message, idempotencyKey);
    const before = await this.usedBefore(ctx, idempotency);
    if (before !== undefined) return before;
    try {
      return await this.begin(ctx, submission, limits, text);
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
    return this.join(ctx, used.taskId);
  }

  private async begin(
    ctx: CallContext,
    submission: Submission,
    limits: TenantLimits,
    text: string,
  ): Promise<Submitted> {
    const { message } = submission;
    await this.checkReferences(ctx, message);
    if (message.taskId !== undefined) return this.answer(ctx, submission, limits, message.taskId);
    if (message.contextId === undefined) return this.create(ctx, submission, limits, randomUUID());

    const context = await this.reader.context(ctx.tenant, ctx.user, message.contextId);
    if (context.parked === undefined) {
      return this.create(ctx, submission, limits, message.contextId);
    }
    const parked = await this.reader.read(ctx.tenant, ctx.user, context.parked);
    const isOpen = parked !== undefined && isInterrupted(parked.head.state);
    // ADK and others continue by the context alone (design 5.7): any text answers a question for
    // text, but only an unambiguous yes or no decides an approval.
    if (isOpen && (parked.head.expects !== 'approval' || isDecision(text))) {
      return this.continueParked(ctx, submission, limits, parked);
    }
    const drops = isOpen ? { drops: true as const } : {};
    const created = await this.create(ctx, submission, limits, message.contextId, drops);
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

  private async create(
    ctx: CallContext,
    submission: Submission,
    limits: TenantLimits,
    contextId: string,
    drops: Pick<FrozenCall, 'drops'> = {},
  ): Promise<Submitted> {
    const taskId = randomUUID();
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
      ...this.originOf(submission),
    };
    const task = this.firstTask(submission, taskId, contextId);
    const { contextConcurrency } = this.tenants.get(ctx.tenant);
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
        ...idempotent(submission),
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
    return this.join(ctx, joined);
  }

  private async join(ctx: CallContext, taskId: string): Promise<Submitted> {
    const record = await this.reader.read(ctx.tenant, ctx.user, taskId);
    if (record === undefined) throw taskNotFound(taskId);
    const { contextId, turn } = record.head;
    return { taskId, contextId, turn, how: 'joined' };
  }

  /** The message names a task: it answers its question, or repeats what it was answered with. */
  private async answer(
    ctx: CallContext,
    submission: Submission,
    limits: TenantLimits,
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
    if (isInterrupted(head.state)) return this.continueParked(ctx, submission, limits, record);
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

  private async continueParked(
    ctx: CallContext,
    submission: Submission,
    limits: TenantLimits,
    record: TaskRecord,
  ): Promise<Submitted> {
    const { head } = record;
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
      ...this.originOf(submission),
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
        ...idempotent(submission),
        limits,
      });
      if (continued.how === 'joined') {
        joined = continued.taskId;
        return undefined;
      }
      const { seq, epoch, deadline } = continued;
      return { keys, call, turn, attempt: 1, task, seq, epoch, deadline };
    });
    if (joined !== undefined) return this.join(ctx, joined);
    return { taskId, contextId, turn, how: 'continued' };
  }

  /** The user went on to something else: the open question is void. */
  private async supersede(tenant: string, parked: string, by: string): Promise<void> {
    const verdict = { state: 'TASK_STATE_CANCELED', text: `Superseded by task ${by}` } as const;
    await this.ender.end(tenant, parked, verdict, ({ head }) => isInterrupted(head.state));
  }

  private originOf({ origin }: Submission): Pick<FrozenCall, 'origin'> {
    return origin === undefined ? {} : { origin: { name: origin, at: this.execution.now() } };
  }

  private firstTask(submission: Submission, taskId: string, contextId: string): Task {
    const metadata: JsonObject = { 'n9e.chat_id': contextId };
    return {
      id: taskId,
      contextId,
      status: {
        state: 'TASK_STATE_SUBMITTED',
        timestamp: new Date(this.execution.now()).toISOString(),
      },
      history: [{ ...submission.message, taskId, contextId }],
      metadata,
    };
  }
}

function idempotent({ message, idempotencyKey }: Submission): { idempotency?: Idempotency } {
  if (idempotencyKey === undefined) return {};
  return { idempotency: idempotencyOf(message, idempotencyKey) };
}
