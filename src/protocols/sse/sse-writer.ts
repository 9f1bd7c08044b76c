import type { ServerResponse } from 'node:http';
import type { CommentClock, Silent, Slot } from './comment-clock.js';

/** Between these a client is told to come back, ms: after the end of an instance thousands do. */
const RETRY_MS = { least: 1000, most: 5000 } as const;

/** Hint to clients that come back on their own (EventSource): a field line, another one each time. */
export function retryHint(): string {
  const ms = RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least);
  return `retry: ${Math.round(ms)}\n`;
}

const COMMENT = ': keep-alive\n\n';

export interface SseWriterOptions {
  /** Says when a comment line is due. */
  readonly clock: CommentClock;
  /** A client that has not read what lies before it for so long is cut off. */
  readonly stallMs: number;
}

type RawResponse = Pick<
  ServerResponse,
  'write' | 'end' | 'destroy' | 'on' | 'writableNeedDrain' | 'destroyed'
>;

/**
 * Writes one event stream to one socket. It holds no more than what the caller has just handed
 * over: `write` resolves when the socket wants more, so a slow client slows its own reader down and
 * buffers one event at most; one that has stopped reading is cut after `stallMs`.
 */
export class SseWriter implements Silent {
  private over = false;
  private readonly slot: Slot;
  private wake: (() => void) | undefined;

  constructor(
    private readonly raw: RawResponse,
    private readonly options: SseWriterOptions,
    private readonly onOver: (writer: SseWriter) => void,
  ) {
    this.slot = options.clock.join(this);
    raw.on('drain', () => this.wake?.());
    raw.on('close', () => {
      this.finish();
    });
    if (raw.destroyed) this.finish();
  }

  /** No more may be written: ended here, or the client is gone. */
  get closed(): boolean {
    return this.over;
  }

  /** The clock's: a client that does not read gets none. */
  comment(): void {
    if (!this.over && !this.raw.writableNeedDrain) this.raw.write(COMMENT);
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
    this.options.clock.leave(this, this.slot);
    this.wake?.();
    this.onOver(this);
  }
}
