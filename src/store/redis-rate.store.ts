import { Injectable } from '@nestjs/common';
import { WHOSE, type Whose } from '../domain/limit.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { ScriptCode } from '../redis/script-code.js';
import { asList, runScript } from '../redis/scripts.js';

/** How fast requests may come: evenly `perMinute`, and `burst` of them at once. */
export interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

/** By whom a request is made. */
export interface RatedCaller {
  readonly tenant: string;
  readonly user: string;
  /** Empty: there is none to count by. */
  readonly token: string;
}

export type Rates = Readonly<Partial<Record<Whose, Rate>>>;

export type RateAnswer =
  | {
      readonly ok: true;
      /** Of each rate that there is. */
      readonly left: Readonly<Partial<Record<Whose, RateLeft>>>;
    }
  | { readonly ok: false; readonly whose: Whose; readonly waitMs: number };

export interface RateLeft {
  readonly requests: number;
  /** Until the whole burst may come again. */
  readonly fullInMs: number;
}

/** The rates of requests, over all instances. */
@Injectable()
export class RedisRateStore {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** One round trip. @throws what Redis or the connection to it fails with. */
  async take({ tenant, user, token }: RatedCaller, rates: Rates): Promise<RateAnswer> {
    const keys = [
      this.keys.tokenRate(tenant, token),
      this.keys.userRate(tenant, user),
      this.keys.rate(tenant),
    ];
    const every = WHOSE.map((whose) => msBetween(rates[whose]));
    const bursts = WHOSE.map((whose) => rates[whose]?.burst ?? 0);
    const [code, ...reply] = asList(
      await runScript(this.redis.reads, 'take-rate', keys, [...every, ...bursts]),
    );
    if (code === ScriptCode.RateOver) {
      const whose = WHOSE[Number(reply[0]) - 1] ?? 'tenant';
      return { ok: false, whose, waitMs: Number(reply[1]) };
    }
    const left = WHOSE.flatMap((whose, index) =>
      rates[whose] === undefined
        ? []
        : [
            [
              whose,
              { requests: Number(reply[index * 2]), fullInMs: Number(reply[index * 2 + 1]) },
            ] as const,
          ],
    );
    return { ok: true, left: Object.fromEntries(left) };
  }
}

/** 0: no limit. */
export function msBetween(rate: Rate | undefined): number {
  return rate === undefined ? 0 : 60_000 / rate.perMinute;
}
