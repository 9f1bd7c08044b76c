import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { TenantLimits } from '../config/limits.js';
import type { StreamResponse, Task, TaskStateName } from '../domain/a2a.js';
import { stateOf } from '../domain/task-state.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { refusalToError } from '../redis/script-code.js';
import { asList, runScript, type ScriptReply } from '../redis/scripts.js';
import { askPatiently } from './ask.js';
import { contextTtl } from './context-ttl.js';
import { dailyLimits } from './daily-limits.js';
import { type Outcome, outcome } from './outcome.js';
import { quotaRefusal } from './quota-refusal.js';
import { dayOf } from './redis-usage.store.js';
import { stageSnapshot } from './stage-snapshot.js';
import type { TaskKeys } from './task-ref.js';
import { type TaskRecord, formatSnapshot } from './task-record.js';

export interface CreateArgs {
  readonly keys: TaskKeys;
  readonly owner: string;
  /** The task in SUBMITTED, without `n9e.seq_id`, which the script fills in. */
  readonly task: Task;
  readonly ts: number;
  readonly fingerprint: string;
  readonly call: string;
  /** What happens when another task of the context runs. */
  readonly whenBusy: 'reject' | 'queue';
  readonly idempotency?: Idempotency;
  readonly limits: TenantLimits;
  /** Of the tenant, as this instance knows it: a deleted one's tasks must not come back. */
  readonly generation: number;
  /** With which it comes; empty for none. */
  readonly token: string;
}

/** A caller's key for one piece of content, for as long as tasks are kept. */
export interface Idempotency {
  readonly key: string;
  readonly fingerprint: string;
}

export type Created =
  | { readonly how: 'created'; readonly turn: number; readonly deadline: number }
  /** It waits for its context; whoever settles the task before it starts it. */
  | { readonly how: 'queued'; readonly turn: number }
  | { readonly how: 'joined'; readonly taskId: string };

export interface ContinueArgs {
  readonly keys: TaskKeys;
  readonly owner: string;
  readonly record: TaskRecord;
  /** The task in WORKING with the answer in its history. */
  readonly task: Task;
  readonly ts: number;
  readonly call: string;
  readonly idempotency?: Idempotency;
  readonly limits: TenantLimits;
  /** With which the answer comes; empty for none. */
  readonly token: string;
}

export type Continued =
  | {
      readonly how: 'continued';
      readonly seq: number;
      readonly epoch: number;
      readonly deadline: number;
    }
  | { readonly how: 'joined'; readonly taskId: string };

/** What a caller does to tasks: one method a script, with patience, and refusals as DomainErrors. */
@Injectable()
export class RedisTaskStore {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /**
   * @throws DomainError CONTEXT_BUSY, QUOTA, PERMISSION_DENIED, UNAVAILABLE. After UNAVAILABLE the
   * task may exist: the owner's look at its own hints finds it and ends it.
   */
  async create(args: CreateArgs): Promise<Created> {
    const { keys, limits } = args;
    const { ref } = keys;
    const [head, tail] = splitAtTurn(args.task);
    const reply = await this.run(
      'create-task',
      [
        keys.meta,
        keys.task,
        keys.log,
        keys.snapshot,
        keys.context,
        keys.message,
        ...keys.active,
        ...keys.indexes,
        keys.states[0] ?? '',
        keys.idempotency(args.idempotency?.key),
        keys.contexts,
        keys.queue,
        keys.spent(dayOf(args.ts)),
        keys.holders,
      ],
      [
        ref.taskId,
        ref.user,
        ref.contextId,
        randomUUID(),
        args.owner,
        args.ts,
        limits.runSeconds * 1000,
        limits.activePerUser,
        limits.activePerTenant,
        args.fingerprint,
        head,
        tail,
        args.call,
        limits.taskTtlSeconds * 1000,
        contextTtl(limits),
        args.idempotency?.fingerprint ?? '',
        args.whenBusy,
        args.generation,
        args.token,
        activePerToken(args),
        ...dailyLimits('tasks', args),
      ],
    );
    const code = Number(reply[0]);
    if (code === 2 || code === 3) return { how: 'joined', taskId: String(reply[1]) };
    if (code < 0) throw quotaRefusal(reply, limits, args.ts) ?? refusalToError(code, ref.taskId);
    const turn = Number(reply[1]);
    return code === 4
      ? { how: 'queued', turn }
      : { how: 'created', turn, deadline: Number(reply[2]) };
  }

  /** @throws DomainError like `create`, and UNSUPPORTED_OPERATION when the task has ended. */
  async continueTask(args: ContinueArgs): Promise<Continued> {
    const { keys, limits, record } = args;
    const { ref } = keys;
    const cursor = { seq: record.cursor.seq + 1, epoch: record.head.epoch + 1 };
    const nonce = randomUUID();
    const snapshot = formatSnapshot(cursor, args.task);
    const event: StreamResponse = { task: args.task };
    const inline = await stageSnapshot(this.redis.reads, keys.stage(nonce), snapshot);
    const reply = await this.run(
      'continue-task',
      [
        keys.meta,
        keys.task,
        keys.log,
        keys.snapshot,
        keys.stage(nonce),
        keys.channel,
        keys.context,
        ...keys.active,
        ...keys.parked,
        ...keys.indexes,
        ...keys.states,
        keys.idempotency(args.idempotency?.key),
        keys.pushDue,
        keys.holders,
      ],
      [
        ref.taskId,
        record.cursor.seq,
        record.head.epoch,
        nonce,
        args.owner,
        args.ts,
        limits.runSeconds * 1000,
        limits.activePerUser,
        limits.activePerTenant,
        limits.taskTtlSeconds * 1000,
        contextTtl(limits),
        inline,
        args.call,
        args.idempotency?.fingerprint ?? '',
        args.token,
        activePerToken(args),
        JSON.stringify(event),
      ],
    );
    const code = Number(reply[0]);
    if (code === 3) return { how: 'joined', taskId: String(reply[1]) };
    if (code < 0) throw quotaRefusal(reply, limits, args.ts) ?? refusalToError(code, ref.taskId);
    return {
      how: 'continued',
      seq: Number(reply[1]),
      epoch: Number(reply[2]),
      deadline: Number(reply[3]),
    };
  }

  /** @throws DomainError UNAVAILABLE. */
  async markCancel(
    tenant: string,
    user: string,
    taskId: string,
    mark: string,
  ): Promise<Outcome<{ state: TaskStateName; owner: string; epoch: number }>> {
    const reply = await this.run('mark-cancel', [this.keys.task(tenant, taskId)], [user, mark]);
    return outcome(reply, () => ({
      state: stateOf(Number(reply[1])),
      owner: String(reply[2]),
      epoch: Number(reply[3]),
    }));
  }

  private async run(
    name: Parameters<typeof runScript>[1],
    keys: readonly string[],
    args: Parameters<typeof runScript>[3],
  ): Promise<readonly ScriptReply[]> {
    return asList(await askPatiently(() => runScript(this.redis.reads, name, keys, args)));
  }
}

function activePerToken({ token, limits }: Pick<CreateArgs, 'token' | 'limits'>): number {
  return token === '' ? 0 : limits.activePerToken;
}

/**
 * The Task's JSON around the number of its turn: the script counts turns, and payloads are opaque
 * to scripts. `n9e.seq_id` therefore stands last in the metadata, and the metadata last in the Task.
 */
function splitAtTurn(task: Task): [string, string] {
  const { metadata, ...rest } = task;
  const json = JSON.stringify({ ...rest, metadata: metadata ?? {} });
  const comma = Object.keys(metadata ?? {}).length > 0 ? ',' : '';
  return [`${json.slice(0, -2)}${comma}"n9e.seq_id":`, '}}'];
}
