import type { Frame } from '../assistant-backend.js';

/** Frames of the tools at work, until whoever shows the turn takes them. */
export class FrameQueue {
  private frames: Frame[] = [];
  private wake: (() => void) | undefined;

  push(frame: Frame): void {
    this.frames.push(frame);
    this.wake?.();
  }

  /** All that are there. */
  take(): readonly Frame[] {
    return this.frames.splice(0);
  }

  /**
   * The items of `source`, and between them the frames as they come: a tool that takes its time is
   * heard while the model waits for it.
   */
  async *among<T>(
    source: AsyncIterable<T>,
  ): AsyncGenerator<{ readonly item: T } | { readonly frame: Frame }> {
    const items = source[Symbol.asyncIterator]();
    let isOpen = true;
    let next = items.next();
    try {
      for (;;) {
        const woken = new Promise<'woken'>((resolve) => {
          this.wake = () => {
            resolve('woken');
          };
        });
        for (const frame of this.take()) yield { frame };
        const came = await Promise.race([next, woken]);
        if (came === 'woken') continue;
        if (came.done === true) {
          isOpen = false;
          for (const frame of this.take()) yield { frame };
          return;
        }
        for (const frame of this.take()) yield { frame };
        yield { item: came.value };
        next = items.next();
      }
    } finally {
      this.wake = undefined;
      next.catch(() => undefined);
      // Not awaited: a source that hangs would hang us too.
      if (isOpen) void items.return?.().then(undefined, () => undefined);
    }
  }
}
