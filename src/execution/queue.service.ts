import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { RedisOwnerStore } from '../store/redis-owner.store.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { ExecutionService } from './execution.service.js';
import type { FrozenCall } from './frozen-call.js';
import { HandedTasks } from './handed-tasks.js';
import { LeaseService } from './lease.service.js';
import type { OwnedTask } from './owned-task.js';

const BATCH = 20;

/** Starts tasks that waited in their context's queue (`contextConcurrency: queue`, design 5.1). */
@Injectable()
export class QueueService implements OnModuleInit {
  private readonly logger = new Logger(QueueService.name);

  constructor(
    private readonly handed: HandedTasks,
    private readonly execution: ExecutionService,
    private readonly lease: LeaseService,
    private readonly owners: RedisOwnerStore,
    private readonly reader: RedisTaskReader,
    private readonly tenants: TenantDirectory,
  ) {}

  onModuleInit(): void {
    this.handed.onHanded((tenant, taskId) => {
      this.start(tenant, taskId).catch((error: unknown) => {
        // Full, draining, or Redis away: the sweeper of some instance starts it.
        this.logger.debug({ msg: 'a queued task waits on', err: error, tenant, taskId });
      });
    });
  }

  /** Starts what an instance was to start that died, or had no place, in between. */
  async sweep(): Promise<void> {
    const since = this.execution.now() - this.lease.leaseMs;
    for (const { id, contextConcurrency } of this.tenants.all()) {
      if (contextConcurrency !== 'queue') continue;
      for (const taskId of await this.owners.handed(id, since, BATCH)) await this.start(id, taskId);
    }
  }

  private async start(tenant: string, taskId: string): Promise<void> {
    await this.execution.own(tenant, taskId, async (hinted): Promise<OwnedTask | undefined> => {
      await hinted;
      const record = await this.reader.read(tenant, '', taskId);
      if (record === undefined) {
        await this.owners.forgetQueued(tenant, taskId);
        return undefined;
      }
      const { head, task } = record;
      const call = JSON.parse(head.call) as FrozenCall;
      const { user, contextId, turn } = head;
      const ref = { tenant, user, taskId, contextId, messageId: call.messageId };
      const limits = this.tenants.limitsOf(tenant);
      const keys = this.reader.keysOf(ref);
      const started = await this.owners.startQueued(
        keys,
        head.epoch,
        this.execution.instance,
        limits,
      );
      if (!started.ok) return undefined;
      return { keys, call, turn, attempt: 1, task, ...started.value };
    });
  }
}
