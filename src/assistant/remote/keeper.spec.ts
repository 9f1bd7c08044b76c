import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Keeper } from './keeper.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('Keeper', () => {
  const MINUTE = 60_000;

  it('should look again every few minutes by itself, told what is known, until it is closed', async () => {
    const seen: (number | undefined)[] = [];
    const told: number[] = [];
    const keeper = new Keeper<number>({
      fetch: (known) => {
        seen.push(known);
        return Promise.resolve(seen.length === 2 ? (known ?? 0) : seen.length);
      },
      onChange: (value) => told.push(value),
      onFailure: () => undefined,
    });
    keeper.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(keeper.known).toBe(1);
    // Not all instances at once: 4.5 to 5.5 minutes.
    await vi.advanceTimersByTimeAsync(4.4 * MINUTE);
    expect(seen).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1.2 * MINUTE);
    await vi.advanceTimersByTimeAsync(5.6 * MINUTE);
    expect(seen).toEqual([undefined, 1, 1]);
    expect(told).toEqual([1, 3]);
    keeper.close();
    await vi.advanceTimersByTimeAsync(60 * MINUTE);
    expect(seen).toHaveLength(3);
  });

  it('should try again sooner after a failure, with growing pauses, and keep what it knew', async () => {
    const at: number[] = [];
    const failures: unknown[] = [];
    let isAway = false;
    const keeper = new Keeper<string>({
      fetch: () => {
        at.push(Date.now());
        return isAway ? Promise.reject(new Error('away')) : Promise.resolve('card');
      },
      onChange: () => undefined,
      onFailure: (error) => failures.push(error),
    });
    keeper.start();
    await vi.advanceTimersByTimeAsync(0);
    isAway = true;
    await keeper.refresh();
    await vi.advanceTimersByTimeAsync(30_000);
    const pauses = at.slice(1).map((time, index) => time - at[index]!);
    expect(pauses.length).toBeGreaterThanOrEqual(4);
    for (const [index, pause] of pauses.slice(1).entries()) {
      expect(pause).toBeGreaterThanOrEqual(0.9 * 2000 * 2 ** index);
      expect(pause).toBeLessThanOrEqual(1.1 * 2000 * 2 ** index + 1);
    }
    expect(keeper.known).toBe('card');
    expect(keeper.error).toBeInstanceOf(Error);
    expect(failures).toHaveLength(1);
    isAway = false;
    await vi.advanceTimersByTimeAsync(40_000);
    expect(keeper.error).toBeUndefined();
    keeper.close();
  });
});
