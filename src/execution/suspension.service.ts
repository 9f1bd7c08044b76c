import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { BackendRegistry } from '../assistant/assistant-backend.js';
import { SUSPENDED } from '../domain/cancel-mark.js';
import { RedisTenantStore } from '../store/redis-tenant.store.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { ExecutionService } from './execution.service.js';
import { ENDED } from './end-texts.js';
import { TaskEnder } from './task-ender.js';

/** Tasks without a run here are looked after so often while somebody is suspended. */
const SWEEP_MS = 2000;

/**
 * What a change of tenants means for runs. The assistants of tenants that have changed are opened
 * anew, for runs from now on. Whoever is suspended, or of a tenant that is being deleted, loses all
 * tasks that have not ended: this instance cancels its own runs at once; parked and queued ones, and
 * those of a dead owner, are ended by whichever instance comes first.
 */
@Injectable()
export class SuspensionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(SuspensionService.name);
  private timer: NodeJS.Timeout | undefined;
  private sweeping = false;

  constructor(
    @Inject(BackendRegistry) backends: BackendRegistry,
    private readonly directory: TenantDirectory,
    private readonly execution: ExecutionService,
    private readonly ender: TaskEnder,
    private readonly tenants: RedisTenantStore,
  ) {
    // In the constructor: the first change comes while modules are initialised.
    directory.onChange(() => {
      backends.replace(directory.all()).catch((error: unknown) => {
        this.logger.error({
          msg: 'the assistants of changed tenants could not be opened',
          err: error,
        });
      });
      this.stopRuns();
    });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private stopRuns(): void {
    for (const { run } of this.execution.runs()) {
      const { tenant, user } = run.keys.ref;
      if (!this.directory.stands(tenant, user)) run.stop({ kind: 'cancel', mark: SUSPENDED });
    }
  }

  /** Also stops what has slipped through: a run that was starting when the news came. */
  private async sweep(): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    try {
      this.stopRuns();
      for (const { tenant, user } of this.directory.stopped()) {
        if (!this.directory.has(tenant)) continue;
        for (const taskId of await this.tenants.unfinished(tenant, user)) {
          await this.end(tenant, taskId);
        }
      }
    } catch (error) {
      this.logger.debug({ msg: 'suspended tasks could not be ended yet', err: error });
    } finally {
      this.sweeping = false;
    }
  }

  /** A run of a living owner is that one's to end: it knows of the suspension as this one does. */
  private async end(tenant: string, taskId: string): Promise<void> {
    const verdict = { state: 'TASK_STATE_CANCELED', text: ENDED.suspended } as const;
    await this.ender.end(tenant, taskId, verdict, ({ head }) => head.owner === '');
  }
}
