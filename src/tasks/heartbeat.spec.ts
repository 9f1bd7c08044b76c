import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TaskEvent } from '../domain/event.js';
import type { LogReader } from '../streams/log-reader.js';
import { withHeartbeats } from './heartbeat.js';

/** A reader whose events come when a test says so. */
class Scripted {
  closed = 0;
  private resolve: ((step: IteratorResult<TaskEvent, undefined>) => void) | undefined;
  private reject: ((error: Error) => void) | undefined;

  [Symbol.asyncIterator](): AsyncIterator<TaskEvent, undefined> {
    return {
      next: () =>
        new Promise((resolve, reject) => {
          this.resolve = resolve;
          this.reject = reject;
        }),
    };
  }

  say(seq: number): void {
    this.resolve?.({
      done: false,
      value: { id: { seq, epoch: 1 }, json: `e${seq}`, settled: false },
    });
  }

  end(): void {
    this.resolve?.({ done: true, value: undefined });
  }

  fail(): void {
    this.reject?.(new Error('gone'));
  }

  close(): void {
    this.closed += 1;
  }
}

let reader: Scripted;
let pulse: () => Promise<string | undefined>;

function steps(): AsyncIterator<{ readonly json: string }, undefined> {
  const stream = withHeartbeats(reader as unknown as LogReader, 1000, () => pulse());
  return stream[Symbol.asyncIterator]() as AsyncIterator<{ readonly json: string }, undefined>;
}

beforeEach(() => {
  vi.useFakeTimers();
  reader = new Scripted();
  pulse = () => Promise.resolve('beat');
});
afterEach(() => {
  vi.useRealTimers();
});

describe('withHeartbeats', () => {
  it('should repeat the status after each silence, and keep the event that comes next', async () => {
    const events = steps();
    for (let beat = 0; beat < 2; beat += 1) {
      const silent = events.next();
      await vi.advanceTimersByTimeAsync(1000);
      expect((await silent).value).toEqual({ id: undefined, json: 'beat', settled: false });
    }
    // It comes while nobody waits.
    reader.say(1);
    expect((await events.next()).value?.json).toBe('e1');
  });

  it('should give nothing for a silence when no owner lives, and look again', async () => {
    let looks = 0;
    pulse = () => {
      looks += 1;
      return Promise.resolve(undefined);
    };
    const next = steps().next();
    await vi.advanceTimersByTimeAsync(3500);
    expect(looks).toBe(3);
    reader.say(1);
    expect((await next).value?.json).toBe('e1');
  });

  it('should prefer an event that comes while the status is asked for', async () => {
    let answer: (json: string) => void = () => undefined;
    pulse = () => new Promise((resolve) => (answer = resolve));
    const events = steps();
    const next = events.next();
    await vi.advanceTimersByTimeAsync(1000);
    reader.say(1);
    await vi.advanceTimersByTimeAsync(0);
    answer('late');
    expect((await next).value?.json).toBe('e1');
    const after = events.next();
    await vi.advanceTimersByTimeAsync(0);
    reader.say(2);
    expect((await after).value?.json).toBe('e2');
  });

  it('should hold no timer once it is over: ended, failed, or given up', async () => {
    const ended = steps();
    const last = ended.next();
    reader.end();
    expect((await last).done).toBe(true);
    const failed = steps();
    const broken = failed.next();
    reader.fail();
    await expect(broken).rejects.toThrow('gone');
    const left = steps();
    const waiting = left.next();
    await left.return?.();
    expect(reader.closed).toBe(1);
    reader.end();
    expect((await waiting).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});
