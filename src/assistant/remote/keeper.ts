/** How often what a remote offers is looked at again. */
const REFRESH_MS = 5 * 60_000;
const FIRST_RETRY_MS = 2000;

export interface KeeperOptions<T> {
  /** Fetches it; given what is known, for a cheap answer when nothing has changed. */
  readonly fetch: (known: T | undefined, signal: AbortSignal) => Promise<T>;
  readonly onChange: (value: T) => void;
  /** Told the first failure of a row. */
  readonly onFailure: (error: unknown) => void;
  readonly refreshMs?: number;
  readonly firstRetryMs?: number;
}

/**
 * What a remote offers, fetched in the background and again every few minutes; after a failure again
 * with growing pauses, and what was known stays. Nobody waits for it unless nothing is known yet.
 */
export class Keeper<T> {
  private value: T | undefined;
  private failures = 0;
  private lastError: unknown;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private readonly over = new AbortController();

  constructor(private readonly options: KeeperOptions<T>) {}

  get known(): T | undefined {
    return this.value;
  }

  /** Why it could not be fetched the last time; undefined after a success. */
  get error(): unknown {
    return this.lastError;
  }

  start(): void {
    void this.refresh();
  }

  /** Waits for the first answer, if there was none yet, or for `ms`. */
  async ready(ms: number, signal: AbortSignal): Promise<T | undefined> {
    if (this.value !== undefined || signal.aborted) return this.value;
    let timer: NodeJS.Timeout | undefined;
    let onAbort = (): void => undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
      onAbort = resolve;
      signal.addEventListener('abort', onAbort, { once: true });
    });
    await Promise.race([this.refresh(), enough]);
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    return this.value;
  }

  /** Fetches it now, or joins the fetch that is under way. Never rejects. */
  refresh(): Promise<void> {
    if (this.over.signal.aborted) return Promise.resolve();
    this.running ??= this.fetch().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  close(): void {
    clearTimeout(this.timer);
    this.over.abort();
  }

  private async fetch(): Promise<void> {
    clearTimeout(this.timer);
    const { signal } = this.over;
    try {
      const next = await this.options.fetch(this.value, signal);
      const changed = next !== this.value;
      this.value = next;
      this.failures = 0;
      this.lastError = undefined;
      if (changed) this.options.onChange(next);
    } catch (error) {
      if (signal.aborted) return;
      this.lastError = error;
      this.failures += 1;
      if (this.failures === 1) this.options.onFailure(error);
    }
    if (signal.aborted) return;
    const { refreshMs = REFRESH_MS, firstRetryMs = FIRST_RETRY_MS } = this.options;
    const pause =
      this.failures === 0
        ? refreshMs
        : Math.min(firstRetryMs * 2 ** (this.failures - 1), refreshMs);
    // Not all instances at once.
    this.timer = setTimeout(() => void this.refresh(), pause * (0.9 + Math.random() * 0.2));
    this.timer.unref();
  }
}
