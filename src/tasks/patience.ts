import type { EndSignal } from '../domain/end-signal.js';

/**
 * How long a caller waits: until a time has passed or its signal aborts. One timer and one listener,
 * both taken away by `end`: blocking sends come by the thousand and wait for minutes.
 */
export class Patience {
  private over = false;
  private late = false;
  private readonly timer: NodeJS.Timeout;
  private onOver: (() => void) | undefined;
  private readonly finish = (): void => {
    this.over = true;
    this.onOver?.();
  };

  constructor(
    timeoutMs: number,
    private readonly caller: EndSignal,
  ) {
    this.timer = setTimeout(() => {
      this.late = !this.over;
      this.finish();
    }, timeoutMs);
    caller.addEventListener('abort', this.finish, { once: true });
    if (caller.aborted) this.finish();
  }

  /** True once there is no more waiting. */
  get isOver(): boolean {
    return this.over;
  }

  /** True when it was the time that ran out, not the caller who went away. */
  get isTimeUp(): boolean {
    return this.late;
  }

  end(): void {
    clearTimeout(this.timer);
    this.caller.removeEventListener('abort', this.finish);
  }

  /** Calls `listener` when patience ends, at once when it has; a later listener replaces it. */
  whenOver(listener: () => void): void {
    this.onOver = listener;
    if (this.over) listener();
  }

  /** What `promise` gives, or undefined when patience ends first. */
  wait<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.whenOver(() => {
        resolve(undefined);
      });
      promise.then(resolve, reject);
    });
  }
}
