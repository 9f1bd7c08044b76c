import type { ServerResponse } from 'node:http';

/** Between these a client is told to come back, ms: after the end of an instance thousands do. */
const RETRY_MS = { least: 1000, most: 5000 } as const;

/** Hint to clients that come back on their own (EventSource): a field line, another one each time. */
export function retryHint(): string {
  const ms = RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least);
  return `retry: ${Math.round(ms)}\n`;
}

const COMMENT = ': keep-alive\n\n';

export interface SseWriterOptions {
  /** A comment line goes out this often; proxies cut connections that are silent for 60 s. */
  readonly commentMs: number;
  /** A client that has not read what lies before it for so long is cut off. */
  readonly stallMs: number;
}

type RawResponse = Pick<
  ServerResponse,
  'write' | 'end' | 'destroy' | 'on' | 'once' | 'removeListener' | 'writableNeedDrain' | 'destroyed'
>;

/**
 * Writes one event stream to one socket. It holds no more than what the caller has just handed
 * over: `write` resolves when the socket wants more, so a slow client slows its own reader down and
 * buffers one event at most; one that has stopped reading is cut after `stallMs`.
 */
export class SseWriter {
  private over = false;
  private readonly comments: NodeJS.Timeout;
  private wake: (() => void) | undefined;

  constructor(
    private readonly raw: RawResponse,
    private readonly options: SseWriterOptions,
    private readonly onOver: () => void,
  ) {
    this.comments = setInterval(() => {
      if (!this.raw.writableNeedDrain) this.raw.write(COMMENT);
    }, options.commentMs);
    raw.on('drain', () => this.wake?.());
    raw.once('close', () => {
      this.finish();
    });
    if (raw.destroyed) this.finish();
  }

  /** No more may be written: ended here, or the client is gone. */
  get closed(): boolean {
    return this.over;
  }

  /** @returns a promise only when the caller has to wait before its next event. */
  write(chunk: string | Buffer): Promise<void> | undefined {
    if (this.over || this.raw.write(chunk)) return undefined;
    return this.drained();
  }

  end(): void {
    if (this.over) return;
    this.finish();
    this.raw.end();
  }

  /** The server ends the stream before its time: the client should come back. */
  close(): void {
    if (this.over) return;
    this.raw.write(`${retryHint()}\n`);
    this.end();
  }

  private drained(): Promise<void> {
    return new Promise((resolve) => {
      const stalled = setTimeout(() => {
        this.finish();
        this.raw.destroy();
      }, this.options.stallMs);
      this.wake = () => {
        clearTimeout(stalled);
        this.wake = undefined;
        resolve();
      };
    });
  }

  private finish(): void {
    if (this.over) return;
    this.over = true;
    clearInterval(this.comments);
    this.wake?.();
    this.onOver();
  }
}
