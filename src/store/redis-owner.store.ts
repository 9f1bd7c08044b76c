import { Injectable } from '@nestjs/common';
import type { TenantLimits } from '../config/limits.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { asList, runScript, type ScriptReply } from '../redis/scripts.js';
import { type Outcome, outcome } from './outcome.js';
import { TaskKeys } from './task-ref.js';

export interface TakenOver {
  readonly epoch: number;
  readonly seq: number;
  readonly deadline: number;
  readonly now: number;
  readonly cancel: string;
  readonly attempt: number;
  readonly deaths: number;
  readonly openEffects: number;
}

/**
 * Who runs a task: how an instance becomes the owner of one that nobody runs, or fences its owner, and
 * where such tasks are found. On the connection that traffic does not hold up.
 */
@Injectable()
export class RedisOwnerStore {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** `epoch` is the one seen; the new one is one higher. */
  async takeOver(
    tenant: string,
    taskId: string,
    epoch: number,
    owner: string,
    why: 'death' | 'handover' | 'end',
  ): Promise<Outcome<TakenOver>> {
    const task = [this.keys.task(tenant, taskId)];
    const reply = await this.run('take-over-task', task, [epoch, owner, why]);
    return outcome(reply, () => ({
      epoch: Number(reply[1]),
      seq: Number(reply[2]),
      cancel: String(reply[4] ?? ''),
      attempt: Number(reply[5]),
      deaths: Number(reply[6]),
      openEffects: Number(reply[7]),
      deadline: Number(reply[8]),
      now: Number(reply[9]),
    }));
  }

  /** Makes `owner` run a task that was handed its context's lock. `epoch` is the one seen. */
  async startQueued(
    keys: TaskKeys,
    epoch: number,
    owner: string,
    limits: TenantLimits,
  ): Promise<Outcome<{ epoch: number; seq: number; deadline: number }>> {
    const reply = await this.run(
      'start-queued',
      [keys.task, keys.context, ...keys.active, keys.handed],
      [keys.ref.taskId, epoch, owner, limits.runSeconds * 1000],
    );
    return outcome(reply, () => ({
      epoch: Number(reply[1]),
      seq: Number(reply[2]),
      deadline: Number(reply[3]),
    }));
  }

  /** Forgets that a task which is gone was handed a lock; nothing happens to one that is there. */
  async forgetQueued(tenant: string, taskId: string): Promise<void> {
    const nobody = { user: '', contextId: '', messageId: '' };
    const { task, context, active, handed } = new TaskKeys(this.keys, {
      tenant,
      taskId,
      ...nobody,
    });
    const keys = [task, context, ...active, handed];
    // No epoch is below 1: it starts nothing.
    await this.run('start-queued', keys, [taskId, -1, '', 0]);
  }

  /** Tasks of a tenant that have waited for an owner since before `since`, oldest first. */
  async handed(tenant: string, since: number, most: number): Promise<string[]> {
    const key = this.keys.handed(tenant);
    return this.redis.control.zrangebyscore(key, '-inf', since, 'LIMIT', 0, most);
  }

  /** Parked tasks of a tenant whose time is up, oldest first. */
  async expiredParked(tenant: string, now: number, most: number): Promise<string[]> {
    return this.redis.control.zrangebyscore(
      this.keys.parked(tenant),
      '-inf',
      now,
      'LIMIT',
      0,
      most,
    );
  }

  private async run(
    name: Parameters<typeof runScript>[1],
    keys: readonly string[],
    args: Parameters<typeof runScript>[3],
  ): Promise<readonly ScriptReply[]> {
    return asList(await runScript(this.redis.control, name, keys, args));
  }
}
