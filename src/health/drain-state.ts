import { Injectable } from '@nestjs/common';

export type Phase = 'starting' | 'ready' | 'draining';

/**
 * Where this instance is in its life: starting → ready → draining, never back. `/readyz` follows
 * it; protocols refuse new work and end their streams once it drains.
 */
@Injectable()
export class DrainState {
  private current: Phase = 'starting';
  private readonly controller = new AbortController();
  private readonly observers = new Set<() => void>();

  get phase(): Phase {
    return this.current;
  }

  get draining(): boolean {
    return this.current === 'draining';
  }

  /** Aborts when draining begins. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Everything is up and the listener accepts connections. No effect on a draining instance. */
  markReady(): void {
    if (this.current === 'starting') this.current = 'ready';
  }

  /** Idempotent. Observers run at once, in the order in which they came. */
  beginDrain(): void {
    if (this.current === 'draining') return;
    this.current = 'draining';
    this.controller.abort();
    this.observers.forEach((observer) => {
      observer();
    });
    this.observers.clear();
  }

  /**
   * Calls `observer` when draining begins, at once when it has begun. For many short-lived
   * observers (a stream each): a set, where an AbortSignal would keep a listener list and warn.
   * @returns a function that takes the observer away again.
   */
  onDrain(observer: () => void): () => void {
    if (this.current === 'draining') {
      observer();
      return () => undefined;
    }
    this.observers.add(observer);
    return () => {
      this.observers.delete(observer);
    };
  }
}
