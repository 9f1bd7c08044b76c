import { describe, expect, it } from 'vitest';
import { backOffMs } from './back-off.js';

const settings = { retryBaseMs: 1000, retryMaxMs: 300_000 };

describe('backOffMs', () => {
  it.each([
    [1, 1000],
    [2, 2000],
    [5, 16_000],
    [9, 256_000],
    [10, 300_000],
    [10_000, 300_000],
  ])('should pause after failure %i for %i ms or up to half of it less', (tries, full) => {
    expect(backOffMs(tries, settings, () => 0)).toBe(full / 2);
    expect(backOffMs(tries, settings, () => 0.5)).toBe(full * 0.75);
    expect(backOffMs(tries, settings, () => 1)).toBe(full);
  });
});
