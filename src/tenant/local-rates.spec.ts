import { beforeEach, describe, expect, it } from 'vitest';
import { LocalRates } from './local-rates.js';

const ann = { tenant: 'acme', user: 'ann', token: 'k1' };
const bob = { tenant: 'acme', user: 'bob', token: 'k2' };

let now: number;
let rates: LocalRates;

beforeEach(() => {
  now = 1000;
  rates = new LocalRates(() => now);
});

describe('LocalRates', () => {
  it('should let a burst through and then what a minute brings', () => {
    const rate = { user: { perMinute: 60, burst: 3 } };
    expect(rates.take(ann, rate)).toEqual({
      ok: true,
      left: { user: { requests: 2, fullInMs: 1000 } },
    });
    rates.take(ann, rate);
    expect(rates.take(ann, rate)).toMatchObject({ left: { user: { requests: 0 } } });
    expect(rates.take(ann, rate)).toEqual({ ok: false, whose: 'user', waitMs: 1000 });
    expect(rates.take(bob, rate).ok).toBe(true);
    now += 1000;
    expect(rates.take(ann, rate).ok).toBe(true);
    expect(rates.take(ann, rate).ok).toBe(false);
    now += 60_000;
    expect(rates.take(ann, rate)).toMatchObject({ left: { user: { requests: 2 } } });
  });

  it('should take out of all buckets or none', () => {
    const both = { user: { perMinute: 1, burst: 1 }, tenant: { perMinute: 1, burst: 3 } };
    expect(rates.take(ann, both).ok).toBe(true);
    expect(rates.take(ann, both)).toMatchObject({ ok: false, whose: 'user' });
    expect(rates.take(bob, both)).toMatchObject({ left: { tenant: { requests: 1 } } });
  });

  it('should keep what equal ids of different tenants and kinds use apart', () => {
    const rate = { user: { perMinute: 1, burst: 1 }, token: { perMinute: 1, burst: 1 } };
    expect(rates.take({ tenant: 'a', user: 'x', token: 'y' }, rate).ok).toBe(true);
    expect(rates.take({ tenant: 'a', user: 'y', token: 'x' }, rate).ok).toBe(true);
    expect(rates.take({ tenant: 'b', user: 'x', token: 'y' }, rate).ok).toBe(true);
  });
});
