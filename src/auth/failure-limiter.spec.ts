import { describe, expect, it } from 'vitest';
import { FailureLimiter } from './failure-limiter.js';

describe('FailureLimiter', () => {
  it('should slow a source down beyond its limit, until its minute is over', () => {
    let now = 0;
    const limiter = new FailureLimiter(2, () => now);
    expect(limiter.fail('10.0.0.1')).toEqual({ count: 1, retryAfter: undefined });
    now = 20_000;
    expect(limiter.fail('10.0.0.1')).toEqual({ count: 2, retryAfter: undefined });
    const third = limiter.fail('10.0.0.1');
    expect(third).toEqual({ count: 3, retryAfter: 40 });
    expect(limiter.isFirstOver(third)).toBe(true);
    expect(limiter.isFirstOver(limiter.fail('10.0.0.1'))).toBe(false);
    now = 60_000;
    expect(limiter.fail('10.0.0.1')).toEqual({ count: 1, retryAfter: undefined });
  });

  it('should not make one source pay for another', () => {
    const limiter = new FailureLimiter(1, () => 0);
    for (let i = 0; i < 9; i += 1) limiter.fail('10.0.0.1');
    expect(limiter.fail('10.0.0.2').retryAfter).toBeUndefined();
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:db8::1', '2001:db8:0:0:1:2:3:4', true],
    ['::ffff:10.0.0.1', '::ffff:10.0.0.2', false],
  ])('should take %s and %s for one source: %s', (first, second, same) => {
    const limiter = new FailureLimiter(1, () => 0);
    limiter.fail(first);
    expect(limiter.fail(second).count).toBe(same ? 2 : 1);
  });
});
