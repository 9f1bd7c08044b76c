import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { type CallContext, countedToken } from '../domain/call-context.js';
import type { DomainError } from '../domain/errors.js';
import type { Whose } from '../domain/limit.js';
import { limitReached } from '../domain/limit-refusal.js';
import { LeaseService } from '../execution/lease.service.js';
import {
  RedisStreamStore,
  type StreamHolder,
  type StreamTotals,
} from '../store/redis-stream.store.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';

const RETRY_SECONDS = 5;

/** So long the totals of the last answer are taken for true, where they are far below the limit. */
const FRESH_MS = 1000;
/** Far below: a quarter of it. */
const FAR = 4;

interface OpenStreams {
  readonly tenant: string;
  readonly holder: StreamHolder;
  /** Open on this instance. */
  count: number;
  /** On the other instances, when Redis last told; performance.now(). */
  others: { readonly at: number; readonly ofTenant: number; readonly ofHolder: number } | undefined;
  /** Redis does not know `count` yet. */
  unsaid: boolean;
}

/**
 * The places of open streams: so many a user and a tenant, over all instances (design section 8),
 * and a token where the tenant limits that. A stream waits for Redis only where the limit may be
 * near: a user's first one in a while, or one beyond a quarter of a limit. All others are told to
 * Redis beside their own work, once a turn of the event loop for each user, and so are streams that
 * end.
 */
@Injectable()
export class StreamPlaces implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(StreamPlaces.name);
  private readonly holders = new Map<string, OpenStreams>();
  private readonly tenantCounts = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private telling: Promise<void> | undefined;

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly tenants: TenantDirectory,
    private readonly store: RedisStreamStore,
    private readonly lease: LeaseService,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.beat(), this.config.execution.heartbeatMs);
    this.timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.tell();
  }

  /**
   * Takes a place.
   * @returns a function that gives it back; idempotent.
   * @throws DomainError QUOTA, PERMISSION_DENIED; UNAVAILABLE when Redis has to be asked and is away.
   */
  async take(ctx: CallContext): Promise<() => void> {
    const { tenant, user } = ctx;
    const token = countedToken(ctx);
    const limits = this.tenants.limitsOf(tenant);
    const giveBack = await this.takeOf(tenant, { kind: 'user', id: user }, limits.streamsPerUser);
    if (limits.streamsPerToken === 0 || token === '') return giveBack;
    try {
      const holder: StreamHolder = { kind: 'token', id: token };
      const alsoGiveBack = await this.takeOf(tenant, holder, limits.streamsPerToken);
      return () => {
        alsoGiveBack();
        giveBack();
      };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  private async takeOf(
    tenant: string,
    holder: StreamHolder,
    ofHolder: number,
  ): Promise<() => void> {
    const ofTenant = this.tenants.limitsOf(tenant).streamsPerTenant;
    const open = this.openOf(tenant, holder);
    this.add(open, 1);
    if (this.isFar(open, ofHolder, ofTenant)) this.tellSoon(open);
    else {
      try {
        const totals = await this.store.hold(this.heldBy(open), { ofTenant, ofHolder });
        if (totals === 'tenant') throw tooMany('tenant', ofTenant);
        if (totals === 'holder') throw tooMany(holder.kind, ofHolder);
        this.learn(open, totals);
      } catch (error) {
        this.add(open, -1);
        // Another take may have counted this one in.
        this.tellSoon(open);
        throw error;
      }
    }
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.add(open, -1);
      this.tellSoon(open);
    };
  }

  private isFar(
    { tenant, count, others }: OpenStreams,
    ofHolder: number,
    ofTenant: number,
  ): boolean {
    if (others === undefined || performance.now() - others.at > FRESH_MS) return false;
    const tenantCount = this.tenantCounts.get(tenant) ?? 0;
    return (
      (others.ofHolder + count) * FAR <= ofHolder &&
      (others.ofTenant + tenantCount) * FAR <= ofTenant
    );
  }

  private openOf(tenant: string, holder: StreamHolder): OpenStreams {
    const name = nameOf(tenant, holder);
    const known = this.holders.get(name);
    if (known !== undefined) return known;
    const made: OpenStreams = { tenant, holder, count: 0, others: undefined, unsaid: false };
    this.holders.set(name, made);
    return made;
  }

  private add(open: OpenStreams, by: 1 | -1): void {
    open.count += by;
    // It may have been forgotten meanwhile.
    this.holders.set(nameOf(open.tenant, open.holder), open);
    // A token's streams are its user's, who counts them for the tenant.
    if (open.holder.kind === 'token') return;
    const ofTenant = (this.tenantCounts.get(open.tenant) ?? 0) + by;
    if (ofTenant > 0) this.tenantCounts.set(open.tenant, ofTenant);
    else this.tenantCounts.delete(open.tenant);
  }

  private tellSoon(open: OpenStreams): void {
    open.unsaid = true;
    if (this.telling !== undefined) return;
    this.telling = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.telling = undefined;
      return this.tell();
    });
  }

  /** Tells Redis what it does not know. What fails is told with the next beat. */
  private async tell(): Promise<void> {
    const unsaid = [...this.holders.values()].filter((open) => open.unsaid);
    await Promise.all(
      unsaid.map(async (open) => {
        open.unsaid = false;
        try {
          const totals = await this.store.hold(this.heldBy(open));
          if (typeof totals !== 'string') this.learn(open, totals);
        } catch (error) {
          open.unsaid = true;
          this.logger.debug(`open streams were not told: ${String(error)}`);
        }
      }),
    );
  }

  private learn(open: OpenStreams, totals: StreamTotals): void {
    const tenantCount = this.tenantCounts.get(open.tenant) ?? 0;
    open.others = {
      at: performance.now(),
      ofTenant: Math.max(0, totals.ofTenant - tenantCount),
      ofHolder: Math.max(0, totals.ofHolder - open.count),
    };
    if (!totals.wasAlive) this.retellAll(open.tenant, open);
  }

  /** The counts had lapsed: whoever saw that may have removed some of them. */
  private retellAll(tenant: string, but?: OpenStreams): void {
    for (const open of this.holders.values()) {
      if (open.tenant === tenant && open !== but && open.count > 0) this.tellSoon(open);
    }
  }

  private async beat(): Promise<void> {
    const { leaseMs } = this.config.execution;
    const { instance } = this.lease;
    for (const [name, open] of this.holders) {
      const stale = performance.now() - (open.others?.at ?? 0) > FRESH_MS;
      if (open.count === 0 && !open.unsaid && stale) this.holders.delete(name);
    }
    const renewals = [...this.tenantCounts].map(async ([tenant, ofTenant]) => {
      const alive = await this.store.renew({ tenant, instance, leaseMs, ofTenant });
      if (!alive) this.retellAll(tenant);
    });
    const settled = await Promise.allSettled([...renewals, this.tell()]);
    settled.forEach((outcome) => {
      if (outcome.status === 'rejected') {
        this.logger.debug(`counts of open streams were not renewed: ${String(outcome.reason)}`);
      }
    });
  }

  private heldBy({ tenant, holder, count }: OpenStreams): Parameters<RedisStreamStore['hold']>[0] {
    return {
      ...{ tenant, holder, instance: this.lease.instance },
      leaseMs: this.config.execution.leaseMs,
      ofTenant: this.tenantCounts.get(tenant) ?? 0,
      ofHolder: count,
    };
  }
}

function nameOf(tenant: string, { kind, id }: StreamHolder): string {
  return `${tenant}/${kind}/${id}`;
}

function tooMany(whose: Whose, quota: number): DomainError {
  return limitReached('streams', whose, { quota }, RETRY_SECONDS);
}
