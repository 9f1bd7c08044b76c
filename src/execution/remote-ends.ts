import { Inject, Injectable, Logger } from '@nestjs/common';
import { BackendRegistry } from '../assistant/assistant-backend.js';
import { RedisEffectStore } from '../store/redis-effect.store.js';
import type { TaskKeys } from '../store/task-ref.js';
import { type RemoteTask, remoteTasksOf } from './run-calls.js';
import { reasonOf } from '../config/reason-of.js';

/**
 * Ends what runs have set in motion at remote agents when no run is left to follow it (design 5.5,
 * 5.6): the gateway itself has ended the task in place of its owner, or a later attempt went another
 * way. Best effort, after our own task is settled: nobody waits for it, and a remote that has ended
 * by itself takes no cancel.
 */
@Injectable()
export class RemoteEnds {
  private readonly logger = new Logger(RemoteEnds.name);

  constructor(
    @Inject(BackendRegistry) private readonly backends: BackendRegistry,
    private readonly effects: RedisEffectStore,
  ) {}

  /** Of a task that has ended without its run. Never rejects. */
  async ofTask(keys: TaskKeys, leg: number): Promise<void> {
    await this.end(keys, () => remoteTasksOf(this.effects, keys, leg));
  }

  /** Of a run that has settled its task. Never rejects. */
  async ofRun(keys: TaskKeys, abandoned: () => Promise<readonly RemoteTask[]>): Promise<void> {
    await this.end(keys, abandoned);
  }

  private async end({ ref }: TaskKeys, find: () => Promise<readonly RemoteTask[]>): Promise<void> {
    const { tenant, taskId } = ref;
    try {
      await Promise.all((await find()).map((task) => this.cancel(tenant, taskId, task)));
    } catch (error) {
      this.logger.warn({
        msg: 'tasks at remotes could not be looked up',
        tenant,
        taskId,
        err: error,
      });
    }
  }

  private async cancel(tenant: string, taskId: string, task: RemoteTask): Promise<void> {
    const { remote, taskId: remoteTaskId } = task;
    const about = { tenant, taskId, remote, remoteTaskId };
    try {
      await this.backends.cancelRemote(tenant, remote, remoteTaskId);
      this.logger.log({
        msg: 'canceled a task at a remote that nobody follows any more',
        ...about,
      });
    } catch (error) {
      // Most often it had ended before.
      const why = reasonOf(error);
      this.logger.debug({ msg: `a task at a remote took no cancel: ${why}`, ...about });
    }
  }
}
