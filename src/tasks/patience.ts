/**
 * How long a caller waits: until a time has passed or its signal aborts. One timer and one listener,
 * both taken away by `end`: blocking sends come by the thousand and wait for minutes.
 */
export class Patience {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly onAbort = (): void => {
    this.controller.abort();
  };

  constructor(
    timeoutMs: number,
    private readonly caller: AbortSignal,
  ) {
    this.timer = setTimeout(this.onAbort, timeoutMs);
    caller.addEventListener('abort', this.onAbort, { once: true });
    if (caller.aborted) this.onAbort();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    clearTimeout(this.timer);
    this.caller.removeEventListener('abort', this.onAbort);
  }

  /** What `promise` gives, or undefined when patience ends first. */
  wait<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        resolve(undefined);
      };
      this.signal.addEventListener('abort', giveUp, { once: true });
      if (this.signal.aborted) giveUp();
      promise.then(resolve, reject);
    });
  }
}
