import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { RedisClock } from '../redis/redis.clock.js';
import { RedisInstanceStore } from '../store/redis-instance.store.js';

/**
 * This instance's own lease, and its right to judge others. A Redis that was frozen for two seconds
 * makes every peer look dead (seen 3 of 3), so an instance judges others only after its own
 * heartbeats have been answered without a pause for a full lease (design 5.4).
 */
@Injectable()
export class LeaseService {
  /** New with every process start: a restarted pod is another instance. */
  readonly instance = randomUUID();
  readonly leaseMs: number;
  private readonly periodMs: number;
  private lastBeat = 0;
  /** Since when heartbeats have been answered without a pause; performance.now(). */
  private steadySince = Number.POSITIVE_INFINITY;

  constructor(
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
    private readonly instances: RedisInstanceStore,
    private readonly clock: RedisClock,
  ) {
    this.leaseMs = config.execution.leaseMs;
    this.periodMs = Math.min(config.execution.heartbeatMs, config.execution.sweepMs);
  }

  get heartbeatMs(): number {
    return this.periodMs;
  }

  /** False once renewing is overdue: others may soon take this instance for dead (design 5.4). */
  get isFresh(): boolean {
    return performance.now() - this.lastBeat < this.leaseMs * 0.75;
  }

  /**
   * Renews the lease.
   * @returns the instances whose lease is over; none while this one may not judge.
   * @throws Error when Redis did not answer.
   */
  async beat(): Promise<string[]> {
    const wall = Date.now();
    let answer: { now: number; dead: string[] };
    try {
      answer = await this.instances.beat(this.instance, this.leaseMs);
    } catch (error) {
      this.steadySince = Number.POSITIVE_INFINITY;
      throw error;
    }
    this.clock.observe(answer.now, wall, Date.now());
    const ended = performance.now();
    // Frozen or cut off in between (this process or Redis): the count starts again.
    const paused = ended - this.lastBeat > this.periodMs + this.leaseMs / 2;
    if (paused || this.steadySince === Number.POSITIVE_INFINITY) this.steadySince = ended;
    this.lastBeat = ended;
    return ended - this.steadySince >= this.leaseMs
      ? answer.dead.filter((instance) => instance !== this.instance)
      : [];
  }

  async leave(): Promise<void> {
    await this.instances.leave(this.instance);
  }
}
