import { Inject, Injectable, Logger } from '@nestjs/common';
import { BackendRegistry } from '../assistant/assistant-backend.js';
import { DomainError } from '../domain/errors.js';
import { isSettled } from '../domain/task-state.js';
import { metrics } from '../metrics/metrics.js';
import { RedisInstanceStore, type RunHint } from '../store/redis-instance.store.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import { RedisTaskStore, type TakenOver } from '../store/redis-task.store.js';
import type { TaskRecord } from '../store/task-record.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { ExecutionService, type OwnedTask } from './execution.service.js';
import type { FrozenCall } from './frozen-call.js';
import { canceled, ENDED, unsure } from './run.js';
import { TaskEnder, type Verdict } from './task-ender.js';

/** Runs of a dead instance that are looked at in one go. */
const BATCH = 20;
/** After so many deaths of its owners a run is given up: it must not kill the fleet. */
const MOST_DEATHS = 2;

const failed = (text: string): Verdict => ({ state: 'TASK_STATE_FAILED', text });

/** Continues what dead or leaving instances were running (design 5.5). */
@Injectable()
export class TakeoverService {
  private readonly logger = new Logger(TakeoverService.name);

  constructor(
    @Inject(BackendRegistry) private readonly backends: BackendRegistry,
    private readonly execution: ExecutionService,
    private readonly instances: RedisInstanceStore,
    private readonly store: RedisTaskStore,
    private readonly reader: RedisTaskReader,
    private readonly ender: TaskEnder,
    private readonly tenants: TenantDirectory,
  ) {}

  /** @throws Error when Redis did not answer; the next look goes on. */
  async takeOverFrom(dead: string): Promise<void> {
    const hints = await this.instances.hints(dead);
    if (hints.length === 0) {
      await this.instances.forget(dead);
      return;
    }
    const why = (await this.instances.hasLeft(dead)) ? 'handover' : 'death';
    for (const hint of hints.slice(0, BATCH)) {
      if (this.execution.freePlaces <= 0) return;
      await this.take(dead, hint, why);
    }
  }

  private async take(dead: string, hint: RunHint, why: 'death' | 'handover'): Promise<void> {
    const { tenant, taskId } = hint;
    const record = await this.reader.read(tenant, '', taskId);
    const orphan =
      record !== undefined &&
      record.head.owner === dead &&
      !isSettled(record.head.state) &&
      this.tenants.has(tenant);
    if (orphan) {
      try {
        await this.execution.own(tenant, taskId, async (hinted) => {
          await hinted;
          return this.claim(hint, record, why);
        });
      } catch (error) {
        // Draining or full: somebody else, or the next look.
        if (error instanceof DomainError && error.code === 'UNAVAILABLE') return;
        throw error;
      }
    }
    await this.instances.removeHint(dead, hint);
  }

  private async claim(
    hint: RunHint,
    seen: TaskRecord,
    why: 'death' | 'handover',
  ): Promise<OwnedTask | undefined> {
    const { tenant, taskId } = hint;
    const me = this.execution.instance;
    const taken = await this.store.takeOver(tenant, taskId, seen.head.epoch, me, why);
    if (!taken.ok) return undefined;
    metrics.takeovers.inc();
    const effects =
      taken.value.openEffects > 0 ? await this.reader.openEffects(tenant, taskId) : [];
    const verdict = this.judge(tenant, taken.value, effects);
    const { epoch, attempt } = taken.value;
    this.logger.warn({ msg: 'took over a run', tenant, taskId, epoch, attempt, verdict });
    if (verdict !== undefined) {
      await this.ender.settle(tenant, taskId, epoch, verdict);
      return undefined;
    }
    // The former owner is fenced now: this is the last word of its run.
    const record = await this.reader.read(tenant, '', taskId);
    if (record === undefined) return undefined;
    const { head, cursor, task } = record;
    const call = JSON.parse(head.call) as FrozenCall;
    const ref = {
      tenant,
      taskId,
      user: head.user,
      contextId: head.contextId,
      messageId: call.messageId,
    };
    const { deadline } = taken.value;
    const keys = this.store.keysOf(ref);
    return { keys, call, turn: head.turn, attempt, epoch, seq: cursor.seq, task, deadline };
  }

  /** Undefined: run it again. */
  private judge(tenant: string, taken: TakenOver, effects: readonly string[]): Verdict | undefined {
    if (taken.cancel !== '') return { state: 'TASK_STATE_CANCELED', text: canceled(effects) };
    if (taken.openEffects > 0) return failed(unsure(effects));
    if (taken.now >= taken.deadline) return failed(ENDED.budget);
    if (taken.deaths > MOST_DEATHS) return failed(ENDED.poison);
    if (this.tenants.get(tenant).takeover === 'fail') return failed(ENDED.died);
    // A backend that could not be loaded here could elsewhere, but a task must not wander.
    try {
      this.backends.backendOf(tenant);
      return undefined;
    } catch {
      return failed(ENDED.died);
    }
  }
}
