import type { Task } from '../domain/a2a.js';
import { metrics } from '../metrics/metrics.js';
import { resend } from '../redis/redis-errors.js';
import { ScriptCode } from '../redis/script-code.js';
import type { Outcome } from '../store/outcome.js';
import type { RedisLogStore } from '../store/redis-log.store.js';
import type { TaskKeys } from '../store/task-ref.js';
import { EventRing } from './event-ring.js';

/** A Redis that loses data again while the loss is being mended. */
const TRIES = 5;

export interface Mended {
  /** Head of the log. */
  readonly head: number;
  /** Told by the script when the task is to be canceled; else empty. */
  readonly cancel: string;
}

/**
 * Mends the log of a run after a fail-over that lost acknowledged events (design invariant 5): the
 * same events again, with the same seqs, from the ring; or, where the ring is too short, a log that
 * starts over with the task as a whole. Only for the task's owner as Redis knows it.
 */
export class LogRepair {
  readonly ring = new EventRing();

  constructor(
    private readonly store: RedisLogStore,
    private readonly keys: TaskKeys,
    private readonly owner: string,
    private readonly epoch: number,
    private readonly ttlMs: number,
    private readonly patienceMs: number,
  ) {}

  /**
   * @param head of the log, as Redis has it.
   * @param acknowledged the head that Redis had once.
   * @param asOf the document to start over with.
   * @returns the refusal's code when the log can't be mended.
   * @throws Error when Redis did not answer.
   */
  async mend(head: number, acknowledged: number, asOf: () => Task): Promise<Outcome<Mended>> {
    let found = head;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      // Another instance may have claimed the task under the same epoch, when the claim got lost.
      const owner = await this.insist(() => this.store.ownerOf(this.keys));
      if (owner !== this.owner) return { ok: false, code: ScriptCode.StaleEpoch };
      const result = await this.try(found, acknowledged, asOf);
      if (result.ok || result.code !== ScriptCode.Rewound) return result;
      if (result.head === acknowledged) {
        return { ok: true, value: { head: acknowledged, cancel: '' } };
      }
      found = result.head ?? found;
    }
    return { ok: false, code: ScriptCode.Rewound };
  }

  private async try(
    head: number,
    acknowledged: number,
    asOf: () => Task,
  ): Promise<Outcome<Mended>> {
    const missing = this.ring.after(head);
    if (missing === undefined) return this.startOver(head, acknowledged, asOf());
    let cancel = '';
    for (const { expected, events, statusTs } of missing) {
      const { epoch, ttlMs } = this;
      const batch = { epoch, expected, ttlMs, events, statusTs };
      const result = await this.insist(() => this.store.append(this.keys, batch));
      if (!result.ok) return result;
      cancel = result.value;
    }
    metrics.logRepairs.inc({ how: 'appended' });
    return { ok: true, value: { head: acknowledged, cancel } };
  }

  private async startOver(found: number, before: number, task: Task): Promise<Outcome<Mended>> {
    const { epoch, ttlMs } = this;
    const args = { epoch, found, before, ttlMs, task };
    for (;;) {
      const result = await this.insist(() => this.store.restartLog(this.keys, args));
      if (!result.ok && result.code === ScriptCode.StageGone) continue;
      if (!result.ok) return result;
      metrics.logRepairs.inc({ how: 'started_over' });
      return { ok: true, value: { head: before + 1, cancel: result.value } };
    }
  }

  private insist<T>(ask: () => Promise<T>): Promise<T> {
    return resend(ask, { forMs: this.patienceMs });
  }
}
