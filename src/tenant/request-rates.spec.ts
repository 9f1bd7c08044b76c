import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_LIMITS, type TenantLimits } from '../config/limits.js';
import type { RateAnswer, RatedCaller, Rates, RedisRateStore } from '../store/redis-rate.store.js';
import { LocalRates } from './local-rates.js';
import { RequestRates } from './request-rates.js';

const ann = { tenant: 'acme', user: 'ann', token: 'k1' };
const bob = { tenant: 'acme', user: 'bob', token: 'k2' };
const limits: TenantLimits = {
  ...DEFAULT_LIMITS,
  requestsPerMinutePerUser: 60,
  requestBurstPerUser: 2,
};

/** Redis as it would answer, if it does. */
class FakeStore {
  readonly asked: Rates[] = [];
  readonly rates = new LocalRates(() => performance.now());
  failure: 'none' | 'throws' | 'hangs' = 'none';

  take(caller: RatedCaller, rates: Rates): Promise<RateAnswer> {
    this.asked.push(rates);
    if (this.failure === 'throws') return Promise.reject(new Error('connection lost'));
    if (this.failure === 'hangs') return new Promise(() => undefined);
    return Promise.resolve(this.rates.take(caller, rates));
  }
}

let store: FakeStore;
let rates: RequestRates;

beforeEach(() => {
  vi.useRealTimers();
  store = new FakeStore();
  rates = new RequestRates(store as unknown as RedisRateStore);
});

async function refusalOf(caller = ann, of = limits): Promise<string | undefined> {
  const verdict = await rates.take(caller, of);
  return verdict?.refusal?.metadata['quota'];
}

describe('RequestRates', () => {
  it('should cost nothing where there are no rates', () => {
    expect(rates.take(ann, DEFAULT_LIMITS)).toBeUndefined();
    expect(store.asked).toEqual([]);
  });

  it('should tell what is left, and refuse with the wait until there is one again', async () => {
    expect(await rates.take(ann, limits)).toEqual({
      left: [
        {
          ...{ name: 'requests_user', quota: 2, windowSeconds: 2 },
          ...{ remaining: 1, resetSeconds: 1 },
        },
      ],
    });
    await rates.take(ann, limits);
    const verdict = await rates.take(ann, limits);
    expect(verdict?.refusal).toMatchObject({
      code: 'RATE',
      retryAfter: 1,
      limit: { name: 'requests_user', quota: 2, remaining: 0 },
    });
  });

  it('should not ask again for who is over the rate, until there is one again', async () => {
    const others = { ...limits };
    for (let i = 0; i < 3; i += 1) await rates.take(ann, others);
    const asked = store.asked.length;
    expect(await refusalOf(ann, others)).toBe('requests_user');
    expect(store.asked).toHaveLength(asked);
    // Others are not ann; and a rate that has changed is another rate.
    expect(await refusalOf(bob, others)).toBeUndefined();
    store.rates.take = () => ({ ok: true, left: {} });
    expect(await refusalOf(ann, { ...limits, requestBurstPerUser: 9 })).toBeUndefined();
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1500);
    expect(await refusalOf(ann, others)).toBeUndefined();
    now.mockRestore();
  });

  it('should leave the token out where there is none', async () => {
    const ofToken = { ...limits, requestsPerMinutePerToken: 5 };
    await rates.take({ ...ann, token: '' }, ofToken);
    await rates.take(ann, ofToken);
    expect(store.asked.map((asked) => Object.keys(asked))).toEqual([['user'], ['token', 'user']]);
  });

  it.each(['throws', 'hangs'] as const)(
    'should count by itself while Redis %s, and leave it alone for a moment',
    async (failure) => {
      store.failure = failure;
      expect(await refusalOf()).toBeUndefined();
      expect(await refusalOf()).toBeUndefined();
      expect(await refusalOf()).toBe('requests_user');
      expect(store.asked).toHaveLength(1);
      store.failure = 'none';
      const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2000);
      expect(await refusalOf()).toBeUndefined();
      expect(store.asked).toHaveLength(2);
      now.mockRestore();
    },
  );
});
