import { Injectable } from '@nestjs/common';
import type { TenantLimits } from '../config/limits.js';
import type { StreamResponse, Task, TaskStateName } from '../domain/a2a.js';
import { STATE_NUMBER } from '../domain/task-state.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { asList, runScript, type ScriptReply } from '../redis/scripts.js';
import { contextTtl } from './context-ttl.js';
import { type Outcome, outcome } from './outcome.js';
import { stageSnapshot } from './stage-snapshot.js';
import type { TaskKeys } from './task-ref.js';
import { formatSnapshot } from './task-record.js';

/** Events kept below a snapshot, so that a client can resume after a pause. */
const RESUME_EVENTS = 1000;

export interface SettleArgs {
  readonly keys: TaskKeys;
  readonly epoch: number;
  /** Head before this batch. */
  readonly expected: number;
  readonly state: TaskStateName;
  readonly ts: number;
  /** The task after all of `events`. */
  readonly task: Task;
  readonly events: readonly string[];
  /** JSON of the finished turn, for the context's history; empty for none. */
  readonly turn: string;
  readonly expects: '' | 'approval' | 'text';
  readonly parkMs: number;
  readonly limits: TenantLimits;
}

export interface Settled {
  readonly seq: number;
  /** The user's oldest parked task, when there is one too many now; else empty. */
  readonly evicted: string;
  /** The task of the context's queue that now holds its lock and waits for an owner; else empty. */
  readonly handed: string;
}

/**
 * What the owner of a task writes to its log: one method a script, each fenced by the epoch. A write
 * that is not answered is sent again as it is; a refusal comes back as its code.
 */
@Injectable()
export class RedisLogStore {
  /** Told of every write of a run here, for what waits for one (webhooks); must be cheap. */
  onWrite: ((tenant: string) => void) | undefined;

  constructor(private readonly redis: RedisConnections) {}

  /** One frozen settle; the caller resends it as it is. */
  async settle(args: SettleArgs): Promise<Outcome<Settled>> {
    const { keys, limits } = args;
    const cursor = { seq: args.expected + args.events.length, epoch: args.epoch };
    const stage = keys.stage(`settle-${cursor.seq}-${cursor.epoch}`);
    const inline = await stageSnapshot(this.redis.writes, stage, formatSnapshot(cursor, args.task));
    const reply = await this.run(
      'settle-task',
      [
        keys.task,
        keys.log,
        keys.snapshot,
        stage,
        keys.channel,
        keys.context,
        keys.history,
        keys.message,
        ...keys.active,
        ...keys.parked,
        ...keys.indexes,
        ...keys.states,
        keys.pushDue,
        keys.queue,
        keys.handed,
        ...keys.kept,
      ],
      [
        args.epoch,
        args.expected,
        limits.taskTtlSeconds * 1000,
        keys.ref.taskId,
        STATE_NUMBER[args.state],
        args.ts,
        inline,
        args.turn,
        limits.historyTurns,
        args.parkMs,
        limits.parkedPerUser,
        args.expects,
        contextTtl(limits),
        RESUME_EVENTS,
        limits.retainedTasksPerUser,
        limits.retainedBytesPerUser,
        ...args.events,
      ],
    );
    this.onWrite?.(keys.ref.tenant);
    return outcome(reply, () => ({
      seq: Number(reply[1]),
      evicted: String(reply[2] ?? ''),
      handed: String(reply[3] ?? ''),
    }));
  }

  /** One frozen batch; the caller resends it as it is. Value: the cancel mark, or empty. */
  async append(
    keys: TaskKeys,
    batch: {
      readonly epoch: number;
      readonly expected: number;
      readonly ttlMs: number;
      readonly events: readonly string[];
      /** Time of the last status in the batch, when it holds one. */
      readonly statusTs: number | undefined;
    },
  ): Promise<Outcome<string>> {
    const head = [batch.epoch, batch.expected, batch.ttlMs];
    const base = [keys.task, keys.log, keys.snapshot, keys.channel];
    const { taskId } = keys.ref;
    const reply =
      batch.statusTs === undefined
        ? await this.run(
            'append-events',
            [...base, keys.pushDue],
            [...head, taskId, ...batch.events],
          )
        : await this.run(
            'append-status',
            [...base, ...keys.indexes, ...keys.states, keys.pushDue],
            [...head, taskId, STATE_NUMBER.TASK_STATE_WORKING, batch.statusTs, ...batch.events],
          );
    this.onWrite?.(keys.ref.tenant);
    return outcome(reply, () => String(reply[2] ?? ''));
  }

  async saveSnapshot(
    keys: TaskKeys,
    cursor: { seq: number; epoch: number },
    task: Task,
    ttlMs: number,
  ): Promise<Outcome<number>> {
    const snapshot = formatSnapshot(cursor, task);
    const stage = keys.stage(`snap-${cursor.seq}-${cursor.epoch}`);
    const inline = await stageSnapshot(this.redis.writes, stage, snapshot);
    const reply = await this.run(
      'save-snapshot',
      [keys.task, keys.log, keys.snapshot, stage],
      [cursor.epoch, cursor.seq, ttlMs, inline, RESUME_EVENTS],
    );
    return outcome(reply, () => snapshot.length);
  }

  /**
   * Starts the log of a run over with its whole task; see the script. Value: the cancel mark, or
   * empty.
   */
  async restartLog(
    keys: TaskKeys,
    args: {
      readonly epoch: number;
      readonly found: number;
      readonly before: number;
      readonly ttlMs: number;
      readonly task: Task;
    },
  ): Promise<Outcome<string>> {
    const cursor = { seq: args.before + 1, epoch: args.epoch };
    const stage = keys.stage(`restart-${cursor.seq}-${cursor.epoch}`);
    const inline = await stageSnapshot(this.redis.writes, stage, formatSnapshot(cursor, args.task));
    const event: StreamResponse = { task: args.task };
    const reply = await this.run(
      'restart-log',
      [
        ...[keys.task, keys.log, keys.snapshot, stage, keys.channel],
        ...[...keys.indexes, ...keys.states, keys.pushDue],
      ],
      [
        ...[args.epoch, args.found, args.ttlMs, keys.ref.taskId, args.before],
        ...[Date.parse(args.task.status.timestamp), inline, JSON.stringify(event)],
      ],
    );
    return outcome(reply, () => String(reply[2] ?? ''));
  }

  /** The instance that runs the task as Redis knows it; empty when none does. */
  async ownerOf(keys: TaskKeys): Promise<string> {
    return (await this.redis.writes.hget(keys.task, 'owner')) ?? '';
  }

  private async run(
    name: Parameters<typeof runScript>[1],
    keys: readonly string[],
    args: Parameters<typeof runScript>[3],
  ): Promise<readonly ScriptReply[]> {
    return asList(await runScript(this.redis.writes, name, keys, args));
  }
}
