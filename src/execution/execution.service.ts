import { Inject, Injectable, Logger } from '@nestjs/common';
import { BackendRegistry } from '../assistant/assistant-backend.js';
import type { WriteNote } from '../assistant/writes/write-desk.js';
import { AuditLog } from '../audit/audit.log.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import type { Task } from '../domain/a2a.js';
import { DomainError, unavailable } from '../domain/errors.js';
import { TaskFold } from '../domain/fold.js';
import { DrainState } from '../health/drain-state.js';
import { metrics } from '../metrics/metrics.js';
import { RedisClock } from '../redis/redis.clock.js';
import { RedisInstanceStore, member, type RunHint } from '../store/redis-instance.store.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import { RunStores } from '../store/run-stores.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { logIdsOf } from '../tracing/log-ids.js';
import { AllowanceService } from './allowance.service.js';
import { textOf, turnOf } from './frozen-call.js';
import { HandedTasks } from './handed-tasks.js';
import { LeaseService } from './lease.service.js';
import { observeRun } from './observe-run.js';
import type { OwnedTask } from './owned-task.js';
import { RemoteEnds } from './remote-ends.js';
import { Run } from './run.js';
import { TaskEnder } from './task-ender.js';
import { UsageMeter } from './usage-meter.js';

interface Active {
  readonly run: Run;
  readonly done: Promise<Task | undefined>;
}

const TOO_MANY_PARKED = {
  state: 'TASK_STATE_FAILED',
  text: 'Too many open questions of this user; the oldest was dropped',
} as const;

/** The runs of this instance, from the moment it owns a task until the task is settled or lost. */
@Injectable()
export class ExecutionService {
  private readonly logger = new Logger(ExecutionService.name);
  private readonly active = new Map<string, Active>();
  /** Starts that hold a place but have no run yet. */
  private starting = 0;
  /** How many claims of each task are under way. */
  private readonly claims = new Map<string, number>();

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(BackendRegistry) private readonly backends: BackendRegistry,
    private readonly tenants: TenantDirectory,
    private readonly stores: RunStores,
    private readonly reader: RedisTaskReader,
    private readonly instances: RedisInstanceStore,
    private readonly lease: LeaseService,
    private readonly clock: RedisClock,
    private readonly ender: TaskEnder,
    private readonly drain: DrainState,
    private readonly handed: HandedTasks,
    private readonly usage: UsageMeter,
    private readonly allowances: AllowanceService,
    private readonly remotes: RemoteEnds,
    private readonly audit: AuditLog,
  ) {}

  get instance(): string {
    return this.lease.instance;
  }

  /** Redis' time, ms since the epoch. */
  now(): number {
    return this.clock.now();
  }

  get freePlaces(): number {
    return this.config.execution.maxRunsPerInstance - this.active.size - this.starting;
  }

  /** The runs of this instance, as hints. */
  runs(): { tenant: string; taskId: string; run: Run }[] {
    return [...this.active.values()].map(({ run }) => ({
      tenant: run.keys.ref.tenant,
      taskId: run.keys.ref.taskId,
      run,
    }));
  }

  runOf(tenant: string, taskId: string): Run | undefined {
    return this.active.get(member({ tenant, taskId }))?.run;
  }

  /** Resolves when the local run of a task is over; undefined when there is none. */
  settled(tenant: string, taskId: string): Promise<Task | undefined> | undefined {
    return this.active.get(member({ tenant, taskId }))?.done;
  }

  /**
   * Makes this instance the owner of a task by `claim` (a create, continue or take-over) and runs
   * it. The hint stands before the claim: if this process dies in between, another one finds the
   * task (design 5.4).
   * @param claim resolves to undefined when there is nothing to run (joined, lost the race). It is
   * given the hint's answer, to wait for it unless it writes on the same connection.
   * @throws DomainError UNAVAILABLE when the instance drains or is full.
   */
  async own(
    tenant: string,
    taskId: string,
    claim: (hinted: Promise<void>) => Promise<OwnedTask | undefined>,
  ): Promise<OwnedTask | undefined> {
    if (this.drain.draining) throw unavailable('This instance is shutting down; try again');
    if (this.freePlaces <= 0) {
      const quota = { quota: 'runs_instance' };
      throw unavailable('This instance is at its limit; try again', undefined, quota);
    }
    this.starting += 1;
    const hint = { tenant, taskId };
    let owned: OwnedTask | undefined;
    this.countClaim(hint, 1);
    try {
      const hinted = this.instances.addHint(this.instance, hint).catch((error: unknown) => {
        throw unavailable('The task store does not answer', error);
      });
      hinted.catch(() => undefined);
      if (!this.instances.hintsComeFirst) await hinted;
      owned = await claim(hinted);
    } catch (error) {
      // A refusal is certain. After anything else the claim may have been carried out all the same:
      // the hint stays, and the look at the own hints finds the task.
      const refused = error instanceof DomainError && error.code !== 'UNAVAILABLE';
      this.countClaim(hint, -1);
      if (refused) this.dropHint(hint);
      throw error;
    } finally {
      this.starting -= 1;
    }
    this.countClaim(hint, -1);
    if (owned === undefined) this.dropHint(hint);
    else this.start(owned);
    return owned;
  }

  /** Tells all runs to leave: they write nothing more and are taken over elsewhere. */
  async leaveAll(): Promise<void> {
    for (const { run } of this.active.values()) run.stop({ kind: 'leave' });
    await Promise.allSettled([...this.active.values()].map(({ done }) => done));
  }

  /** Resolves when no run is left, or after `ms`. */
  async idle(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (this.active.size + this.starting > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /**
   * Two claims of one task share its hint: the one that gets nothing must leave it to the other. Not
   * waited for: a hint that stays is found by the look at the own hints.
   */
  private dropHint(hint: RunHint): void {
    const name = member(hint);
    if (this.active.has(name) || this.claims.has(name)) return;
    this.instances.removeHint(this.instance, hint).catch(() => undefined);
  }

  private countClaim(hint: RunHint, by: 1 | -1): void {
    const name = member(hint);
    const count = (this.claims.get(name) ?? 0) + by;
    if (count > 0) this.claims.set(name, count);
    else this.claims.delete(name);
  }

  private start(owned: OwnedTask): void {
    const run = this.makeRun(owned);
    this.active.set(member(run.keys.ref), { run, done: this.execute(run, owned) });
    metrics.activeRuns.set(this.active.size);
  }

  /** Never rejects: whatever goes wrong ends the task, or leaves it to the look at the own hints. */
  private async execute(run: Run, owned: OwnedTask): Promise<Task | undefined> {
    const { ref } = run.keys;
    const { tenant, user } = ref;
    const usedBy = { tenant, user, generation: this.tenants.generationOf(tenant) };
    try {
      const { backend } = this.tenants.get(ref.tenant).assistant;
      const facts = { backend, instance: this.instance };
      const task = await observeRun(run, owned, facts).finally(() => {
        this.active.delete(member(ref));
        this.usage.add(usedBy, this.clock.now(), run.used);
        metrics.activeRuns.set(this.active.size);
      });
      if (task !== undefined || run.isFenced) this.dropHint(ref);
      if (task !== undefined && owned.attempt > 1) {
        void this.remotes.ofRun(run.keys, () => run.abandoned());
      }
      this.handed.announce(ref.tenant, run.aftermath?.handed ?? '');
      const evicted = run.aftermath?.evicted ?? '';
      if (evicted !== '') await this.ender.end(ref.tenant, evicted, TOO_MANY_PARKED);
      return task;
    } catch (error) {
      const { taskId } = ref;
      const ids = logIdsOf(owned.call.ctx);
      this.logger.error({ msg: 'a run broke off', err: error, ...ids, taskId });
      return undefined;
    }
  }

  private noteWrite({ keys, call }: OwnedTask, { step, outcome, detail }: WriteNote): void {
    const { tenant, user, taskId } = keys.ref;
    const { token, requestId } = call.ctx;
    const who = { tenant, actor: user, ...(token === undefined ? {} : { token }) };
    const what = { action: `write.${step}`, target: `task/${taskId}` };
    this.audit.note({ ...who, ...what, outcome, requestId, detail });
  }

  private makeRun(owned: OwnedTask): Run {
    const { keys, call } = owned;
    const { ref } = keys;
    return new Run(
      {
        turn: async () => {
          const past =
            owned.turn === 1 && call.leg === 1
              ? []
              : await this.reader.history(ref.tenant, ref.user, ref.contextId);
          return turnOf(call, { ...ref, turn: owned.turn }, owned.attempt, past);
        },
        number: owned.turn,
        text: textOf(call.message),
        attempt: owned.attempt,
        leg: call.leg,
        keys,
        owner: this.instance,
        epoch: owned.epoch,
        seq: owned.seq,
        fold: new TaskFold(owned.task),
        deadline: performance.now() + (owned.deadline - this.clock.now()),
        begun: owned.begun ?? [],
        allowance: this.allowances.of(call.ctx),
        note: (note) => {
          this.noteWrite(owned, note);
        },
      },
      this.backends.backendOf(ref.tenant),
      this.stores,
      this.tenants.limitsOf(ref.tenant),
      {
        leaseMs: this.lease.leaseMs,
        isFresh: () => this.lease.isFresh,
      },
      () => this.clock.now(),
      (error) => {
        this.logger.error({
          msg: 'the backend failed',
          err: error,
          ...logIdsOf(call.ctx),
          taskId: ref.taskId,
        });
      },
    );
  }
}
