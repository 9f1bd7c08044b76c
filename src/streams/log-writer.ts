import type { TenantLimits } from '../config/limits.js';
import type { StreamResponse, Task, TaskStateName } from '../domain/a2a.js';
import type { TaskFold } from '../domain/fold.js';
import { metrics, tenantLabel } from '../metrics/metrics.js';
import { resend } from '../redis/redis-errors.js';
import { ScriptCode } from '../redis/script-code.js';
import type { Outcome } from '../store/outcome.js';
import type { RedisLogStore, Settled } from '../store/redis-log.store.js';
import type { TaskKeys } from '../store/task-ref.js';
import { LogRepair, type Mended } from './log-repair.js';
import { type Batch, PendingEvents } from './pending-events.js';
import { lostBy, RunLostError } from './run-lost-error.js';

/** Deltas wait this long for others, so that a fast model costs 20 appends a second, not 200. */
const COALESCE_MS = 50;
/** … or until there are so many bytes. */
const COALESCE_BYTES = 4096;
/** A run may be so far ahead of Redis before its backend has to wait. */
const BUFFER_BYTES = 1024 * 1024;
/** … and Redis may be away so long before the run gives up (design 5.10). */
const OUTAGE_MS = 30_000;
const SNAPSHOT_BYTES = 64 * 1024;

export interface Settlement {
  readonly state: TaskStateName;
  readonly ts: number;
  readonly event: StreamResponse;
  readonly turn: string;
  readonly expects: '' | 'approval' | 'text';
  readonly parkMs: number;
}

/**
 * The one writer of a run's events. One batch is in flight at a time and frozen once sent, so a
 * timed-out command is sent again byte for byte (design 4.2); what comes in meanwhile is coalesced.
 * An append costs the same however long the task is; a snapshot is written when the log since the
 * last one has outgrown half of it (invariant 6).
 */
export class LogWriter {
  private readonly pending = new PendingEvents();
  private sending: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private lastSent = 0;
  private bytesSinceSnapshot = 0;
  private snapshotBytes = 0;
  private lost: RunLostError | undefined;
  private readonly repair: LogRepair;
  /** How often the log was started over. */
  private restarts = 0;
  private settling = false;

  constructor(
    private readonly store: RedisLogStore,
    private readonly keys: TaskKeys,
    private readonly limits: TenantLimits,
    /** This instance. */
    owner: string,
    readonly epoch: number,
    /** Head of the log as of `fold`. */
    private head: number,
    private readonly fold: TaskFold,
    private readonly hooks: {
      /** A cancel mark was seen in an append's reply. */
      readonly onCancel: (mark: string) => void;
      readonly onLost: (error: RunLostError) => void;
      /** Redis had lost a part of the log, which stands again; what else was lost is not. */
      readonly onMended: () => Promise<void>;
    },
  ) {
    const ttlMs = limits.taskTtlSeconds * 1000;
    this.repair = new LogRepair(store, keys, owner, epoch, ttlMs, OUTAGE_MS);
  }

  get seq(): number {
    return this.head;
  }

  /** The document as of the last acknowledged event. */
  task(): Task {
    return this.fold.task();
  }

  artifactIds(): readonly string[] {
    return this.fold.artifactIds();
  }

  /**
   * Queues an event; resolves when the backend may go on (at once, unless Redis is far behind).
   * @throws RunLostError
   */
  async push(event: StreamResponse, statusTs?: number): Promise<void> {
    this.check();
    this.pending.add(event, statusTs);
    if (this.pending.bytes >= COALESCE_BYTES) this.sendSoon(0);
    else this.sendSoon(COALESCE_MS - (performance.now() - this.lastSent));
    while (this.pending.bytes > BUFFER_BYTES) {
      this.check();
      await this.send();
    }
  }

  /** Resolves when all that was pushed is in the log. @throws RunLostError */
  async flush(): Promise<void> {
    while (this.sending !== undefined || !this.pending.isEmpty) {
      this.check();
      await this.send();
    }
    this.check();
  }

  /**
   * Writes what is pending, the settling event and the final snapshot, in one script where they fit.
   * @returns what else it changed: a parked task too many, a queued task that may start.
   * @throws RunLostError
   */
  async settle(settlement: Settlement): Promise<Settled> {
    while (this.sending !== undefined || !this.pending.fitsOneBatch) {
      this.check();
      await this.send();
    }
    this.check();
    clearTimeout(this.timer);
    this.settling = true;
    const batch = this.pending.takeBatch();
    for (const event of batch?.events ?? []) this.fold.apply(event);
    const open = this.fold.task();
    this.fold.apply(settlement.event);
    const last = JSON.stringify(settlement.event);
    const { restarts } = this;
    const args = {
      keys: this.keys,
      epoch: this.epoch,
      state: settlement.state,
      ts: settlement.ts,
      task: this.fold.task(),
      turn: settlement.turn,
      expects: settlement.expects,
      parkMs: settlement.parkMs,
      limits: this.limits,
    };
    const result = await this.insist(
      () => {
        // A log that was started over holds the batch already.
        const events = this.restarts > restarts ? [last] : [...(batch?.json ?? []), last];
        return this.store.settle({ ...args, expected: this.head, events });
      },
      () => open,
    );
    this.head = result.seq;
    metrics.tasksSettled.inc({
      state: settlement.state,
      tenant: tenantLabel(this.keys.ref.tenant),
    });
    return result;
  }

  /**
   * Redis was seen with a head behind one that it had acknowledged: mends that without waiting for
   * the run's next event. A write that is under way finds out by itself.
   */
  behind(found: number): void {
    const isBusy = this.sending !== undefined || this.settling || this.lost !== undefined;
    if (isBusy || found >= this.head) return;
    this.sending = this.mend(found, () => this.fold.task()).finally(() => {
      this.sending = undefined;
      if (this.lost === undefined && !this.pending.isEmpty) this.sendSoon(0);
    });
    this.sending.catch(() => undefined);
  }

  /** Stops sending; nothing that is pending will be written. */
  stop(): void {
    clearTimeout(this.timer);
    this.lost ??= new RunLostError('fenced');
  }

  private check(): void {
    if (this.lost !== undefined) throw this.lost;
  }

  private sendSoon(ms: number): void {
    if (this.sending !== undefined || this.timer !== undefined) return;
    // At least a turn of the event loop: what an instant backend yields goes in one batch.
    this.timer = setTimeout(() => void this.send().catch(() => undefined), Math.max(0, ms));
  }

  /** Sends one batch, or waits for the one in flight. */
  private send(): Promise<void> {
    if (this.sending !== undefined) return this.sending;
    clearTimeout(this.timer);
    this.timer = undefined;
    const batch = this.pending.takeBatch();
    if (batch === undefined) return Promise.resolve();
    this.lastSent = performance.now();
    this.sending = this.deliver(batch).finally(() => {
      this.sending = undefined;
      if (this.lost === undefined && !this.pending.isEmpty) {
        const due = this.pending.bytes >= COALESCE_BYTES;
        this.sendSoon(due ? 0 : COALESCE_MS - (performance.now() - this.lastSent));
      }
    });
    return this.sending;
  }

  private async deliver(batch: Batch): Promise<void> {
    const began = performance.now();
    const frozen = {
      epoch: this.epoch,
      ttlMs: this.limits.taskTtlSeconds * 1000,
      events: batch.json,
      statusTs: batch.statusTs,
    };
    const cancel = await this.insist(() =>
      this.store.append(this.keys, { ...frozen, expected: this.head }),
    );
    const { json: events, statusTs, bytes } = batch;
    this.repair.ring.add({ expected: this.head, events, statusTs, bytes });
    metrics.appendSeconds.observe((performance.now() - began) / 1000);
    this.head += batch.json.length;
    for (const event of batch.events) this.fold.apply(event);
    this.bytesSinceSnapshot += batch.bytes;
    if (cancel !== '') this.hooks.onCancel(cancel);
    if (this.bytesSinceSnapshot > Math.max(SNAPSHOT_BYTES, this.snapshotBytes / 2)) {
      await this.snapshot();
    }
  }

  private async snapshot(): Promise<void> {
    const task = this.fold.task();
    const ttlMs = this.limits.taskTtlSeconds * 1000;
    this.snapshotBytes = await this.insist(() =>
      this.store.saveSnapshot(this.keys, { seq: this.head, epoch: this.epoch }, task, ttlMs),
    );
    this.bytesSinceSnapshot = 0;
  }

  /**
   * Sends the same write until it is answered.
   * @param asOf the document that a log that has to start over begins with.
   * @throws RunLostError
   */
  private async insist<T>(
    write: () => Promise<Outcome<T>>,
    asOf: () => Task = () => this.fold.task(),
  ): Promise<T> {
    let result: Outcome<T>;
    try {
      result = await resend(write, { forMs: OUTAGE_MS });
    } catch (error) {
      throw this.lose(new RunLostError('outage', error));
    }
    if (result.ok) return result.value;
    // A staged snapshot that expired in a long outage is staged again.
    if (result.code === ScriptCode.StageGone) return this.insist(write, asOf);
    if (result.code === ScriptCode.Rewound && result.head !== undefined) {
      await this.mend(result.head, asOf);
      return this.insist(write, asOf);
    }
    throw this.lose(new RunLostError(lostBy(result.code)));
  }

  /** @throws RunLostError when the log can't be mended. */
  private async mend(found: number, asOf: () => Task): Promise<void> {
    let result: Outcome<Mended>;
    try {
      result = await this.repair.mend(found, this.head, asOf);
      if (result.ok) await this.hooks.onMended();
    } catch (error) {
      throw this.lose(new RunLostError('outage', error));
    }
    if (!result.ok) throw this.lose(new RunLostError(lostBy(result.code)));
    const { head, cancel } = result.value;
    if (head > this.head) this.restarts += 1;
    this.head = head;
    if (cancel !== '') this.hooks.onCancel(cancel);
  }

  private lose(error: RunLostError): RunLostError {
    if (this.lost === undefined) {
      this.lost = error;
      clearTimeout(this.timer);
      if (error.reason === 'fenced') metrics.fencedWrites.inc();
      this.hooks.onLost(error);
    }
    return this.lost;
  }
}
