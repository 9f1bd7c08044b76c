import { Injectable } from '@nestjs/common';
import { metrics } from '../../metrics/metrics.js';

/** A response that is still being written. */
export interface OpenStream {
  /** Ends the response now, after a `retry:` hint, without a terminal event. */
  close(): void;
}

/**
 * Every event stream that clients hold open on this instance, of all protocols. A graceful stop
 * ends them by `closeAll()`; the runs behind them go on.
 */
@Injectable()
export class StreamRegistry {
  private readonly streams = new Set<OpenStream>();
  private closing = false;

  get size(): number {
    return this.streams.size;
  }

  /** True once `closeAll()` was called: no new stream may begin. */
  get closed(): boolean {
    return this.closing;
  }

  /** @returns a function that takes the stream away again; idempotent. */
  add(stream: OpenStream): () => void {
    this.streams.add(stream);
    metrics.openStreams.inc();
    return () => {
      this.remove(stream);
    };
  }

  /** Takes a stream away; idempotent. */
  remove(stream: OpenStream): void {
    if (this.streams.delete(stream)) metrics.openStreams.dec();
  }

  /** Ends all of them; later ones are refused. Their clients come back, to another instance. */
  closeAll(): void {
    this.closing = true;
    [...this.streams].forEach((stream) => {
      stream.close();
    });
  }
}
