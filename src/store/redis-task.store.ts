import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { TenantLimits } from '../config/config.types.js';
import type { StreamResponse, Task, TaskStateName } from '../domain/a2a.js';
import { unavailable } from '../domain/errors.js';
import { formatFile, type KeptFile, TASK_FILE_BYTES } from '../domain/file-ref.js';
import { STATE_NUMBER, stateOf } from '../domain/task-state.js';
import { Keys } from '../redis/keys.js';
import { isUncertain, resend } from '../redis/redis-errors.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { refusalToError, ScriptCode } from '../redis/script-code.js';
import { type RedisClient, type ScriptReply, asList, runScript } from '../redis/scripts.js';
import { dailyLimits } from './daily-limits.js';
import { quotaRefusal } from './quota-refusal.js';
import { dayOf } from './redis-usage.store.js';
import { TaskKeys, type TaskRef } from './task-ref.js';
import { type TaskRecord, formatSnapshot } from './task-record.js';

/** Larger snapshots are staged by a plain SET and renamed by the script (1.4 ms a MiB saved). */
const INLINE_SNAPSHOT_BYTES = 32 * 1024;
/** Events kept below a snapshot, so that a client can resume after a pause. */
export const RESUME_EVENTS = 1000;
/** A task may wait so long for its user before it settles; its files outlast that. */
const LONGEST_QUESTION_SECONDS = 24 * 3600;
const STAGE_TTL_MS = 60_000;
/** A caller waits this long for a Redis that does not answer before it is told 503. */
const CALLER_PATIENCE_MS = 3000;

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

/** See lua/mark-effect-1.lua. */
export type EffectPhase = 'intent' | 'link' | 'outcome';

/** A write's answer: applied with the new head, or a refusal (see `ScriptCode`). */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  /** `head`: of the log as found, where the refusal is about it. */
  | { readonly ok: false; readonly code: number; readonly head?: number };

/** Tasks in Redis: one method a script. Callers get DomainErrors, runs get refusal codes. */
@Injectable()
export class RedisTaskStore {
  /** Told of every write of a run here, for what waits for one (webhooks); must be cheap. */
  onWrite: ((tenant: string) => void) | undefined;

  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  keysOf(ref: TaskRef): TaskKeys {
    return new TaskKeys(this.keys, ref);
  }

  /**
   * @throws DomainError CONTEXT_BUSY, QUOTA, PERMISSION_DENIED, UNAVAILABLE. After UNAVAILABLE the
   * task may exist: the owner's look at its own hints finds it and ends it.
   */
  async create(args: CreateArgs): Promise<Created> {
    const { keys, limits } = args;
    const { ref } = keys;
    const [head, tail] = splitAtTurn(args.task);
    const reply = await this.forCaller(
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
    const inline = await this.stage(this.redis.reads, keys.stage(nonce), snapshot);
    const reply = await this.forCaller(
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

  /** One frozen settle; the caller resends it as it is. */
  async settle(args: SettleArgs): Promise<Outcome<Settled>> {
    const { keys, limits } = args;
    const cursor = { seq: args.expected + args.events.length, epoch: args.epoch };
    const stage = keys.stage(`settle-${cursor.seq}-${cursor.epoch}`);
    const inline = await this.stage(this.redis.writes, stage, formatSnapshot(cursor, args.task));
    const reply = await this.run(
      this.redis.writes,
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
            this.redis.writes,
            'append-events',
            [...base, keys.pushDue],
            [...head, taskId, ...batch.events],
          )
        : await this.run(
            this.redis.writes,
            'append-status',
            [...base, ...keys.indexes, ...keys.states, keys.pushDue],
            [...head, taskId, STATE_NUMBER.TASK_STATE_WORKING, batch.statusTs, ...batch.events],
          );
    this.onWrite?.(keys.ref.tenant);
    return outcome(reply, () => String(reply[2] ?? ''));
  }

  /**
   * Puts a file's bytes beside the task, for as long as a task can live, and enters it in the list.
   * @returns the script's code: positive, or a refusal.
   */
  async keepFile(
    keys: TaskKeys,
    epoch: number,
    file: KeptFile,
    bytes: Buffer,
    limits: TenantLimits,
  ): Promise<number> {
    const key = keys.file(file.name);
    const ttlSeconds = limits.taskTtlSeconds + limits.runSeconds + LONGEST_QUESTION_SECONDS;
    await this.redis.writes.set(key, bytes, 'EX', ttlSeconds);
    const args = [epoch, formatFile(file), file.bytes, TASK_FILE_BYTES];
    const reply = await this.run(this.redis.writes, 'keep-file', [keys.task, key], args);
    const code = Number(reply[0]);
    if (code < 0) await this.redis.writes.unlink(key);
    return code;
  }

  async saveSnapshot(
    keys: TaskKeys,
    cursor: { seq: number; epoch: number },
    task: Task,
    ttlMs: number,
  ): Promise<Outcome<number>> {
    const snapshot = formatSnapshot(cursor, task);
    const stage = keys.stage(`snap-${cursor.seq}-${cursor.epoch}`);
    const inline = await this.stage(this.redis.writes, stage, snapshot);
    const reply = await this.run(
      this.redis.writes,
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
    const inline = await this.stage(this.redis.writes, stage, formatSnapshot(cursor, args.task));
    const event: StreamResponse = { task: args.task };
    const reply = await this.run(
      this.redis.writes,
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

  /** `epoch` is the one seen; the new one is one higher. */
  async takeOver(
    tenant: string,
    taskId: string,
    epoch: number,
    owner: string,
    why: 'death' | 'handover' | 'end',
  ): Promise<Outcome<TakenOver>> {
    const task = [this.keys.task(tenant, taskId)];
    const reply = await this.run(this.redis.control, 'take-over-task', task, [epoch, owner, why]);
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
      this.redis.control,
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
    const { task, context, active, handed } = this.keysOf({ tenant, taskId, ...nobody });
    const keys = [task, context, ...active, handed];
    // No epoch is below 1: it starts nothing.
    await this.run(this.redis.control, 'start-queued', keys, [taskId, -1, '', 0]);
  }

  /** @throws DomainError UNAVAILABLE. */
  async markCancel(
    tenant: string,
    user: string,
    taskId: string,
    mark: string,
  ): Promise<Outcome<{ state: TaskStateName; owner: string; epoch: number }>> {
    const reply = await this.forCaller(
      'mark-cancel',
      [this.keys.task(tenant, taskId)],
      [user, mark],
    );
    return outcome(reply, () => ({
      state: stateOf(Number(reply[1])),
      owner: String(reply[2]),
      epoch: Number(reply[3]),
    }));
  }

  /** The value is what became of it, when an earlier attempt has done it already. */
  async markEffect(
    keys: TaskKeys,
    epoch: number,
    effect: { readonly id: string; readonly phase: EffectPhase; readonly text: string },
  ): Promise<Outcome<{ readonly before?: string }>> {
    const args = [epoch, effect.id, effect.phase, effect.text];
    const reply = await this.run(this.redis.writes, 'mark-effect', [keys.task], args);
    return outcome(reply, () => (Number(reply[0]) === 2 ? { before: String(reply[1]) } : {}));
  }

  /** What became of an effect, in words; undefined while that is open, or for one that is not known. */
  async outcomeOf(keys: TaskKeys, id: string): Promise<string | undefined> {
    const recorded = await this.redis.writes.hget(keys.task, `effect:${id}`);
    return /^outcome ([^]*)/.exec(recorded ?? '')?.[1];
  }

  /** What is recorded of the effects whose ids begin with `prefix`, in no order. */
  async effectsOf(
    keys: TaskKeys,
    prefix: string,
  ): Promise<
    readonly { readonly id: string; readonly phase: EffectPhase; readonly text: string }[]
  > {
    const names = (await this.redis.writes.hkeys(keys.task)).filter((name) =>
      name.startsWith(`effect:${prefix}`),
    );
    if (names.length === 0) return [];
    const values = await this.redis.writes.hmget(keys.task, ...names);
    return names.flatMap((name, index) => {
      const [, phase, text = ''] = /^(intent|link|outcome) ([^]*)/.exec(values[index] ?? '') ?? [];
      return phase === undefined
        ? []
        : [{ id: name.slice('effect:'.length), phase: phase as EffectPhase, text }];
    });
  }

  /** @returns a refusal code, or undefined when it is kept. */
  async keepLink(
    keys: TaskKeys,
    epoch: number,
    remote: string,
    link: string,
  ): Promise<number | undefined> {
    const both = [keys.task, keys.context];
    const kept = outcome(
      await this.run(this.redis.writes, 'keep-link', both, [epoch, remote, link]),
      () => undefined,
    );
    return kept.ok ? undefined : kept.code;
  }

  /** What `keepLink` has kept with the context; undefined when there is nothing. */
  async linkOf(keys: TaskKeys, remote: string): Promise<string | undefined> {
    return (await this.redis.writes.hget(keys.context, `remote:${remote}`)) ?? undefined;
  }

  /** SET for a snapshot too large for a script's argument; the answer is what to pass instead. */
  private async stage(client: RedisClient, key: string, snapshot: string): Promise<string> {
    if (Buffer.byteLength(snapshot) <= INLINE_SNAPSHOT_BYTES) return snapshot;
    await client.set(key, snapshot, 'PX', STAGE_TTL_MS);
    return '';
  }

  /** With a little patience for a Redis that stumbles. @throws DomainError UNAVAILABLE. */
  private async forCaller(
    name: Parameters<typeof runScript>[1],
    keys: readonly string[],
    args: Parameters<typeof runScript>[3],
  ): Promise<readonly ScriptReply[]> {
    try {
      const send = (): Promise<readonly ScriptReply[]> =>
        this.run(this.redis.reads, name, keys, args);
      return await resend(send, { forMs: CALLER_PATIENCE_MS });
    } catch (error) {
      throw isUncertain(error) ? unavailable('The task store does not answer', error) : error;
    }
  }

  private async run(
    client: RedisClient,
    name: Parameters<typeof runScript>[1],
    keys: readonly string[],
    args: Parameters<typeof runScript>[3],
  ): Promise<readonly ScriptReply[]> {
    return asList(await runScript(client, name, keys, args));
  }
}

function outcome<T>(reply: readonly ScriptReply[], value: () => T): Outcome<T> {
  const code = Number(reply[0]);
  if (code > 0) return { ok: true, value: value() };
  return code === ScriptCode.Rewound
    ? { ok: false, code, head: Number(reply[1]) }
    : { ok: false, code };
}

function activePerToken({ token, limits }: Pick<CreateArgs, 'token' | 'limits'>): number {
  return token === '' ? 0 : limits.activePerToken;
}

/** The context outlives its longest run: its hash holds the lock. */
function contextTtl(limits: TenantLimits): number {
  return Math.max(limits.contextIdleSeconds, limits.runSeconds + 120) * 1000;
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
