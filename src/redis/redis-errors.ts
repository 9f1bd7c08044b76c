import { ReplyError } from 'ioredis';

/** Redis answered, and the answer is an error: the command did not run (scripts check first). */
export function isReplyError(error: unknown): error is Error {
  return error instanceof ReplyError;
}

/** An answer of a Redis that will be fine again. */
const PASSING =
  /^(LOADING|MASTERDOWN|READONLY|MOVED|ASK|CLUSTERDOWN|TRYAGAIN|BUSY|UNKILLABLE|NOREPLICAS|OOM)\b/;

/**
 * The command may have run or not (cut connection, timeout), or Redis could not take it just now.
 * Only the same bytes may be sent again.
 */
export function isUncertain(error: unknown): boolean {
  if (isReplyError(error)) return PASSING.test(error.message);
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError || error instanceof RangeError) return false;
  return !error.message.startsWith('bug:');
}

export interface ResendOptions {
  /** How long to go on, ms. */
  readonly forMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs `send` until it is answered: every script knows a batch that it has applied already, so the
 * same bytes may be sent any number of times (facts: ioredis itself was seen to run one twice).
 * @throws the last error when the time is up, the signal aborts, or the error is a refusal.
 */
export async function resend<T>(send: () => Promise<T>, options: ResendOptions): Promise<T> {
  const until = performance.now() + options.forMs;
  for (let pause = 25; ; pause = Math.min(pause * 2, 1000)) {
    try {
      return await send();
    } catch (error) {
      const over = performance.now() + pause >= until || options.signal?.aborted === true;
      if (!isUncertain(error) || over) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
