import type { CallContext } from '../domain/call-context.js';
import { taskNotFound } from '../domain/errors.js';
import type { RedisTaskReader } from '../store/redis-task.reader.js';
import type { Submitted } from './task.types.js';

/** What a submission gets that repeats an earlier one. @throws DomainError TASK_NOT_FOUND. */
export async function joinTask(
  reader: RedisTaskReader,
  ctx: CallContext,
  taskId: string,
): Promise<Submitted> {
  const record = await reader.read(ctx.tenant, ctx.user, taskId);
  if (record === undefined) throw taskNotFound(taskId);
  const { contextId, turn } = record.head;
  return { taskId, contextId, turn, how: 'joined' };
}
