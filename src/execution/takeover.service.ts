import { Inject, Injectable, Logger } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { BackendRegistry } from '../assistant/assistant-backend.js';
import { SUSPENDED } from '../domain/cancel-mark.js';
import { DomainError } from '../domain/errors.js';
import { isSettled } from '../domain/task-state.js';
import { metrics } from '../metrics/metrics.js';
import { RedisInstanceStore, type RunHint } from '../store/redis-instance.store.js';
import { type OpenEffect, RedisEffectStore } from '../store/redis-effect.store.js';
import { RedisOwnerStore, type TakenOver } from '../store/redis-owner.store.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import type { TaskRecord } from '../store/task-record.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { logIdsOf } from '../tracing/log-ids.js';
import { ExecutionService } from './execution.service.js';
import type { FrozenCall } from './frozen-call.js';
import { canceled, ENDED, unsure } from './end-texts.js';
import type { OwnedTask } from './owned-task.js';
import type { BegunEffect } from './run-desk.js';
import { TaskEnder, type Verdict } from './task-ender.js';

/** Runs of a dead instance that are taken in one go. */
const BATCH = 20;
/** Between two batches; every instance another time, so that none takes all and Redis breathes. */
const PAUSE_MS = { least: 250, most: 1250 } as const;
/** After so many deaths of its owners a run is given up: it must not kill the fleet. */
const MOST_DEATHS = 2;

const failed = (text: string): Verdict => ({ state: 'TASK_STATE_FAILED', text });

/** Continues what dead or leaving instances were running (design 5.5). */
@Injectable()
export class TakeoverService {
  private readonly logger = new Logger(TakeoverService.name);
  /** When the next batch of a dead instance's runs may be taken; performance.now(). */
  private readonly nextBatch = new Map<string, number>();

  constructor(
    @Inject(BackendRegistry) private readonly backends: BackendRegistry,
    private readonly execution: ExecutionService,
    private readonly instances: RedisInstanceStore,
    private readonly owners: RedisOwnerStore,
    private readonly effects: RedisEffectStore,
    private readonly reader: RedisTaskReader,
    private readonly ender: TaskEnder,
    private readonly tenants: TenantDirectory,
  ) {}

  /**
   * Takes up to 20 runs: the first ones at once, the next after a jittered pause, and only as many as
   * this instance has places for; the others are somebody else's.
   * @throws Error when Redis did not answer; the next look goes on.
   */
  async takeOverFrom(dead: string): Promise<void> {
    if (performance.now() < (this.nextBatch.get(dead) ?? 0)) return;
    const hints = await this.instances.hints(dead);
    if (hints.length === 0) {
      await this.instances.forget(dead);
      this.nextBatch.delete(dead);
      return;
    }
    const why = (await this.instances.hasLeft(dead)) ? 'handover' : 'death';
    // Each survivor begins somewhere else: those who begin alike race for the same runs.
    const from = randomInt(hints.length);
    const batch = [...hints.slice(from), ...hints.slice(0, from)].slice(0, BATCH);
    for (const hint of batch) {
      if (this.execution.freePlaces <= 0) break;
      await this.take(dead, hint, why);
    }
    if (hints.length > BATCH) {
      const pause = randomInt(PAUSE_MS.least, PAUSE_MS.most);
      this.nextBatch.set(dead, performance.now() + pause);
    }
  }

  private async take(dead: string, hint: RunHint, why: 'death' | 'handover'): Promise<void> {
    const { tenant, taskId } = hint;
    const record = await this.reader.read(tenant, '', taskId);
    const orphan =
      record !== undefined && record.head.owner === dead && !isSettled(record.head.state);
    // A tenant that another instance has just made: the hint waits until it is known here, or its
    // task has expired.
    if (orphan && !this.tenants.has(tenant)) return;
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
    const taken = await this.owners.takeOver(tenant, taskId, seen.head.epoch, me, why);
    if (!taken.ok) return undefined;
    metrics.takeovers.inc();
    const effects = taken.value.openEffects > 0 ? await this.effects.open(tenant, taskId) : [];
    const verdict = this.judge(seen.head.user, tenant, taken.value, effects);
    const { epoch, attempt } = taken.value;
    const ids = logIdsOf((JSON.parse(seen.head.call) as FrozenCall).ctx);
    this.logger.warn({ msg: 'took over a run', ...ids, taskId, epoch, attempt, verdict });
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
    const keys = this.reader.keysOf(ref);
    const begun = effects.filter(canLook);
    return { keys, call, turn: head.turn, attempt, epoch, seq: cursor.seq, task, deadline, begun };
  }

  /** Undefined: run it again, after a look at what is open. */
  private judge(
    user: string,
    tenant: string,
    taken: TakenOver,
    effects: readonly OpenEffect[],
  ): Verdict | undefined {
    const mark = this.tenants.stands(tenant, user) ? taken.cancel : SUSPENDED;
    const texts = effects.map(({ text }) => text);
    if (mark !== '') return { state: 'TASK_STATE_CANCELED', text: canceled(texts, mark) };
    const end = this.endOf(tenant, taken);
    if (taken.openEffects === 0) return end;
    const mayLook = end === undefined && this.backends.backendOf(tenant).lookBack !== undefined;
    return mayLook && effects.every(canLook) ? undefined : failed(unsure(texts));
  }

  private endOf(tenant: string, taken: TakenOver): Verdict | undefined {
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

function canLook(effect: OpenEffect): effect is BegunEffect {
  return effect.plan !== undefined;
}
