import type { LogReader } from '../streams/log-reader.js';
import type { TaskStream } from './task.types.js';

/**
 * A reader's events, and after every `afterMs` of silence the current status once more: proxies and
 * clients then know that the run lives. The reading instance makes it; it is not in the log, has no
 * id, and is left out when `pulse` knows of no living owner.
 */
export async function* withHeartbeats(
  reader: LogReader,
  afterMs: number,
  pulse: () => Promise<string | undefined>,
): TaskStream {
  const events = reader[Symbol.asyncIterator]();
  let next = events.next();
  try {
    for (;;) {
      const step = await within(next, afterMs);
      if (step === 'silence') {
        const json = await pulse().catch(() => undefined);
        if (json !== undefined) yield { id: undefined, json, settled: false };
        continue;
      }
      if (step.done === true) return;
      yield step.value;
      next = events.next();
    }
  } finally {
    reader.close();
    next.catch(() => undefined);
  }
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T | 'silence'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silence'>((resolve) => {
    timer = setTimeout(() => {
      resolve('silence');
    }, ms);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
