import { Injectable } from '@nestjs/common';
import type { TenantLimits } from '../config/limits.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { asList, runScript } from '../redis/scripts.js';
import type { TaskRef } from './task-ref.js';

/** An ended task as its user's list of kept tasks names it: `<bytes> <task id>`. */
export type KeptEntry = string;

/** Whoever works on a user has so long for a few deletions before another instance may. */
const HOLD_MS = 1000;

/** What users keep of ended tasks. Methods throw what Redis' connection throws. */
@Injectable()
export class RedisRetentionStore {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** Users of a tenant who keep too much and whom no instance works on; times in ms by Redis. */
  users(tenant: string, now: number, most: number): Promise<string[]> {
    const key = this.keys.full(tenant);
    return this.redis.control.zrangebyscore(key, '-inf', now, 'LIMIT', 0, most);
  }

  /**
   * The oldest of a user's ended tasks above the limits, at most `most`; never the newest.
   * @param gone an entry of before whose task does not exist any more.
   */
  async surplus(
    tenant: string,
    user: string,
    limits: TenantLimits,
    most: number,
    gone: KeptEntry | undefined,
  ): Promise<readonly KeptEntry[]> {
    const keys = [...this.keys.ofUser(tenant, user).kept];
    const reply = await runScript(this.redis.control, 'find-surplus', keys, [
      user,
      limits.retainedTasksPerUser,
      limits.retainedBytesPerUser,
      limits.taskTtlSeconds * 1000,
      most,
      HOLD_MS,
      gone ?? '',
    ]);
    return asList(asList(reply)[1]).map(String);
  }

  /** What addresses the tasks of these entries; undefined for one that is gone. */
  async refs(
    tenant: string,
    user: string,
    entries: readonly KeptEntry[],
  ): Promise<(TaskRef | undefined)[]> {
    const ids = entries.map((entry) => entry.slice(entry.indexOf(' ') + 1));
    const contexts = await Promise.all(
      ids.map((id) => this.redis.control.hget(this.keys.task(tenant, id), 'context_id')),
    );
    return ids.map((taskId, index) => {
      const contextId = contexts[index];
      if (typeof contextId !== 'string') return undefined;
      // The message has been forgotten with the task's end.
      return { tenant, user, taskId, contextId, messageId: '' };
    });
  }
}
