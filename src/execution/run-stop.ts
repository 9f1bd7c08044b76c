import type { StopReason } from '../domain/stop-reason.js';
import type { RunLostError } from '../streams/run-lost-error.js';

/**
 * That a run has to stop, and why: because it is told to, or because it has lost its task. Its backend
 * learns it by the signal, and whoever waits for the next frame at once.
 */
export class RunStop {
  private readonly abort = new AbortController();
  /** Wakes whoever waits for the next frame. */
  private onAbort: () => void = () => undefined;
  private why: StopReason | undefined;
  private loss: RunLostError | undefined;

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Why it was told to stop. */
  get reason(): StopReason | undefined {
    return this.why;
  }

  get lost(): RunLostError | undefined {
    return this.loss;
  }

  /** Idempotent; the first reason counts, except that leaving outranks all others. */
  tell(reason: StopReason): void {
    if (reason.kind !== 'leave' && this.why !== undefined) return;
    this.why = reason;
    this.abort.abort(reason);
    this.onAbort();
  }

  lose(error: RunLostError): void {
    this.loss = error;
    this.abort.abort(error);
    this.onAbort();
  }

  /** What comes next, or 'stopped' as soon as the run has to stop. */
  untilStopped<T>(next: Promise<T>): Promise<T | 'stopped'> {
    if (this.abort.signal.aborted) {
      next.catch(() => undefined);
      return Promise.resolve('stopped');
    }
    // One waiter, replaced by each frame: racing one promise of the whole run would keep a reaction
    // for each frame until the end, and a listener on the signal costs more than the frame itself.
    return new Promise((resolve, reject) => {
      this.onAbort = () => {
        resolve('stopped');
      };
      next.then(resolve, reject);
    });
  }
}
