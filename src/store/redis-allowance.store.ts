import { Injectable } from '@nestjs/common';
import { WHOSE, type Whose } from '../domain/limit.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { ScriptCode } from '../redis/script-code.js';
import { asList, runScript } from '../redis/scripts.js';
import type { Spendable } from './daily-limits.js';
import { dayOf } from './redis-usage.store.js';

/** Something that is used of a day's allowances. */
export interface Spending {
  readonly tenant: string;
  /** Of the tenant as the caller knows it: one that is deleted is not counted for. */
  readonly generation: number;
  readonly user: string;
  readonly token: string;
  readonly what: Exclude<Spendable, 'tasks'>;
  /** Below 0: something is given back. */
  readonly amount: number;
  /** By Redis, ms since the epoch. */
  readonly at: number;
  /** Of the token, the user and the tenant; 0: no limit. */
  readonly most: readonly [number, number, number];
}

/** What is spent of the allowances of a day (UTC), over all instances. */
@Injectable()
export class RedisAllowanceStore {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** Spends it, if nobody's allowance is passed. @returns whose is. @throws what Redis fails with. */
  async take(spending: Spending): Promise<Whose | undefined> {
    const [code, whose] = await this.run(spending, 1);
    return code === ScriptCode.DayOver ? (WHOSE[Number(whose) - 1] ?? 'tenant') : undefined;
  }

  /** What has been used is spent, allowed or not. @throws what Redis fails with. */
  async spend(spending: Spending): Promise<void> {
    await this.run(spending, 0);
  }

  private async run(spending: Spending, onlyIfAllowed: 0 | 1): Promise<readonly unknown[]> {
    const { tenant, generation, user, token, what, amount, at, most } = spending;
    const keys = [this.keys.meta(tenant), this.keys.spent(tenant, dayOf(at))];
    const args = [generation, what, token, user, amount, onlyIfAllowed, ...most];
    return asList(await runScript(this.redis.reads, 'spend-allowance', keys, args));
  }
}
