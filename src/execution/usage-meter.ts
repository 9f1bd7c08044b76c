import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { RedisUsageStore, USAGE_FIELDS, type Usage } from '../store/redis-usage.store.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';

/** What runs have used is written together, this often at most; a killed instance loses no more. */
const FLUSH_MS = 1000;
/** Users that wait for a Redis that is away. */
const MOST_WAITING = 10_000;

interface Waiting {
  readonly tenant: string;
  readonly user: string;
  readonly at: number;
  readonly usage: Record<keyof Usage, number>;
}

/** Adds up what runs use, by tenant, user and day. For reports: not exact enough to refuse by. */
@Injectable()
export class UsageMeter implements OnApplicationShutdown {
  private readonly logger = new Logger(UsageMeter.name);
  private waiting = new Map<string, Waiting>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: RedisUsageStore,
    private readonly directory: TenantDirectory,
  ) {}

  /** @param at when it was used, ms since the epoch. */
  add(tenant: string, user: string, at: number, usage: Usage): void {
    if (USAGE_FIELDS.every((field) => usage[field] === 0)) return;
    const day = Math.floor(at / 86_400_000);
    const key = `${tenant}/${day}/${user}`;
    const known = this.waiting.get(key);
    if (known === undefined && this.waiting.size >= MOST_WAITING) return;
    const entry = known ?? { tenant, user, at, usage: { ...usage } };
    if (known !== undefined) for (const field of USAGE_FIELDS) entry.usage[field] += usage[field];
    this.waiting.set(key, entry);
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const batch = [...this.waiting.values()];
    this.waiting = new Map();
    for (const { tenant, user, at, usage } of batch) {
      try {
        const generation = this.directory.generationOf(tenant);
        await this.store.add(tenant, generation, user, at, usage);
      } catch (error) {
        this.logger.debug({ msg: 'usage waits for Redis', err: error });
        this.add(tenant, user, at, usage);
      }
    }
  }
}
