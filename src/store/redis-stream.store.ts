import { Injectable } from '@nestjs/common';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { ScriptCode } from '../redis/script-code.js';
import { asList, runScript } from '../redis/scripts.js';
import { ask } from './ask.js';

/** Longer than any stream: a run lasts a day at most. */
const KEPT_MS = 2 * 86_400_000;

/** Whose streams are counted, beside their tenant's. */
export interface StreamHolder {
  readonly kind: 'user' | 'token';
  readonly id: string;
}

/** What one instance holds open. */
export interface HeldStreams {
  readonly tenant: string;
  readonly holder: StreamHolder;
  readonly instance: string;
  readonly leaseMs: number;
  /** On this instance. */
  readonly ofTenant: number;
  readonly ofHolder: number;
}

export interface StreamTotals {
  /** On all instances. */
  readonly ofTenant: number;
  readonly ofHolder: number;
  /** False: this instance's counts had lapsed, so those of its other users may be gone. */
  readonly wasAlive: boolean;
}

/**
 * How many event streams each user, token and tenant holds open, over all instances: absolute counts of
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
    most?: { readonly ofTenant: number; readonly ofHolder: number },
  ): Promise<StreamTotals | 'holder' | 'tenant'> {
    const { tenant, holder, instance, leaseMs, ofTenant, ofHolder } = held;
    const { keys } = this;
    const ofKind = holder.kind === 'user' ? keys.userStreams : keys.tokenStreams;
    const names = [keys.streams(tenant), ofKind(tenant, holder.id)];
    const limits = [most?.ofTenant ?? -1, most?.ofHolder ?? -1];
    const args = [instance, leaseMs, ofTenant, ofHolder, ...limits, KEPT_MS];
    const reply = await this.run('hold-streams', names, args);
    if (reply[0] === ScriptCode.UserQuota) return 'holder';
    if (reply[0] === ScriptCode.TenantQuota) return 'tenant';
    return {
      ofTenant: Number(reply[1]),
      ofHolder: Number(reply[2]),
      wasAlive: reply[3] === 1,
    };
  }

  /** @returns false when the counts had lapsed. @throws DomainError UNAVAILABLE. */
  async renew(held: Omit<HeldStreams, 'holder' | 'ofHolder'>): Promise<boolean> {
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
    return asList(await ask(() => runScript(this.redis.reads, script, keys, args)));
  }
}
