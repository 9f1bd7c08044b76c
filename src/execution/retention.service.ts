import { Injectable, Logger } from '@nestjs/common';
import type { TenantConfig } from '../config/config.types.js';
import { metrics } from '../metrics/metrics.js';
import { RedisClock } from '../redis/redis.clock.js';
import { RedisContextStore } from '../store/redis-context.store.js';
import { type KeptEntry, RedisRetentionStore } from '../store/redis-retention.store.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';

const USERS = 4;
const BATCH = 20;
/** Of one sweep; what is left is for the next heartbeat. */
const BUDGET_MS = 200;

/**
 * Deletes the oldest ended tasks of users who keep more than their tenant allows (design section 8),
 * in small steps. A user is held by one instance at a time, and a deletion that two instances try is
 * done once, so every instance may sweep.
 */
@Injectable()
export class RetentionService {
  private readonly logger = new Logger(RetentionService.name);
  /** The last sweep did not get to the end: the next heartbeat goes on. */
  isBehind = false;

  constructor(
    private readonly tenants: TenantDirectory,
    private readonly store: RedisRetentionStore,
    private readonly contexts: RedisContextStore,
    private readonly clock: RedisClock,
  ) {}

  /** @throws Error when Redis did not answer; the next sweep goes on. */
  async sweep(): Promise<void> {
    const until = performance.now() + BUDGET_MS;
    this.isBehind = false;
    for (const tenant of this.tenants.all()) {
      for (const user of await this.store.users(tenant.id, this.clock.now(), USERS)) {
        await this.retire(tenant, user, until);
        if (performance.now() < until) continue;
        this.isBehind = true;
        return;
      }
    }
  }

  private async retire(tenant: TenantConfig, user: string, until: number): Promise<void> {
    let count = 0;
    let gone: KeptEntry | undefined;
    do {
      const surplus = await this.store.surplus(tenant.id, user, tenant.limits, BATCH, gone);
      if (surplus.length === 0) break;
      const refs = await this.store.refs(tenant.id, user, surplus);
      gone = surplus.find((_entry, index) => refs[index] === undefined);
      for (const ref of refs) {
        if (ref !== undefined && (await this.contexts.deleteTask(ref)) === 'deleted') count += 1;
      }
    } while (performance.now() < until);
    metrics.tasksRetired.inc(count);
    if (count > 0) this.logger.log({ msg: 'retired ended tasks', tenant: tenant.id, count });
  }
}
