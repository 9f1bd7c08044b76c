import type { LogReader } from '../streams/log-reader.js';
import type { TaskStream } from './task.types.js';

type Event = TaskStream extends AsyncIterable<infer E> ? E : never;
type Step = IteratorResult<Event, undefined>;

/**
 * A reader's events, and after every `afterMs` of silence the current status once more: proxies and
 * clients then know that the run lives. The reading instance makes it; it is not in the log, has no
 * id, and is left out when `pulse` knows of no living owner.
 */
export function withHeartbeats(
  reader: LogReader,
  afterMs: number,
  pulse: () => Promise<string | undefined>,
): TaskStream {
  return { [Symbol.asyncIterator]: () => new Heartbeats(reader, afterMs, pulse) };
}

/** By hand, and not a generator: a thousand subscribers step through it for every event. */
class Heartbeats implements AsyncIterator<Event, undefined> {
  private readonly events: AsyncIterator<Event, undefined>;
  /** The reader's next step, once it was asked for. */
  private pending: Promise<Step> | undefined;
  /** Of the `next` that waits. */
  private answer: ((step: Step) => void) | undefined;
  // One timer a stream, wound up again by each event: a timer for each event shows in a profile.
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly reader: LogReader,
    private readonly afterMs: number,
    private readonly pulse: () => Promise<string | undefined>,
  ) {
    this.events = reader[Symbol.asyncIterator]();
  }

  next(): Promise<Step> {
    if (this.timer === undefined) this.timer = setTimeout(() => void this.repeat(), this.afterMs);
    else this.timer.refresh();
    const pending = (this.pending ??= this.events.next());
    return new Promise((resolve, reject) => {
      this.answer = resolve;
      pending.then(
        (step) => {
          // Answered by a heartbeat: the next `next` takes the step.
          if (this.answer !== resolve) return;
          this.answer = this.pending = undefined;
          if (step.done === true) clearTimeout(this.timer);
          resolve(step);
        },
        (error: unknown) => {
          clearTimeout(this.timer);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  return(): Promise<Step> {
    clearTimeout(this.timer);
    this.pending?.catch(() => undefined);
    this.reader.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  private async repeat(): Promise<void> {
    const { answer } = this;
    if (answer === undefined) return;
    const json = await this.pulse().catch(() => undefined);
    // An event that came meanwhile was the answer.
    if (this.answer !== answer) return;
    if (json === undefined) {
      this.timer?.refresh();
      return;
    }
    this.answer = undefined;
    answer({ done: false, value: { id: undefined, json, settled: false } });
  }
}
