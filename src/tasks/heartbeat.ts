import type { TaskEvent } from '../domain/event.js';
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
  let silence: () => void = () => undefined;
  // One timer a stream, wound up again by each event: a timer for each event shows in a profile.
  const timer = setTimeout(() => {
    silence();
  }, afterMs);
  try {
    for (;;) {
      timer.refresh();
      const step = await new Promise<IteratorResult<TaskEvent, void> | undefined>(
        (resolve, reject) => {
          silence = () => {
            resolve(undefined);
          };
          next.then(resolve, reject);
        },
      );
      if (step === undefined) {
        const json = await pulse().catch(() => undefined);
        if (json !== undefined) yield { id: undefined, json, settled: false };
        continue;
      }
      if (step.done === true) return;
      yield step.value;
      next = events.next();
    }
  } finally {
    clearTimeout(timer);
    reader.close();
    next.catch(() => undefined);
  }
}
