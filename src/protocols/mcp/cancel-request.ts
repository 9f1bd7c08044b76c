import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import type { TaskService } from '../../tasks/task.service.js';
import { field } from './request-body.js';

/** How the core knows a request of the 2025 era; 1 and "1" differ. */
export function originOf(requestId: string | number): string {
  return `mcp:${JSON.stringify(requestId)}`;
}

/**
 * `notifications/cancelled` (2025 era): ends the run that the named request waits for, wherever it
 * runs. Never refused: a notification has no answer, and what has ended needs no cancel.
 * @param maxWaitMs how long a request waits at most; an older one of the same id is over.
 */
export async function cancelRequest(
  tasks: TaskService,
  ctx: CallContext,
  body: unknown,
  maxWaitMs: number,
): Promise<void> {
  const id = field(field(body, 'params'), 'requestId');
  if (typeof id !== 'string' && typeof id !== 'number') return;
  try {
    await tasks.cancelOrigin(ctx, originOf(id), maxWaitMs);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}
