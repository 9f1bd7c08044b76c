import { unavailable } from '../domain/errors.js';
import { isUncertain, resend } from '../redis/redis-errors.js';

/** A caller waits this long for a Redis that does not answer before it is told 503. */
const PATIENCE_MS = 3000;

/** Runs a read for a caller. @throws DomainError UNAVAILABLE. */
export async function ask<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isUncertain(error) ? unavailable('The task store does not answer', error) : error;
  }
}

/**
 * Runs a write for a caller, with a little patience for a Redis that stumbles.
 * @param send may be sent twice (see `resend`).
 * @throws DomainError UNAVAILABLE; then it may have been carried out.
 */
export function askPatiently<T>(send: () => Promise<T>): Promise<T> {
  return ask(() => resend(send, { forMs: PATIENCE_MS }));
}
