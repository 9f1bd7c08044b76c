import { Injectable } from '@nestjs/common';
import type { Task } from '../domain/a2a.js';
import type { CallContext } from '../domain/call-context.js';
import type {
  StartAt,
  Submission,
  Submitted,
  TaskPage,
  TaskQuery,
  TaskStream,
} from './task.types.js';

/**
 * The one core API. It knows no wire: each protocol and version is a thin adapter over it. Every
 * operation answers a task that is not the caller's exactly like one that does not exist.
 */
@Injectable()
export class TaskService {
  /**
   * Starts a task on this instance, continues a parked one, or joins the running one of the same
   * messageId and content.
   * @throws DomainError TASK_NOT_FOUND (unknown taskId), UNSUPPORTED_OPERATION (terminal task),
   * INVALID_PARAMS (context mismatch, blank text), CONTENT_TYPE_NOT_SUPPORTED, CONTEXT_BUSY, QUOTA,
   * TOO_LARGE, PERMISSION_DENIED (suspended tenant), UNAVAILABLE.
   */
  submit(_ctx: CallContext, _submission: Submission): Promise<Submitted> {
    throw new Error('bug: not built yet');
  }

  /** @throws DomainError TASK_NOT_FOUND. */
  get(_ctx: CallContext, _taskId: string): Promise<Task> {
    throw new Error('bug: not built yet');
  }

  /** @throws DomainError INVALID_PARAMS for a page token that is not of this query. */
  list(_ctx: CallContext, _query: TaskQuery): Promise<TaskPage> {
    throw new Error('bug: not built yet');
  }

  /**
   * Returns the task once it is terminal: at most 10 s later, then forced. A task that is CANCELED
   * already is returned as it is with `again: true` (1.0 answers it, 0.3 refuses).
   * @throws DomainError TASK_NOT_FOUND; TASK_NOT_CANCELABLE in any other terminal state.
   */
  cancel(_ctx: CallContext, _taskId: string): Promise<{ task: Task; again: boolean }> {
    throw new Error('bug: not built yet');
  }

  /**
   * Resolves once the first event is known, so that an error still finds a response without a head.
   * @throws DomainError TASK_NOT_FOUND; UNSUPPORTED_OPERATION for a terminal task (`snapshot`);
   * QUOTA (open streams).
   */
  subscribe(
    _ctx: CallContext,
    _taskId: string,
    _start: StartAt,
    _signal: AbortSignal,
  ): Promise<TaskStream> {
    throw new Error('bug: not built yet');
  }

  /**
   * Waits until the task is settled (terminal or parked) and returns it with all artifacts; returns
   * it as it is when `timeoutMs` has passed, the instance drains, or the signal aborts.
   */
  waitSettled(
    _ctx: CallContext,
    _taskId: string,
    _options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<Task> {
    throw new Error('bug: not built yet');
  }
}
