import type { AssistantBackend, Frame, Turn } from '../assistant/assistant-backend.js';
import type { WriteNote } from '../assistant/writes/write-desk.js';
import type { TenantLimits } from '../config/limits.js';
import type { JsonObject, Task, TaskStateName, TaskStatus } from '../domain/a2a.js';
import { jsonBytes } from '../domain/document-size.js';
import type { TaskFold } from '../domain/fold.js';
import type { StopReason } from '../domain/stop-reason.js';
import { isTerminal } from '../domain/task-state.js';
import { resend } from '../redis/redis-errors.js';
import { ScriptCode } from '../redis/script-code.js';
import type { Effect } from '../store/redis-effect.store.js';
import type { Settled } from '../store/redis-log.store.js';
import type { Usage } from '../store/redis-usage.store.js';
import type { RunStores } from '../store/run-stores.js';
import type { TaskKeys } from '../store/task-ref.js';
import { LogWriter } from '../streams/log-writer.js';
import { RunLostError } from '../streams/run-lost-error.js';
import type { Allowance } from './allowance.service.js';
import { Bridge, type ShownFrame } from './bridge.js';
import { canceledBy, ENDED, listDeeds, UNMARKED, isChinese, unsure } from './end-texts.js';
import { failRewound } from './fail-rewound.js';
import { FrameFitter, said } from './frame-fitter.js';
import type { RemoteTask } from './run-calls.js';
import { type BegunEffect, RunDesk } from './run-desk.js';
import { RunEffects } from './run-effects.js';
import { RunFiles } from './run-files.js';
import { RunMeter } from './run-meter.js';
import { RunStop } from './run-stop.js';
import { statusOf } from './status-of.js';

/** A question waits so long for its answer; then the task has failed (design 5.7). */
const PARK_MS = { approval: 30 * 60_000, text: 24 * 3600_000 - 60_000 } as const;

/** A write that was begun is given so long to end before the run is settled without its outcome. */
const WRITE_GRACE_MS = 6000;

/** A document that an earlier attempt has made so long is emptied before it is written again. */
const LEFTOVER_BYTES = 512 * 1024;

export interface RunSeed {
  /** Reads what the backend is given; called once, after WORKING. */
  readonly turn: () => Promise<Turn>;
  /** n9e's seq_id. */
  readonly number: number;
  readonly text: string;
  readonly attempt: number;
  readonly leg: number;
  readonly keys: TaskKeys;
  /** This instance, whose hint names the run. */
  readonly owner: string;
  readonly epoch: number;
  readonly seq: number;
  readonly fold: TaskFold;
  /** Until when, by the local monotonic clock (performance.now()). */
  readonly deadline: number;
  /** What an earlier attempt was about to do outside and did not report on; each with its plan. */
  readonly begun: readonly BegunEffect[];
  /** What may still be used today. */
  readonly allowance: Allowance;
  /** Puts what becomes of its writes into the audit. */
  readonly note: (note: WriteNote) => void;
}

/** This instance's hold on its tasks. */
export interface RunLease {
  readonly leaseMs: number;
  /** Whether it was renewed lately. */
  readonly isFresh: () => boolean;
}

interface Ending {
  readonly state: TaskStateName;
  readonly text?: string;
  readonly plan?: JsonObject;
  readonly expects: '' | 'approval' | 'text';
}

/** One attempt to execute a task on this instance, under one epoch. */
export class Run {
  private readonly halt = new RunStop();
  private readonly writer: LogWriter;
  private readonly bridge: Bridge;
  private readonly fitter: FrameFitter;
  private readonly files: RunFiles;
  private readonly effects: RunEffects;
  private readonly meter: RunMeter;
  private readonly began = performance.now();
  private firstToken: number | undefined;
  private readonly desk: RunDesk;
  /** An unmarked backend was started. */
  private mayHaveActed = false;
  /** What settling the task changed besides. */
  aftermath: Settled | undefined;

  constructor(
    private readonly seed: RunSeed,
    private readonly backend: AssistantBackend,
    private readonly stores: RunStores,
    private readonly limits: TenantLimits,
    lease: RunLease,
    private readonly now: () => number,
    private readonly logFailure: (error: unknown) => void,
  ) {
    const { taskId, contextId } = seed.keys.ref;
    this.bridge = new Bridge({
      taskId,
      contextId,
      leg: seed.leg,
      status: (text) => this.status('TASK_STATE_WORKING', text),
    });
    this.meter = new RunMeter(seed.allowance);
    this.fitter = new FrameFitter(seed.fold.task(), seed.leg);
    this.files = new RunFiles(stores.files, seed.keys, limits, seed.epoch);
    this.effects = new RunEffects(stores.effects, seed.keys, seed);
    this.desk = new RunDesk({
      effects: this.effects,
      approvals: stores.approvals,
      keys: seed.keys,
      epoch: seed.epoch,
      leg: seed.leg,
      attempt: seed.attempt,
      signal: this.halt.signal,
      trustMs: lease.leaseMs / 2,
      isFresh: lease.isFresh,
      flush: () => this.writer.flush(),
      note: seed.note,
      onCancel: () => {
        this.stop({ kind: 'cancel', mark: 'user' });
      },
      now,
    });
    const { keys, owner, epoch, seq, fold } = seed;
    this.writer = new LogWriter(stores.log, keys, limits, owner, epoch, seq, fold, {
      onCancel: (mark) => {
        this.stop({ kind: 'cancel', mark });
      },
      onLost: (error) => {
        this.halt.lose(error);
      },
      onMended: () => this.effects.markAgain(),
    });
  }

  get keys(): TaskKeys {
    return this.seed.keys;
  }

  /** The task belongs to another instance now, or has ended: its hint is not this one's any more. */
  get isFenced(): boolean {
    const { lost } = this.halt;
    return lost !== undefined && lost.reason !== 'outage' && lost.reason !== 'rewound';
  }

  get epoch(): number {
    return this.seed.epoch;
  }

  /** Milliseconds from its start to the first piece of the answer; undefined before that. */
  get firstTokenMs(): number | undefined {
    return this.firstToken;
  }

  /** What it has used so far. A task counts once, with the run that settles its first leg. */
  get used(): Usage {
    const counts = this.seed.leg === 1 && this.aftermath !== undefined;
    // One tells calls by its steps, another asks before each; most do both.
    const toolCalls = Math.max(this.meter.granted, this.bridge.toolsUsed);
    return { tasks: counts ? 1 : 0, toolCalls, ...this.meter.tokens };
  }

  /** Tasks at remotes that an earlier attempt has left behind and this one did not take up. */
  abandoned(): Promise<readonly RemoteTask[]> {
    return this.desk.calls.abandoned();
  }

  /** The document as of the last acknowledged event. */
  task(): Task {
    return this.writer.task();
  }

  /** Head of the log as Redis acknowledged it last. */
  get head(): number {
    return this.writer.seq;
  }

  /** A heartbeat saw the log end at `head`, which was acknowledged further: see LogWriter. */
  noticeHead(head: number): void {
    this.writer.behind(head);
  }

  /** See RunStop.tell. */
  stop(reason: StopReason): void {
    if (reason.kind === 'leave') this.writer.stop();
    this.halt.tell(reason);
  }

  /**
   * Runs to the end and settles the task.
   * @returns the settled document, or undefined when the run lost or left its task.
   */
  async execute(): Promise<Task | undefined> {
    const left = this.seed.deadline - performance.now();
    const timer = setTimeout(
      () => {
        this.stop({ kind: 'budget' });
      },
      Math.max(0, left),
    );
    try {
      const ending = await this.work();
      await this.settle(ending);
      return this.writer.task();
    } catch (error) {
      if (!(error instanceof RunLostError)) throw error;
      if (error.reason !== 'rewound') return undefined;
      const failed = await failRewound(this.stores, this.seed, this.limits, this.now());
      this.aftermath = failed?.settled;
      return failed?.task;
    } finally {
      clearTimeout(timer);
    }
  }

  private async work(): Promise<Ending> {
    const working = this.status('TASK_STATE_WORKING');
    const retry = this.seed.attempt > 1;
    await this.writer.push(
      {
        statusUpdate: {
          ...this.ids(),
          status: working,
          ...(retry ? { metadata: { 'nightjar.attempt': this.seed.attempt } } : {}),
        },
      },
      Date.parse(working.timestamp),
    );
    // What an earlier attempt left would take the room that this one needs for the same.
    if (retry && jsonBytes(this.writer.task()) > LEFTOVER_BYTES) await this.clearLeftovers();
    try {
      if (!this.backend.readOnly) await this.intend();
      const ending = await this.follow().finally(() => this.desk.idle(WRITE_GRACE_MS));
      return this.halt.reason === undefined ? ending : this.stopped(this.halt.reason);
    } catch (error) {
      if (error instanceof RunLostError) throw error;
      if (this.halt.lost !== undefined) throw this.halt.lost;
      if (this.halt.reason !== undefined) return this.stopped(this.halt.reason);
      this.logFailure(error);
      return { state: 'TASK_STATE_FAILED', text: ENDED.unknown, expects: '' };
    }
  }

  /** A backend that may write outside says so first: after a death it is not run again. */
  private async intend(): Promise<void> {
    await this.writer.flush();
    const effect: Effect = {
      id: `run-${this.seed.epoch}`,
      phase: 'intent',
      text: UNMARKED,
    };
    const result = await this.effects.mark(effect);
    if (result.ok) {
      this.mayHaveActed = true;
      return;
    }
    if (result.code === ScriptCode.Canceled) {
      this.stop({ kind: 'cancel', mark: 'user' });
      throw new Error('canceled before the first step');
    }
    throw new RunLostError(result.code === ScriptCode.StaleEpoch ? 'fenced' : 'ended');
  }

  private async follow(): Promise<Ending> {
    const { signal } = this.halt;
    const turn = await resend(this.seed.turn, { forMs: 30_000, signal });
    const open = await this.desk.lookBack(this.seed.begun, async (plans) => {
      return (await this.backend.lookBack?.(turn, plans, signal, this.desk)) ?? [];
    });
    if (open.length > 0) {
      const seen = open.flatMap(({ seen: text }) => text ?? []);
      const said = turn.answering?.question ?? turn.text;
      const chinese = isChinese({ ...turn, text: said });
      const lost = unsure(
        open.map((effect) => effect.text),
        chinese,
      );
      const text = [lost, ...seen].join(chinese ? '。' : '. ');
      return { state: 'TASK_STATE_FAILED', text, expects: '' };
    }
    const frames = this.backend.run(turn, signal, this.desk, this.meter)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const step = await this.halt.untilStopped(frames.next());
        if (step === 'stopped') break;
        if (step.done === true) return { state: 'TASK_STATE_COMPLETED', expects: '' };
        const ending = await this.take(step.value);
        if (ending !== undefined) return ending;
      }
      if (this.halt.lost !== undefined) throw this.halt.lost;
      return { state: 'TASK_STATE_CANCELED', expects: '' };
    } finally {
      // A backend that ignores the signal must not hold the task; nobody waits for its last words.
      frames.return?.().then(undefined, () => undefined);
    }
  }

  private async take(frame: Frame): Promise<Ending | undefined> {
    switch (frame.kind) {
      case 'content':
      case 'reason':
      case 'step':
      case 'artifact': {
        if (frame.kind === 'content') this.firstToken ??= performance.now() - this.began;
        for (const fitted of this.fitter.fit(frame)) await this.show(fitted);
        return undefined;
      }
      case 'memory':
        this.bridge.remember(frame.data);
        return undefined;
      case 'input_required':
        return {
          state: 'TASK_STATE_INPUT_REQUIRED',
          text: said(frame.question),
          expects: frame.expects,
          ...(frame.plan === undefined ? {} : { plan: frame.plan }),
        };
      case 'auth_required':
        return {
          state: 'TASK_STATE_AUTH_REQUIRED',
          text: said(frame.question),
          expects: 'text',
          ...(frame.plan === undefined ? {} : { plan: frame.plan }),
        };
      case 'reject':
        return { state: 'TASK_STATE_REJECTED', text: said(frame.reason), expects: '' };
      case 'fail':
        return { state: 'TASK_STATE_FAILED', text: said(frame.reason), expects: '' };
    }
  }

  private async show(frame: ShownFrame): Promise<void> {
    const light =
      frame.kind === 'artifact' ? { ...frame, parts: await this.files.keep(frame.parts) } : frame;
    for (const event of this.bridge.events(light)) {
      const ts =
        'statusUpdate' in event ? Date.parse(event.statusUpdate.status.timestamp) : undefined;
      await this.writer.push(event, ts);
    }
  }

  private stopped(reason: StopReason): Ending {
    switch (reason.kind) {
      case 'cancel': {
        const acted = this.mayHaveActed ? ' The assistant may have acted already.' : '';
        const text = `${canceledBy(reason.mark)}.${acted}${listDeeds(this.desk.deeds)}`;
        return { state: 'TASK_STATE_CANCELED', text, expects: '' };
      }
      case 'budget':
        const deeds = listDeeds(this.desk.deeds);
        const text = deeds === '' ? ENDED.budget : `${ENDED.budget}.${deeds}`;
        return { state: 'TASK_STATE_FAILED', text, expects: '' };
      case 'leave':
        throw this.halt.lost ?? new RunLostError('fenced');
    }
  }

  private async settle(ending: Ending): Promise<void> {
    for (const frame of this.fitter.rest()) await this.show(frame);
    if (ending.state === 'TASK_STATE_COMPLETED') {
      await this.writer.push(this.bridge.result(this.fitter.forResult));
    }
    if (this.seed.attempt > 1) {
      await this.writer.flush();
      await this.clearLeftovers();
    }
    const status = this.status(ending.state, ending.text, ending.plan);
    const history = {
      turn: this.seed.number,
      user: this.seed.text,
      complete: ending.state === 'TASK_STATE_COMPLETED',
      ...this.bridge.turn,
    };
    this.aftermath = await this.writer.settle({
      state: ending.state,
      ts: Date.parse(status.timestamp),
      event: { statusUpdate: { ...this.ids(), status } },
      turn: isTerminal(ending.state) ? JSON.stringify(history) : '',
      expects: ending.expects,
      parkMs: ending.expects === '' ? 0 : PARK_MS[ending.expects],
    });
  }

  private async clearLeftovers(): Promise<void> {
    const leftovers = this.bridge.superseded(this.writer.artifactIds());
    for (const event of leftovers) await this.writer.push(event);
  }

  private ids(): { taskId: string; contextId: string } {
    const { taskId, contextId } = this.seed.keys.ref;
    return { taskId, contextId };
  }

  private status(state: TaskStateName, text?: string, plan?: JsonObject): TaskStatus {
    return statusOf(state, this.now(), this.ids(), text, plan);
  }
}
