import { randomBytes } from 'node:crypto';
import type {
  Deed,
  Looked,
  OperatorAnswer,
  OperatorRequest,
  WriteDesk,
  WriteNote,
} from '../assistant/writes/write-desk.js';
import type { BegunWrite, WritePlan } from '../assistant/writes/write-plan.js';
import { metrics } from '../metrics/metrics.js';
import { resend } from '../redis/redis-errors.js';
import { ScriptCode } from '../redis/script-code.js';
import type { RedisApprovalStore } from '../store/redis-approval.store.js';
import type { Effect, OpenEffect } from '../store/redis-effect.store.js';
import type { TaskKeys } from '../store/task-ref.js';
import { type Done, RunCalls } from './run-calls.js';
import type { RunEffects } from './run-effects.js';
import { RunLostError } from '../streams/run-lost-error.js';

const PATIENCE_MS = 10_000;
const POLL_MS = 400;
const RETRY_MS = 100;

export interface RunDeskOptions {
  readonly effects: RunEffects;
  readonly approvals: RedisApprovalStore;
  readonly keys: TaskKeys;
  readonly epoch: number;
  readonly leg: number;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** For how long an answer of Redis may be trusted: half a lease, ms. */
  readonly trustMs: number;
  /** Whether this instance has renewed its lease lately. */
  readonly isFresh: () => boolean;
  /** All that the run has said so far is in the log. @throws RunLostError */
  readonly flush: () => Promise<void>;
  /** Puts it into the audit. */
  readonly note: (note: WriteNote) => void;
  /** Somebody has canceled the task. */
  readonly onCancel: () => void;
  readonly now: () => number;
}

/** An open effect that can be looked for. */
export type BegunEffect = OpenEffect & Required<Pick<OpenEffect, 'plan'>>;

/** The writes of one run: each behind the fence, each recorded before and after. */
export class RunDesk implements WriteDesk {
  readonly calls: RunCalls;
  private count = 0;
  private inFlight: Promise<unknown> | undefined;
  /** Calls of others that may have changed something. */
  private readonly held = new Set<Promise<unknown>>();
  /** What was done, or may have been. */
  readonly deeds: Done[] = [];

  constructor(private readonly options: RunDeskOptions) {
    const { effects, leg, attempt } = options;
    this.calls = new RunCalls({
      ...{ effects, leg, attempt },
      intend: async (id, text) => {
        await options.flush();
        await this.intend(id, text);
      },
      deeds: this.deeds,
      hold: (work) => {
        this.held.add(work);
        void work.finally(() => this.held.delete(work));
      },
    });
  }

  async once(text: string, act: () => Promise<Deed>, plan?: BegunWrite): Promise<Deed> {
    if (this.inFlight !== undefined) throw new Error('bug: two deeds at once');
    const deed = this.perform(text, act, plan).finally(() => {
      this.inFlight = undefined;
    });
    this.inFlight = deed;
    return deed;
  }

  note(note: WriteNote): void {
    this.options.note(note);
  }

  async recall(): Promise<string | undefined> {
    const { effects, leg, attempt } = this.options;
    if (attempt === 1) return undefined;
    // The former owner is fenced: what it has not recorded by now, it never will.
    const id = `write-${leg}-${this.count + 1}`;
    return resend(() => effects.outcomeOf(id), { forMs: PATIENCE_MS });
  }

  /**
   * Has it looked what became of the writes of an earlier attempt. What was seen to be done is
   * recorded, so that this attempt is told of it where it would do it.
   * @returns those of which nobody knows, with what was seen instead.
   */
  async lookBack(
    begun: readonly BegunEffect[],
    look: (plans: readonly WritePlan[]) => Promise<readonly Looked[]>,
  ): Promise<readonly { readonly text: string; readonly seen?: string }[]> {
    if (begun.length === 0) return [];
    const entries = begun.map((effect) => {
      const entry: Done = { text: effect.text, outcome: 'unknown' };
      return { ...effect, entry };
    });
    this.deeds.push(...entries.map(({ entry }) => entry));
    const looked = await look(begun.map(({ plan, text }) => ({ ...plan, summary: text })));
    const open: { text: string; seen?: string }[] = [];
    for (const [n, { id, text, plan, entry }] of entries.entries()) {
      const seen = looked[n];
      this.note({
        step: 'effect',
        outcome: seen?.outcome === 'done' ? 'ok' : 'UNKNOWN',
        detail: `${plan.tool} looked for after a takeover: ${text}`,
      });
      if (seen?.outcome === 'done') {
        const marked = await this.mark({ id, phase: 'outcome', text: seen.text });
        if (!marked.ok) return this.refused(marked.code);
        entry.outcome = 'done';
      } else open.push({ text, ...(seen?.text === undefined ? {} : { seen: seen.text }) });
    }
    return open;
  }

  /** Resolves when no deed is under way, or after `ms`. A write that was begun is not broken off. */
  async idle(ms: number): Promise<void> {
    if (this.inFlight === undefined && this.held.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([Promise.allSettled([this.inFlight, ...this.held]), late]);
    clearTimeout(timer);
  }

  async askOperator(request: OperatorRequest, signal: AbortSignal): Promise<OperatorAnswer> {
    const answer = await this.waitForOperator(request, signal);
    metrics.approvals.inc({ approver: 'operator', outcome: answer.decision });
    return answer;
  }

  private async waitForOperator(
    request: OperatorRequest,
    signal: AbortSignal,
  ): Promise<OperatorAnswer> {
    const { approvals, keys, epoch, flush } = this.options;
    const { tenant, user, taskId } = keys.ref;
    await flush();
    const id = randomBytes(5).toString('hex');
    const opened = await resend(
      () => approvals.open(id, epoch, { tenant, user, taskId, ...request }),
      { forMs: PATIENCE_MS, signal },
    );
    if ('code' in opened) {
      if (opened.code === ScriptCode.TooManyApprovals) return { decision: 'full' };
      return this.refused(opened.code);
    }
    metrics.approvals.inc({ approver: 'operator', outcome: 'asked' });
    for (;;) {
      // Redis may be away for a moment; a decision is not lost by it.
      const said = await approvals.stateOf(tenant, id).catch(() => undefined);
      if (said !== undefined) return said;
      if (signal.aborted || this.options.now() >= opened.expires) break;
      await pause(POLL_MS, signal);
    }
    // From here on nobody can decide it any more; if somebody just has, that counts.
    const last = await resend(() => approvals.decide(tenant, id, 'expired', ''), {
      forMs: PATIENCE_MS,
    });
    signal.throwIfAborted();
    return last.ok ? { decision: last.decision, by: last.by } : { decision: 'expired' };
  }

  private async perform(
    text: string,
    act: () => Promise<Deed>,
    plan: BegunWrite | undefined,
  ): Promise<Deed> {
    const { options } = this;
    await options.flush();
    this.count += 1;
    const id = `write-${options.leg}-${this.count}`;
    const before = await this.intend(id, text, plan);
    if (before !== undefined) return { outcome: 'before', text: before };
    const entry: Done = { text, outcome: 'unknown' };
    this.deeds.push(entry);
    const deed = await act().catch((): Deed => ({ outcome: 'unknown', text }));
    if (deed.outcome === 'unknown' || deed.outcome === 'before') return deed;
    if (deed.outcome === 'done') entry.outcome = 'done';
    else this.deeds.splice(this.deeds.indexOf(entry), 1);
    await this.mark({ id, phase: 'outcome', text: deed.text }).catch(() => undefined);
    return deed;
  }

  /**
   * The fence. Its answer must be young, and the lease renewed, at the moment of the act: a process
   * that was stopped in between finds out here that its task is another's.
   * @returns what an earlier attempt did in its place.
   */
  private async intend(id: string, text: string, plan?: BegunWrite): Promise<string | undefined> {
    const { options } = this;
    for (;;) {
      options.signal.throwIfAborted();
      const asked = performance.now();
      const marked = await this.mark({
        ...{ id, phase: 'intent', text },
        ...(plan === undefined ? {} : { plan }),
      });
      if (!marked.ok) return this.refused(marked.code);
      if (marked.value.before !== undefined) return marked.value.before;
      const isYoung = performance.now() - asked < options.trustMs;
      if (isYoung && options.isFresh()) return undefined;
      await pause(RETRY_MS, options.signal);
    }
  }

  private mark(effect: Effect): ReturnType<RunEffects['mark']> {
    const { effects } = this.options;
    return resend(() => effects.mark(effect), { forMs: PATIENCE_MS });
  }

  private refused(code: number): never {
    if (code === ScriptCode.Canceled) {
      this.options.onCancel();
      throw new Error('canceled before the write');
    }
    throw new RunLostError(code === ScriptCode.StaleEpoch ? 'fenced' : 'ended');
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
