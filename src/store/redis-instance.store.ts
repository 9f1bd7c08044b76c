import { Injectable } from '@nestjs/common';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { asList, runScript } from '../redis/scripts.js';

/** A run as a hint names it: `<tenant>/<task id>`; tenant ids hold no slash. */
export interface RunHint {
  readonly tenant: string;
  readonly taskId: string;
}

/** What an owner must know of its runs in each heartbeat. */
export interface RunMark {
  readonly epoch: number;
  readonly cancel: string;
  /** Head of the log. */
  readonly seq: number;
}

/**
 * Who is alive and what each instance says it runs. Hints only: they are written before a task is
 * created or taken over and removed last, so a run without a hint does not exist; the epoch decides.
 */
@Injectable()
export class RedisInstanceStore {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** Renews the lease; times in ms by Redis. */
  async beat(instance: string, leaseMs: number): Promise<{ now: number; dead: string[] }> {
    const args = [instance, leaseMs];
    const reply = await runScript(
      this.redis.control,
      'beat-instance',
      [this.keys.instances()],
      args,
    );
    const [now, dead] = asList(reply);
    return { now: Number(now), dead: asList(dead).map(String) };
  }

  /** Ends the own lease at once: what is still in the hints is handed over, not lost. */
  async leave(instance: string): Promise<void> {
    await this.redis.control.zadd(this.keys.instances(), 0, instance);
  }

  /** True for an instance that left by itself. */
  async hasLeft(instance: string): Promise<boolean> {
    return (await this.redis.control.zscore(this.keys.instances(), instance)) === '0';
  }

  async isAlive(instance: string, leaseMs: number, now: number): Promise<boolean> {
    if (instance === '') return false;
    const beat = await this.redis.control.zscore(this.keys.instances(), instance);
    return beat !== null && now - Number(beat) < leaseMs;
  }

  /** Nothing of a dead instance is left to do. */
  async forget(instance: string): Promise<void> {
    await this.redis.control.zrem(this.keys.instances(), instance);
  }

  /**
   * Sent on the connection of creates and continues, which therefore come after it without waiting
   * for its answer; in a Cluster, where it may be another server's, whoever claims must wait for it.
   */
  async addHint(instance: string, hint: RunHint): Promise<void> {
    await this.redis.reads.sadd(this.keys.runs(instance), member(hint));
  }

  /** True when what is sent after `addHint`, as its comment says, also runs after it. */
  get hintsComeFirst(): boolean {
    return this.redis.ordered;
  }

  async removeHint(instance: string, hint: RunHint): Promise<void> {
    await this.redis.reads.srem(this.keys.runs(instance), member(hint));
  }

  async hints(instance: string): Promise<RunHint[]> {
    const members = await this.redis.control.smembers(this.keys.runs(instance));
    return members.map((text) => {
      const slash = text.indexOf('/');
      return { tenant: text.slice(0, slash), taskId: text.slice(slash + 1) };
    });
  }

  /** Epoch, cancel mark and head of the own runs, in their order; undefined for a task that is gone. */
  async marks(runs: readonly RunHint[]): Promise<(RunMark | undefined)[]> {
    const replies = await Promise.all(
      runs.map(({ tenant, taskId }) =>
        this.redis.control.hmget(this.keys.task(tenant, taskId), 'epoch', 'cancel', 'seq'),
      ),
    );
    return replies.map(([epoch, cancel, seq]) =>
      typeof epoch !== 'string'
        ? undefined
        : { epoch: Number(epoch), cancel: cancel ?? '', seq: Number(seq) },
    );
  }

  /** Tells an instance to look at a task at once: somebody wants it canceled. */
  async signal(instance: string, hint: RunHint): Promise<void> {
    await this.redis.control.publish(this.keys.signals(instance), member(hint));
  }

  /** Listens for signals to this instance; resolves once Redis has confirmed it. */
  async onSignal(instance: string, listener: (hint: string) => void): Promise<void> {
    const channel = this.keys.signals(instance);
    this.redis.subscriber.onMessage((from, message) => {
      if (from === channel) listener(message);
    });
    await this.redis.subscriber.subscribe(channel);
  }
}

export function member(hint: RunHint): string {
  return `${hint.tenant}/${hint.taskId}`;
}
