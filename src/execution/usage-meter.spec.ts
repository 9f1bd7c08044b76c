import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RedisUsageStore, Usage } from '../store/redis-usage.store.js';
import { UsageMeter } from './usage-meter.js';

const one: Usage = { tasks: 1, toolCalls: 2, inputTokens: 0, outputTokens: 0 };
const ann = { tenant: 'acme', generation: 1, user: 'ann' };
const NOON = Date.parse('2026-11-30T12:00:00Z');

describe('UsageMeter', () => {
  const add = vi.fn<RedisUsageStore['add']>();
  const meter = new UsageMeter({ add } as unknown as RedisUsageStore);

  beforeEach(() => {
    vi.useFakeTimers();
    add.mockReset().mockResolvedValue(undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('should write once a second what belongs together', async () => {
    meter.add(ann, NOON, one);
    meter.add(ann, NOON, one);
    meter.add({ ...ann, generation: 2 }, NOON, one);
    meter.add(ann, NOON + 24 * 3_600_000, one);
    meter.add(ann, NOON, { tasks: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 });
    await vi.advanceTimersByTimeAsync(1000);
    const day = NOON + 24 * 3_600_000;
    expect(add.mock.calls).toEqual([
      ['acme', 1, 'ann', NOON, { ...one, tasks: 2, toolCalls: 4 }],
      ['acme', 2, 'ann', NOON, one],
      ['acme', 1, 'ann', day, one],
    ]);
  });

  it('should keep what Redis did not take', async () => {
    add.mockRejectedValueOnce(new Error('away'));
    meter.add(ann, NOON, one);
    await vi.advanceTimersByTimeAsync(1000);
    meter.add(ann, NOON, one);
    await vi.advanceTimersByTimeAsync(1000);
    expect(add.mock.lastCall).toEqual(['acme', 1, 'ann', NOON, { ...one, tasks: 2, toolCalls: 4 }]);
  });
});
