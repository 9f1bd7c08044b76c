import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { DrainState } from '../health/drain-state.js';
import { RedisClock } from '../redis/redis.clock.js';
import { type DueEntry, type PushClaim, RedisPushStore } from '../store/redis-push.store.js';
import { RedisLogStore } from '../store/redis-log.store.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { PushCourier } from './push-courier.js';
import { PushParts } from './push-parts.js';

/** A tenant where something was due lately is looked at this often … */
const HOT_MS = 100;
/** … for so long. */
const HOT_FOR_MS = 30_000;
/** One tenant's slow webhooks leave room for the others'. */
const TENANT_SHARE = 4;
/** A delivery in flight may end for so long after the instance was told to stop. */
const STOP_MS = 5000;

/**
 * Looks for what is due to webhooks and has it delivered: on every instance, each webhook by one of
 * them at a time. Stops taking more when the instance drains; what is left, others see at once.
 */
@Injectable()
export class PushSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Push');
  private readonly courier: PushCourier | undefined;
  private readonly stopping = new AbortController();
  private readonly cut = new AbortController();
  private readonly running = new Map<Promise<void>, string>();
  /** When a tenant had something due last; performance.now(). */
  private readonly seen = new Map<string, number>();
  private readonly looked = new Map<string, number>();
  private loop: Promise<void> | undefined;
  private wakeUp: (() => void) | undefined;

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly store: RedisPushStore,
    private readonly log: RedisLogStore,
    private readonly clock: RedisClock,
    private readonly drain: DrainState,
    private readonly parts: PushParts,
    private readonly directory: TenantDirectory,
  ) {
    this.courier = parts.courier;
  }

  onApplicationBootstrap(): void {
    if (this.courier === undefined) return;
    this.loop = this.run(this.courier);
    // A run here wrote: no need to wait for the next look, if the tenant has webhooks at all.
    this.log.onWrite = (tenant) => {
      if (this.seen.has(tenant)) this.wake(tenant);
    };
    this.drain.onDrain(() => {
      this.halt();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.halt();
    await this.loop;
    const timer = setTimeout(() => {
      this.cut.abort();
    }, STOP_MS);
    await Promise.allSettled(this.running.keys());
    clearTimeout(timer);
    await this.parts.close();
  }

  /** Something of this tenant may be due: it is looked at soon. */
  wake(tenant: string): void {
    if (this.courier === undefined) return;
    this.seen.set(tenant, performance.now());
    this.wakeUp?.();
  }

  private halt(): void {
    this.stopping.abort();
    this.wakeUp?.();
  }

  private async run(courier: PushCourier): Promise<void> {
    while (!this.stopping.signal.aborted) {
      let found = 0;
      try {
        found = await this.look(courier);
      } catch (error) {
        this.logger.debug({ err: error }, 'could not look for due webhooks');
      }
      if (found === 0) await this.pause(this.nextLookMs());
    }
  }

  /** How many entries were taken. */
  private async look(courier: PushCourier): Promise<number> {
    const concurrency = this.config.push?.concurrency ?? 0;
    const free = concurrency - this.running.size;
    if (free <= 0) return 0;
    const now = performance.now();
    const due = this.directory
      .all()
      .map(({ id }) => ({ tenant: id, most: Math.min(free, this.shareOf(id, concurrency)) }))
      .filter(
        ({ tenant, most }) =>
          most > 0 && now - (this.looked.get(tenant) ?? -Infinity) >= this.paceOf(tenant),
      );
    if (due.length === 0) return 0;
    due.forEach(({ tenant }) => this.looked.set(tenant, now));
    const entries = await this.store.due(due, this.clock.now());
    let taken = 0;
    for (const entry of entries) {
      this.seen.set(entry.tenant, now);
      if (this.running.size >= concurrency || this.stopping.signal.aborted) break;
      if (await this.take(courier, entry)) taken += 1;
    }
    // What became due by this is seen at the next look, which is then not long off.
    if (taken > 0) entries.forEach(({ tenant }) => this.looked.delete(tenant));
    return taken;
  }

  private async take(courier: PushCourier, entry: DueEntry): Promise<boolean> {
    const began = performance.now();
    const claim = await this.store.claim(entry, randomUUID(), courier.claimMs);
    if (claim === 'nothing') return false;
    if (claim !== 'spread') this.start(courier, claim, began);
    return true;
  }

  private start(courier: PushCourier, claim: PushClaim, began: number): void {
    const work = courier
      .deliver(claim, began, this.stopping.signal, this.cut.signal)
      .catch((error: unknown) => {
        this.logger.warn(
          { err: error, tenant: claim.tenant, task: claim.taskId },
          'a delivery broke off',
        );
      })
      .finally(() => {
        this.running.delete(work);
        this.wakeUp?.();
      });
    this.running.set(work, claim.tenant);
  }

  private shareOf(tenant: string, concurrency: number): number {
    let busy = 0;
    for (const of of this.running.values()) if (of === tenant) busy += 1;
    return Math.max(1, Math.ceil(concurrency / TENANT_SHARE)) - busy;
  }

  private paceOf(tenant: string): number {
    const { pollMs = 0 } = this.config.push ?? {};
    const lately = performance.now() - (this.seen.get(tenant) ?? -Infinity) < HOT_FOR_MS;
    return lately ? Math.min(HOT_MS, pollMs) : pollMs;
  }

  private nextLookMs(): number {
    const now = performance.now();
    const waits = this.directory
      .all()
      .map(({ id }) => (this.looked.get(id) ?? -Infinity) + this.paceOf(id) - now);
    // Not less, so that a full house or a Redis that is away makes no busy loop.
    return Math.max(20, Math.min(this.config.push?.pollMs ?? 1000, ...waits));
  }

  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = undefined;
  }
}
