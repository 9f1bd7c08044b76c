import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GatewayConfig } from '../../config/config.types.js';
import { CommentClock } from './comment-clock.js';
import { retryHint, SseWriter } from './sse-writer.js';

/** A response whose socket takes `room` writes and then asks to wait. */
class FakeResponse extends EventEmitter {
  readonly chunks: string[] = [];
  ended = false;
  destroyed = false;
  writableNeedDrain = false;
  room = Number.POSITIVE_INFINITY;

  write(chunk: string): boolean {
    if (this.ended || this.destroyed) throw new Error('write after end');
    this.chunks.push(chunk);
    this.room -= 1;
    this.writableNeedDrain = this.room <= 0;
    return !this.writableNeedDrain;
  }

  end(): this {
    this.ended = true;
    this.emit('close');
    return this;
  }

  destroy(): this {
    this.destroyed = true;
    this.emit('close');
    return this;
  }

  drain(): void {
    this.room = Number.POSITIVE_INFINITY;
    this.writableNeedDrain = false;
    this.emit('drain');
  }
}

let raw: FakeResponse;
let over: number;

function writer(): SseWriter {
  const execution = { sseCommentMs: 15_000 } as GatewayConfig['execution'];
  const clock = new CommentClock({ execution });
  return new SseWriter(raw as never, { clock, stallMs: 30_000 }, () => {
    over += 1;
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  raw = new FakeResponse();
  over = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

describe('SseWriter', () => {
  it('should write without a wait while the socket takes it', () => {
    const sse = writer();
    expect(sse.write('a')).toBeUndefined();
    expect(sse.write('b')).toBeUndefined();
    expect(raw.chunks).toEqual(['a', 'b']);
  });

  it('should wait for drain, and only then be ready for the next event', async () => {
    const sse = writer();
    raw.room = 1;
    let ready = false;
    const wait = sse.write('a')!.then(() => (ready = true));
    await vi.advanceTimersByTimeAsync(1000);
    expect(ready).toBe(false);
    raw.drain();
    await wait;
    expect(sse.closed).toBe(false);
    expect(sse.write('b')).toBeUndefined();
    // The stall's timer is gone with the drain.
    await vi.advanceTimersByTimeAsync(60_000);
    expect(raw.destroyed).toBe(false);
  });

  it('should cut a client that has stopped reading', async () => {
    const sse = writer();
    raw.room = 1;
    const wait = sse.write('a');
    await vi.advanceTimersByTimeAsync(29_999);
    expect(raw.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await wait;
    expect(raw.destroyed).toBe(true);
    expect(sse.closed).toBe(true);
    expect(over).toBe(1);
  });

  it('should stop waiting when the client goes away', async () => {
    const sse = writer();
    raw.room = 1;
    const wait = sse.write('a');
    raw.destroy();
    await wait;
    expect(sse.closed).toBe(true);
    expect(sse.write('b')).toBeUndefined();
    expect(raw.chunks).toEqual(['a']);
  });

  it('should write a comment every commentMs, until it is over', () => {
    const sse = writer();
    vi.advanceTimersByTime(45_000);
    expect(raw.chunks).toEqual(Array(3).fill(': keep-alive\n\n'));
    sse.end();
    vi.advanceTimersByTime(45_000);
    expect(raw.chunks).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('should not pile comments up before a client that does not read', () => {
    const sse = writer();
    raw.room = 1;
    void sse.write('a');
    vi.advanceTimersByTime(29_000);
    expect(raw.chunks).toEqual(['a']);
  });

  it('should not tell all clients of an instance that ends the same moment to come back', () => {
    const hints = Array.from({ length: 200 }, retryHint);
    const times = hints.map((hint) => Number(/^retry: (\d+)\n$/.exec(hint)?.[1]));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...times)).toBeLessThanOrEqual(5000);
    expect(new Set(times).size).toBeGreaterThan(100);
  });

  it('should end with a hint when the server closes it, and once', () => {
    const sse = writer();
    sse.close();
    sse.close();
    sse.end();
    expect(raw.chunks).toEqual([expect.stringMatching(/^retry: \d{4}\n\n$/)]);
    expect(raw.ended).toBe(true);
    expect(over).toBe(1);
    expect(sse.write('a')).toBeUndefined();
    expect(raw.chunks).toHaveLength(1);
  });

  it('should be over at once for a client that is gone already', () => {
    raw.destroyed = true;
    expect(writer().closed).toBe(true);
    expect(over).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
