import { randomUUID } from 'node:crypto';
import type { JsonObject, Message, Part, TaskStateName, TaskStatus } from '../domain/a2a.js';

/** A status with a message of the agent, or without one: never a message with empty parts. */
export function statusOf(
  state: TaskStateName,
  now: number,
  ids: { taskId: string; contextId: string },
  text?: string,
  plan?: JsonObject,
): TaskStatus {
  const timestamp = new Date(now).toISOString();
  if (text === undefined || text === '') return { state, timestamp };
  const parts: Part[] = plan === undefined ? [{ text }] : [{ text }, { data: plan }];
  const message: Message = { messageId: randomUUID(), role: 'ROLE_AGENT', parts, ...ids };
  return { state, message, timestamp };
}
