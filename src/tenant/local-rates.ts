import { ExpiringMap } from '../auth/expiring-map.js';
import { WHOSE, type Whose } from '../domain/limit.js';
import {
  msBetween,
  type RateAnswer,
  type RatedCaller,
  type RateLeft,
  type Rates,
} from '../store/redis-rate.store.js';

/** A bucket that nobody has asked for so long is as good as full, or nearly so. */
const KEPT_MS = 10 * 60_000;
const MOST_BUCKETS = 30_000;
/** What fractions of a ms add up to is no ms. */
const EPSILON_MS = 0.01;

/**
 * The rates by this instance's own count: what `take-rate` does, for the time that Redis cannot be
 * asked. Every instance then lets each rate through once, so the fleet lets through as many times
 * the rate as it has instances.
 */
export class LocalRates {
  private readonly buckets: ExpiringMap<number>;

  constructor(private readonly now: () => number) {
    this.buckets = new ExpiringMap(KEPT_MS, MOST_BUCKETS, now);
  }

  take(caller: RatedCaller, rates: Rates): RateAnswer {
    const now = this.now();
    const full = new Map<Whose, number>();
    let empty: { readonly whose: Whose; readonly waitMs: number } | undefined;
    for (const whose of WHOSE) {
      const rate = rates[whose];
      if (rate === undefined) continue;
      const every = msBetween(rate);
      const at = Math.max(now, this.buckets.get(bucketOf(caller, whose)) ?? 0) + every;
      full.set(whose, at);
      const waitMs = at - now - every * rate.burst;
      if (waitMs >= 0.5 && waitMs > (empty?.waitMs ?? 0)) empty = { whose, waitMs };
    }
    if (empty !== undefined) return { ok: false, ...empty };
    const left: Partial<Record<Whose, RateLeft>> = {};
    for (const [whose, at] of full) {
      this.buckets.set(bucketOf(caller, whose), at, now);
      const rate = rates[whose];
      const requests = Math.floor((rate?.burst ?? 0) - (at - now) / msBetween(rate) + 0.001);
      left[whose] = { requests, fullInMs: Math.ceil(at - now - EPSILON_MS) };
    }
    return { ok: true, left };
  }
}

/** Names what a rate of a caller is counted by; tenant ids hold no slash. */
export function bucketOf({ tenant, user, token }: RatedCaller, whose: Whose): string {
  return whose === 'tenant' ? tenant : `${tenant}/${whose}/${whose === 'user' ? user : token}`;
}
