import { Injectable, Logger } from '@nestjs/common';
import { ExpiringMap } from '../auth/expiring-map.js';
import type { TenantLimits } from '../config/limits.js';
import type { DomainError } from '../domain/errors.js';
import { type LimitState, WHOSE, type Whose } from '../domain/limit.js';
import { limitReached } from '../domain/limit-refusal.js';
import { metrics } from '../metrics/metrics.js';
import {
  type Rate,
  type RateAnswer,
  type RatedCaller,
  type Rates,
  RedisRateStore,
} from '../store/redis-rate.store.js';
import { bucketOf, LocalRates } from './local-rates.js';

/** A Redis that takes longer is not waited for: a request waits no longer than this for its rate. */
const PATIENCE_MS = 500;
/** So long Redis is then left alone, and this instance counts by itself. */
const PAUSE_MS = 1000;
/** Refusals that are remembered, and how long at most. */
const MOST_REFUSED = 30_000;
const LONGEST_MS = 60_000;

interface Refused {
  readonly until: number;
  readonly rate: Rate;
}

/** What became of a request's rates: what is left of each, or why it is refused. */
export type RateVerdict =
  | { readonly refusal?: undefined; readonly left: readonly LimitState[] }
  | { readonly refusal: DomainError };

/**
 * Says whether a request may be served now. A tenant without rates costs nothing; one with rates a
 * round trip to Redis; one that is over its rate nothing again, until a request may come again: who
 * floods does not make others wait. While Redis does not answer the rates are this instance's own.
 */
@Injectable()
export class RequestRates {
  private readonly logger = new Logger(RequestRates.name);
  private readonly local = new LocalRates(() => performance.now());
  private readonly refused = new ExpiringMap<Refused>(LONGEST_MS, MOST_REFUSED, () =>
    performance.now(),
  );
  private readonly known = new WeakMap<TenantLimits, Rates | 'none'>();
  private pausedUntil = 0;

  constructor(private readonly store: RedisRateStore) {}

  /** Undefined: the tenant has no rates. */
  take(caller: RatedCaller, limits: TenantLimits): Promise<RateVerdict> | undefined {
    const rates = this.ratesOf(limits);
    return rates === 'none' ? undefined : this.judge(caller, rates);
  }

  private async judge(caller: RatedCaller, all: Rates): Promise<RateVerdict> {
    const { token: _none, ...others } = all;
    const rates: Rates = caller.token === '' ? others : all;
    const known = this.refusedBefore(caller, rates);
    if (known !== undefined) return known;
    const answer = await this.ask(caller, rates);
    if (answer.ok) return { left: statesOf(rates, answer.left) };
    const { whose, waitMs } = answer;
    const rate = rates[whose];
    if (rate === undefined) throw new Error('bug: refused by a rate that there is not');
    const now = performance.now();
    const refused = { until: now + waitMs, rate };
    this.refused.set(bucketOf(caller, whose), refused, now);
    return { refusal: refusalOf(whose, refused, now) };
  }

  /** By this instance's memory of a refusal that still holds, under the rate as it is now. */
  private refusedBefore(caller: RatedCaller, rates: Rates): RateVerdict | undefined {
    if (this.refused.size === 0) return undefined;
    const now = performance.now();
    for (const whose of WHOSE) {
      const rate = rates[whose];
      if (rate === undefined) continue;
      const bucket = bucketOf(caller, whose);
      const refused = this.refused.get(bucket);
      if (refused === undefined) continue;
      if (refused.until > now && isSame(refused.rate, rate)) {
        return { refusal: refusalOf(whose, refused, now) };
      }
      this.refused.delete(bucket);
    }
    return undefined;
  }

  private async ask(caller: RatedCaller, rates: Rates): Promise<RateAnswer> {
    if (performance.now() >= this.pausedUntil) {
      const late = tooLate();
      try {
        const answer = await Promise.race([this.store.take(caller, rates), late.promise]);
        if (answer !== undefined) return answer;
        this.pause('Redis was too slow');
      } catch (error) {
        this.pause(String(error));
      } finally {
        late.cancel();
      }
    }
    metrics.localRates.inc();
    return this.local.take(caller, rates);
  }

  private pause(why: string): void {
    this.pausedUntil = performance.now() + PAUSE_MS;
    this.logger.warn({ msg: 'the rates of requests are judged by this instance alone', why });
  }

  private ratesOf(limits: TenantLimits): Rates | 'none' {
    const known = this.known.get(limits);
    if (known !== undefined) return known;
    const rates: Partial<Record<Whose, Rate>> = {
      ...rateOf('token', limits.requestsPerMinutePerToken, limits.requestBurstPerToken),
      ...rateOf('user', limits.requestsPerMinutePerUser, limits.requestBurstPerUser),
      ...rateOf('tenant', limits.requestsPerMinutePerTenant, limits.requestBurstPerTenant),
    };
    const built = Object.keys(rates).length === 0 ? 'none' : rates;
    this.known.set(limits, built);
    return built;
  }
}

/** After a stall of our own, timers come before what lies in the sockets: that is looked at first. */
function tooLate(): { readonly promise: Promise<undefined>; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      setImmediate(() => setImmediate(resolve, undefined));
    }, PATIENCE_MS);
  });
  return {
    promise,
    cancel: () => {
      clearTimeout(timer);
    },
  };
}

function rateOf(whose: Whose, perMinute: number, burst: number): Partial<Record<Whose, Rate>> {
  if (perMinute === 0) return {};
  return { [whose]: { perMinute, burst: burst === 0 ? perMinute : burst } };
}

function isSame(a: Rate, b: Rate): boolean {
  return a.perMinute === b.perMinute && a.burst === b.burst;
}

/** A burst and the time in which it comes again is a quota and its window. */
function windowOf({ perMinute, burst }: Rate): number {
  return Math.max(1, Math.ceil((burst * 60) / perMinute));
}

function refusalOf(whose: Whose, { until, rate }: Refused, now: number): DomainError {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const window = windowOf(rate);
  const state = { quota: rate.burst, windowSeconds: window, resetSeconds: window };
  return limitReached('requests', whose, state, seconds);
}

function statesOf(
  rates: Rates,
  left: Extract<RateAnswer, { ok: true }>['left'],
): readonly LimitState[] {
  return WHOSE.flatMap((whose): LimitState[] => {
    const rate = rates[whose];
    const of = left[whose];
    if (rate === undefined || of === undefined) return [];
    return [
      {
        name: `requests_${whose}`,
        quota: rate.burst,
        windowSeconds: windowOf(rate),
        remaining: of.requests,
        resetSeconds: Math.ceil(of.fullInMs / 1000),
      },
    ];
  });
}
