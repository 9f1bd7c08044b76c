import { setTimeout as sleep } from 'node:timers/promises';

export { sleep };

/**
 * Asks until the answer is neither undefined nor false, and returns it.
 * @throws Error naming `what` and the last failure when `timeoutMs` has passed.
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 10_000,
  everyMs = 20,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let failure: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: failure });
    }
    await sleep(everyMs);
  }
}

/** Fails when the promise takes longer. */
export async function within<T>(what: string, timeoutMs: number, promise: Promise<T>): Promise<T> {
  const late = new AbortController();
  try {
    return await Promise.race([
      promise,
      sleep(timeoutMs, undefined, { signal: late.signal }).then((): never => {
        throw new Error(`${what}: not within ${timeoutMs} ms`);
      }),
    ]);
  } finally {
    late.abort();
  }
}
