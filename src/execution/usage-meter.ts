import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { RedisUsageStore, USAGE_FIELDS, type Usage } from '../store/redis-usage.store.js';

/** What runs have used is written together, this often at most; a killed instance loses no more. */
const FLUSH_MS = 1000;
/** Users that wait for a Redis that is away. */
const MOST_WAITING = 10_000;

/** Whose use it is. */
export interface UsedBy {
  readonly tenant: string;
  /** Of the tenant when the run began: a later one of the same id pays nothing of it. */
  readonly generation: number;
  readonly user: string;
}

interface Waiting extends UsedBy {
  readonly at: number;
  readonly usage: Record<keyof Usage, number>;
}

/** Adds up what runs use, by tenant, user and day. For reports: not exact enough to refuse by. */
@Injectable()
export class UsageMeter implements BeforeApplicationShutdown {
  private readonly logger = new Logger(UsageMeter.name);
  private waiting = new Map<string, Waiting>();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly store: RedisUsageStore) {}

  /** @param at when it was used, ms since the epoch. */
  add(by: UsedBy, at: number, usage: Usage): void {
    if (USAGE_FIELDS.every((field) => usage[field] === 0)) return;
    const day = Math.floor(at / 86_400_000);
    const key = `${by.tenant}/${by.generation}/${day}/${by.user}`;
    const known = this.waiting.get(key);
    if (known === undefined && this.waiting.size >= MOST_WAITING) return;
    const entry = known ?? { ...by, at, usage: { ...usage } };
    if (known !== undefined) for (const field of USAGE_FIELDS) entry.usage[field] += usage[field];
    this.waiting.set(key, entry);
    if (!this.stopped) this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** While Redis is still connected; what it does not take now is lost. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop();
    await this.flush();
  }

  /** Writes nothing more by itself. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const batch = [...this.waiting.values()];
    this.waiting = new Map();
    for (const { at, usage, ...by } of batch) {
      try {
        await this.store.add(by.tenant, by.generation, by.user, at, usage);
      } catch (error) {
        this.logger.debug({ msg: 'usage waits for Redis', err: error });
        this.add(by, at, usage);
      }
    }
  }
}
