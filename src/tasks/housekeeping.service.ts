import { Injectable } from '@nestjs/common';
import { AuditLog } from '../audit/audit.log.js';
import type { CallContext } from '../domain/call-context.js';
import { DomainError, taskNotFound, unavailable } from '../domain/errors.js';
import { isInterrupted } from '../domain/task-state.js';
import { TaskEnder } from '../execution/task-ender.js';
import { type ContextRecord, RedisContextStore } from '../store/redis-context.store.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import type { FrozenCall } from '../execution/frozen-call.js';
import { formatRowToken, parseRowToken } from './page-token.js';

/** A conversation of the caller. */
export interface ContextSummary {
  readonly contextId: string;
  /** How many turns it has had. */
  readonly turns: number;
  /** RFC 3339: when its last task began or went on. */
  readonly updatedAt: string;
  readonly runningTaskId?: string;
  /** The task with an open question. */
  readonly parkedTaskId?: string;
}

export interface ContextDetail extends ContextSummary {
  /** Finished turns, oldest first, as many as the assistant is given. */
  readonly history: readonly {
    readonly turn: number;
    readonly user: string;
    readonly assistant: string;
    /** False for a failed, canceled or rejected turn. */
    readonly complete: boolean;
  }[];
}

export interface ContextPage {
  /** Newest task first. */
  readonly contexts: readonly ContextSummary[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

const CLOSE_TRIES = 5;

/**
 * What users do with what is over: their contexts, and the deletion of tasks. Another user's task or
 * context is answered exactly like one that does not exist.
 */
@Injectable()
export class HousekeepingService {
  constructor(
    private readonly contexts: RedisContextStore,
    private readonly reader: RedisTaskReader,
    private readonly ender: TaskEnder,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Deletes an own task that has ended, with its events and webhooks; what its context remembers of
   * it goes with the context.
   * @throws DomainError TASK_NOT_FOUND; UNSUPPORTED_OPERATION while it runs or waits for its user;
   * UNAVAILABLE.
   */
  removeTask(ctx: CallContext, taskId: string): Promise<void> {
    return this.audit.of(ctx, 'task.delete', `task/${taskId}`, () => this.remove(ctx, taskId));
  }

  private async remove({ tenant, user }: CallContext, taskId: string): Promise<void> {
    const record = await this.reader.read(tenant, user, taskId);
    if (record === undefined) throw taskNotFound(taskId);
    const { head } = record;
    const { messageId } = JSON.parse(head.call) as FrozenCall;
    const ref = { tenant, user, taskId, contextId: head.contextId, messageId };
    const deleted = await this.contexts.deleteTask(ref);
    if (deleted === 'missing') throw taskNotFound(taskId);
    if (deleted === 'not ended') {
      throw new DomainError('UNSUPPORTED_OPERATION', 'The task has not ended; cancel it first', {
        metadata: { taskId },
      });
    }
  }

  /** @throws DomainError INVALID_PARAMS for a page token of something else; UNAVAILABLE. */
  async listContexts(
    { tenant, user }: CallContext,
    query: { readonly pageSize: number; readonly pageToken?: string },
  ): Promise<ContextPage> {
    const after = query.pageToken ? parseRowToken(query.pageToken, 'contexts') : undefined;
    const page = await this.contexts.list(tenant, user, after, query.pageSize);
    return {
      contexts: page.contexts.map(summaryOf),
      nextPageToken: page.next === undefined ? '' : formatRowToken(page.next, 'contexts'),
    };
  }

  /** @throws DomainError CONTEXT_NOT_FOUND, UNAVAILABLE. */
  async getContext({ tenant, user }: CallContext, contextId: string): Promise<ContextDetail> {
    const record = await this.contexts.get(tenant, user, contextId);
    if (record === undefined) throw contextNotFound(contextId);
    const turns = await this.contexts.history(tenant, user, contextId);
    return {
      ...summaryOf(record),
      history: turns.map(({ turn, user: said, assistant, complete }) => ({
        turn,
        user: said,
        assistant,
        complete,
      })),
    };
  }

  /**
   * Forgets a conversation: an open question in it ends as CANCELED, its history is gone, and a later
   * message under its id begins a new one. Its tasks stay until they expire or are deleted.
   * @throws DomainError CONTEXT_NOT_FOUND; CONTEXT_BUSY while a task of it runs or waits;
   * UNAVAILABLE.
   */
  closeContext(ctx: CallContext, contextId: string): Promise<void> {
    const target = `context/${contextId}`;
    return this.audit.of(ctx, 'context.close', target, () => this.close(ctx, contextId));
  }

  private async close({ tenant, user }: CallContext, contextId: string): Promise<void> {
    let voidTask = '';
    for (let attempt = 0; attempt < CLOSE_TRIES; attempt += 1) {
      const closed = await this.contexts.close(tenant, user, contextId, voidTask);
      if (closed === 'closed') return;
      if (closed === 'missing') throw contextNotFound(contextId);
      if (closed === 'busy') {
        throw new DomainError(
          'CONTEXT_BUSY',
          'A task of this context is still running; wait for it or cancel it',
          { retryAfter: 1 },
        );
      }
      voidTask = closed.asked;
      const verdict = { state: 'TASK_STATE_CANCELED', text: 'The context was closed' } as const;
      await this.ender.end(tenant, voidTask, verdict, ({ head }) => isInterrupted(head.state));
    }
    throw unavailable('The context changes all the time; try again');
  }
}

function summaryOf({ contextId, turns, updated, running, parked }: ContextRecord): ContextSummary {
  return {
    contextId,
    turns,
    updatedAt: new Date(updated).toISOString(),
    ...(running === undefined ? {} : { runningTaskId: running }),
    ...(parked === undefined ? {} : { parkedTaskId: parked }),
  };
}

function contextNotFound(contextId: string): DomainError {
  return new DomainError('CONTEXT_NOT_FOUND', 'Context not found', { metadata: { contextId } });
}
