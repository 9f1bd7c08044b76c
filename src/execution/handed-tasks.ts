import { Injectable } from '@nestjs/common';

type Listener = (tenant: string, taskId: string) => void;

/**
 * Says that a task of a context's queue was handed the lock: whoever settled the one before it
 * announces it here, so that it starts at once and not only when the sweeper looks.
 */
@Injectable()
export class HandedTasks {
  private listener: Listener = () => undefined;

  onHanded(listener: Listener): void {
    this.listener = listener;
  }

  /** @param taskId empty for none. */
  announce(tenant: string, taskId: string): void {
    if (taskId !== '') this.listener(tenant, taskId);
  }
}
