import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { isSettled, isTerminal } from '../domain/task-state.js';
import { RedisEffectStore } from '../store/redis-effect.store.js';
import { RedisInstanceStore, member } from '../store/redis-instance.store.js';
import { RedisOwnerStore } from '../store/redis-owner.store.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import { StreamHub } from '../streams/hub.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { ExecutionService } from './execution.service.js';
import { LeaseService } from './lease.service.js';
import { QueueService } from './queue.service.js';
import { RetentionService } from './retention.service.js';
import { canceled, ENDED, unsure } from './end-texts.js';
import { TakeoverService } from './takeover.service.js';
import { TaskEnder } from './task-ender.js';

/** How often what is rarely wrong is looked at. */
const RARE_MS = 10_000;
/** A hint without a run: after this long nothing that was sent for it can still arrive. */
const SUSPECT_MS = 10_000;
const FORGET_MS = 60_000;
const PARKED_BATCH = 20;

/**
 * The instance's pulse: renews its lease, sees cancels and lost tasks of its own runs, takes over
 * from the dead, and now and then puts right what an outage left behind.
 */
@Injectable()
export class SweeperService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(SweeperService.name);
  private timer: NodeJS.Timeout | undefined;
  private sweeping = false;
  private lastRare = performance.now();
  /** Own hints without a run here, and since when. */
  private readonly suspects = new Map<string, number>();

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly lease: LeaseService,
    private readonly execution: ExecutionService,
    private readonly takeover: TakeoverService,
    private readonly ender: TaskEnder,
    private readonly instances: RedisInstanceStore,
    private readonly reader: RedisTaskReader,
    private readonly owners: RedisOwnerStore,
    private readonly effects: RedisEffectStore,
    private readonly hub: StreamHub,
    private readonly queue: QueueService,
    private readonly retention: RetentionService,
    private readonly tenants: TenantDirectory,
  ) {}

  /** Starts the pulse; a Redis that is away does not keep the instance from starting. */
  async onApplicationBootstrap(): Promise<void> {
    void this.instances.onSignal(this.lease.instance, (hint) => void this.lookAt(hint));
    await this.beat();
    this.timer = setInterval(() => void this.beat(), this.lease.heartbeatMs);
  }

  /**
   * SIGTERM (design 5.11): runs go on until the drain time is over, then are handed over at once:
   * the lease ends now, and the other instances find the hints.
   */
  async beforeApplicationShutdown(): Promise<void> {
    await this.execution.idle(this.config.execution.drainSeconds * 1000);
    this.stop();
    await this.execution.leaveAll();
    this.hub.closeAll();
    await this.lease.leave().catch(() => undefined);
  }

  /** Ends the pulse; the lease runs out by itself. */
  stop(): void {
    clearInterval(this.timer);
  }

  private async beat(): Promise<void> {
    try {
      const dead = await this.lease.beat();
      await this.lookAtRuns();
      if (!this.sweeping) {
        this.sweeping = true;
        void this.sweep(dead).finally(() => {
          this.sweeping = false;
        });
      }
    } catch (error) {
      this.logger.debug({ msg: 'no heartbeat: Redis does not answer', err: error });
    }
  }

  /** The cancel mark, the epoch and a log that came back shorter, also when the signal was lost (design 5.6). */
  private async lookAtRuns(): Promise<void> {
    const runs = this.execution.runs();
    if (runs.length === 0) return;
    const heads = runs.map(({ run }) => run.head);
    const marks = await this.instances.marks(runs);
    runs.forEach(({ run }, index) => {
      const mark = marks[index];
      if (mark === undefined || mark.epoch > run.epoch) run.stop({ kind: 'leave' });
      else if (mark.cancel !== '') run.stop({ kind: 'cancel', mark: mark.cancel });
      // Behind what it had acknowledged before it was asked: it lost something (fail-over).
      else if (mark.seq < (heads[index] ?? 0)) run.noticeHead(mark.seq);
    });
  }

  /** A signal names a task; what it says is read from the task itself. */
  private async lookAt(name: string): Promise<void> {
    const found = this.execution.runs().find((run) => member(run) === name);
    if (found === undefined) {
      await this.endMarked(name);
      return;
    }
    const [mark] = await this.instances.marks([found]).catch(() => []);
    if (mark !== undefined && mark.cancel !== '') {
      found.run.stop({ kind: 'cancel', mark: mark.cancel });
    }
  }

  /** A task that waits for its user or its context has no owner; whoever is told ends it. */
  private async endMarked(name: string): Promise<void> {
    const slash = name.indexOf('/');
    const [tenant, taskId] = [name.slice(0, slash), name.slice(slash + 1)];
    try {
      const record = await this.reader.read(tenant, '', taskId);
      if (record === undefined || record.head.cancel === '' || record.head.owner !== '') return;
      const text = canceled([], record.head.cancel);
      const verdict = { state: 'TASK_STATE_CANCELED', text } as const;
      await this.ender.end(tenant, taskId, verdict, ({ head }) => head.owner === '');
    } catch (error) {
      this.logger.debug({ msg: 'a canceled task could not be ended', err: error });
    }
  }

  private async sweep(dead: readonly string[]): Promise<void> {
    try {
      for (const instance of dead) await this.takeover.takeOverFrom(instance);
      const isRare = performance.now() - this.lastRare >= RARE_MS;
      if (isRare || this.retention.isBehind) await this.retention.sweep();
      if (!isRare) return;
      this.lastRare = performance.now();
      await this.lookAtOwnHints();
      await this.endExpiredQuestions();
      await this.queue.sweep();
    } catch (error) {
      this.logger.warn({ msg: 'a sweep broke off; the next one goes on', err: error });
    }
  }

  /** A create that was answered too late, a run that Redis' absence ended: nobody else sees them. */
  private async lookAtOwnHints(): Promise<void> {
    const now = performance.now();
    const hints = await this.instances.hints(this.lease.instance);
    const hinted = new Set(hints.map(member));
    for (const run of this.execution.runs()) {
      if (!hinted.has(member(run))) await this.instances.addHint(this.lease.instance, run);
    }
    const idle = hints.filter(({ tenant, taskId }) => !this.execution.runOf(tenant, taskId));
    const names = new Set(idle.map(member));
    for (const name of this.suspects.keys()) if (!names.has(name)) this.suspects.delete(name);
    for (const hint of idle) {
      const since = this.suspects.get(member(hint)) ?? now;
      this.suspects.set(member(hint), since);
      if (now - since < SUSPECT_MS) continue;
      const me = this.lease.instance;
      const record = await this.reader.read(hint.tenant, '', hint.taskId);
      if (record === undefined && now - since < FORGET_MS) continue;
      if (record !== undefined && record.head.owner === me && !isSettled(record.head.state)) {
        const text =
          record.head.openEffects > 0
            ? unsure(
                (await this.effects.open(hint.tenant, hint.taskId)).map((effect) => effect.text),
              )
            : ENDED.outage;
        const verdict = { state: 'TASK_STATE_FAILED', text } as const;
        await this.ender.end(hint.tenant, hint.taskId, verdict, ({ head }) => head.owner === me);
      }
      await this.instances.removeHint(me, hint);
    }
  }

  private async endExpiredQuestions(): Promise<void> {
    for (const { id } of this.tenants.all()) {
      const expired = await this.owners.expiredParked(id, this.execution.now(), PARKED_BATCH);
      for (const taskId of expired) {
        const verdict = { state: 'TASK_STATE_FAILED', text: ENDED.expired } as const;
        await this.ender.end(
          id,
          taskId,
          verdict,
          ({ head }) => isSettled(head.state) && !isTerminal(head.state),
        );
      }
    }
  }
}
