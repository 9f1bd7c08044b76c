import { Injectable } from '@nestjs/common';
import { unavailable } from '../domain/errors.js';
import { Keys } from '../redis/keys.js';
import { isUncertain } from '../redis/redis-errors.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { ScriptCode } from '../redis/script-code.js';
import { asList, runScript } from '../redis/scripts.js';

/** Longer than any stream: a run lasts a day at most. */
const KEPT_MS = 2 * 86_400_000;

/** What one instance holds open. */
export interface HeldStreams {
  readonly tenant: string;
  readonly user: string;
  readonly instance: string;
  readonly leaseMs: number;
  /** On this instance. */
  readonly ofTenant: number;
  readonly ofUser: number;
}

export interface StreamTotals {
  /** On all instances. */
  readonly ofTenant: number;
  readonly ofUser: number;
  /** False: this instance's counts had lapsed, so those of its other users may be gone. */
  readonly wasAlive: boolean;
}

/**
 * How many event streams each user and tenant holds open, over all instances: absolute counts of
 * each instance under a lease, so that a command that is sent twice changes nothing and a dead
 * instance's counts vanish.
 */
@Injectable()
export class RedisStreamStore {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /**
   * @param most absent: the counts are set whatever they are.
   * @returns which limit the counts would pass; then nothing was set.
   * @throws DomainError UNAVAILABLE.
   */
  async hold(
    held: HeldStreams,
    most?: { readonly ofTenant: number; readonly ofUser: number },
  ): Promise<StreamTotals | 'user' | 'tenant'> {
    const { tenant, user, instance, leaseMs, ofTenant, ofUser } = held;
    const keys = [this.keys.streams(tenant), this.keys.userStreams(tenant, user)];
    const limits = [most?.ofTenant ?? -1, most?.ofUser ?? -1];
    const args = [instance, leaseMs, ofTenant, ofUser, ...limits, KEPT_MS];
    const reply = await this.run('hold-streams', keys, args);
    if (reply[0] === ScriptCode.UserQuota) return 'user';
    if (reply[0] === ScriptCode.TenantQuota) return 'tenant';
    return {
      ofTenant: Number(reply[1]),
      ofUser: Number(reply[2]),
      wasAlive: reply[3] === 1,
    };
  }

  /** @returns false when the counts had lapsed. @throws DomainError UNAVAILABLE. */
  async renew(held: Omit<HeldStreams, 'user' | 'ofUser'>): Promise<boolean> {
    const { tenant, instance, leaseMs, ofTenant } = held;
    const args = [instance, leaseMs, ofTenant, KEPT_MS];
    const [alive] = await this.run('renew-streams', [this.keys.streams(tenant)], args);
    return alive === 1;
  }

  private async run(
    script: 'hold-streams' | 'renew-streams',
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<readonly unknown[]> {
    try {
      return asList(await runScript(this.redis.reads, script, keys, args));
    } catch (error) {
      throw isUncertain(error) ? unavailable('The task store does not answer', error) : error;
    }
  }
}
