import { hash } from 'node:crypto';
import type { TenantLimits } from '../config/limits.js';
import type { Message } from '../domain/a2a.js';
import { jsonBytes } from '../domain/document-size.js';
import { DomainError } from '../domain/errors.js';
import type { FrozenCall } from '../execution/frozen-call.js';
import type { Idempotency } from '../store/redis-task.store.js';
import type { Submission } from './task.types.js';

/** Whatever a body may have: the message stands in its task's history. */
const MESSAGE_BYTES = 1024 * 1024;

/**
 * What every protocol's message must keep to before it becomes a task.
 * @returns the text for the assistant: the text parts joined with newlines.
 * @throws DomainError INVALID_PARAMS, TOO_LARGE, CONTENT_TYPE_NOT_SUPPORTED.
 */
export function checkMessage(message: Message, limits: TenantLimits): string {
  const ids = {
    messageId: message.messageId,
    contextId: message.contextId,
    taskId: message.taskId,
  };
  for (const [field, id] of Object.entries(ids)) {
    if (id !== undefined && Buffer.byteLength(id) > limits.idBytes) {
      throw new DomainError('INVALID_PARAMS', `message.${field} is over ${limits.idBytes} bytes`);
    }
  }
  const texts: string[] = [];
  message.parts.forEach((part, index) => {
    if (part.text !== undefined) texts.push(part.text);
    else if (part.data === undefined) {
      throw new DomainError(
        'CONTENT_TYPE_NOT_SUPPORTED',
        `message.parts[${index}]: this assistant takes text; files and URLs are not supported`,
      );
    }
  });
  const text = texts.join('\n');
  if (text.trim() === '') {
    throw new DomainError('INVALID_PARAMS', 'message.parts: the text must not be blank');
  }
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.textBytes) {
    throw new DomainError('TOO_LARGE', `The text has ${bytes} bytes; at most ${limits.textBytes}`);
  }
  if (limits.a2aBodyBytes > MESSAGE_BYTES && jsonBytes(message) > MESSAGE_BYTES) {
    throw new DomainError('TOO_LARGE', `A message has at most ${MESSAGE_BYTES} bytes as JSON`);
  }
  return text;
}

/** @throws DomainError INVALID_PARAMS. */
export function checkIdempotencyKey(key: string): void {
  if (/^[\x20-\x7e]{1,256}$/.test(key) && key.trim() !== '') return;
  throw new DomainError(
    'INVALID_PARAMS',
    'Idempotency-Key must have 1 to 256 printable ASCII characters',
  );
}

/** What a submission's idempotency key stands for: the content, and what it was said to. */
export function idempotencyOf({ message, idempotencyKey }: Submission): {
  readonly idempotency?: Idempotency;
} {
  if (idempotencyKey === undefined) return {};
  const content = JSON.stringify([message.contextId ?? '', message.taskId ?? '', message.parts]);
  const fingerprint = hash('sha256', content, 'base64url');
  return { idempotency: { key: idempotencyKey, fingerprint } };
}

/** The request that waits for the task, which came now. */
export function originOf({ origin }: Submission, now: number): Pick<FrozenCall, 'origin'> {
  return origin === undefined ? {} : { origin: { name: origin, at: now } };
}

/** Two messages with the same id are the same only if they also say the same, in one context. */
export function fingerprintOf(message: Message): string {
  const content = JSON.stringify([message.contextId ?? '', message.parts]);
  return hash('sha256', content, 'base64url');
}
