import { Injectable } from '@nestjs/common';
import type { PastTurn } from '../assistant/assistant-backend.js';
import type { TaskStateName } from '../domain/a2a.js';
import { unavailable } from '../domain/errors.js';
import type { EventId, TaskEvent } from '../domain/event.js';
import { stateOf } from '../domain/task-state.js';
import type { TraceCarrier } from '../domain/trace-carrier.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { ScriptCode } from '../redis/script-code.js';
import { asList, runScript } from '../redis/scripts.js';
import { ask } from './ask.js';
import {
  type TaskRecord,
  foldRecord,
  parseEntries,
  parseHead,
  snapshotSeq,
  toTaskEvents,
} from './task-record.js';
import { TaskKeys, type TaskRef } from './task-ref.js';

/** Most events of one read: a long log is read in pieces, so that no read blocks Redis for long. */
const LOG_CHUNK = 500;
/** How often a document is read again whose parts do not fit together. */
const SNAPSHOT_READS = 3;

export interface LogChunk {
  readonly events: readonly TaskEvent[];
  readonly head: { readonly seq: number; readonly epoch: number; readonly state: TaskStateName };
}

export interface ContextState {
  /** The task that holds the context's lock. */
  readonly running: string | undefined;
  /** The task with an open question. */
  readonly parked: string | undefined;
}

/** Reads of tasks, logs and contexts, all on the connection that callers wait for. */
@Injectable()
export class RedisTaskReader {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** The keys of a task, for whoever writes to it. */
  keysOf(ref: TaskRef): TaskKeys {
    return new TaskKeys(this.keys, ref);
  }

  /**
   * The document as of now; undefined when there is none, or when it is not this user's.
   * @param user empty for the gateway itself.
   * @throws DomainError UNAVAILABLE.
   */
  async read(tenant: string, user: string, taskId: string): Promise<TaskRecord | undefined> {
    const [record] = await this.readMany(tenant, user, [taskId]);
    return record;
  }

  /** The same for several tasks in one round trip, in their order. */
  async readMany(
    tenant: string,
    user: string,
    taskIds: readonly string[],
  ): Promise<(TaskRecord | undefined)[]> {
    return Promise.all(taskIds.map((id) => this.readOne(tenant, user, id)));
  }

  private async readOne(
    tenant: string,
    user: string,
    id: string,
    again = SNAPSHOT_READS,
  ): Promise<TaskRecord | undefined> {
    const keys = [this.keys.task(tenant, id), this.keys.log(tenant, id)];
    const [answer, snapshot] = await ask(() =>
      Promise.all([
        runScript(this.redis.reads, 'read-task', keys, [user]),
        this.redis.reads.get(this.keys.snapshot(tenant, id)),
      ]),
    );
    const reply = asList(answer);
    if (Number(reply[0]) !== 1 || typeof snapshot !== 'string') return undefined;
    // Sent after the script, the snapshot is as new as where the tail begins, or newer; not so when
    // the script alone had to be sent again (a slot that moved, a script that was not known).
    if (snapshotSeq(snapshot) < Number(reply[2])) {
      if (again > 0) return this.readOne(tenant, user, id, again - 1);
      throw unavailable('The task changed at the same moment; try again');
    }
    return foldRecord(parseHead(asList(reply[1])), snapshot, parseEntries(asList(reply[3])));
  }

  /**
   * Events after the cursor, at most 500. `lost`: the cursor is not in this log (beyond the head, of
   * a lost epoch, trimmed): only a snapshot helps. `missing`: no such task for this user.
   */
  async readLog(
    tenant: string,
    user: string,
    taskId: string,
    after: EventId,
  ): Promise<LogChunk | 'lost' | 'missing'> {
    const keys = [this.keys.task(tenant, taskId), this.keys.log(tenant, taskId)];
    const args = [user, after.seq, after.epoch, LOG_CHUNK];
    const reply = asList(await ask(() => runScript(this.redis.reads, 'read-log', keys, args)));
    const code = Number(reply[0]);
    if (code === ScriptCode.Missing) return 'missing';
    if (code === ScriptCode.CursorLost) return 'lost';
    const head = {
      seq: Number(reply[1]),
      epoch: Number(reply[2]),
      state: stateOf(Number(reply[3])),
    };
    return { head, events: toTaskEvents(parseEntries(asList(reply[4])), head) };
  }

  /** Heads of several tasks at once, for the stall check: [seq, epoch], or undefined. */
  async heads(
    tasks: readonly { readonly tenant: string; readonly taskId: string }[],
  ): Promise<(EventId | undefined)[]> {
    const replies = await ask(() =>
      Promise.all(
        tasks.map(({ tenant, taskId }) =>
          this.redis.reads.hmget(this.keys.task(tenant, taskId), 'seq', 'epoch'),
        ),
      ),
    );
    return replies.map(([seq, epoch]) =>
      typeof seq !== 'string' ? undefined : { seq: Number(seq), epoch: Number(epoch) },
    );
  }

  /** The current status of a task and whether its owner's lease lives, for a stream's heartbeat. */
  async pulse(
    tenant: string,
    taskId: string,
    leaseMs: number,
    now: number,
  ): Promise<
    { contextId: string; state: TaskStateName; updated: number; alive: boolean } | undefined
  > {
    const task = this.keys.task(tenant, taskId);
    const [state, updated, owner, contextId] = await ask(() =>
      this.redis.reads.hmget(task, 'state', 'updated', 'owner', 'context_id'),
    );
    if (state === null || state === undefined) return undefined;
    const beat = await ask(() => this.redis.reads.zscore(this.keys.instances(), owner ?? ''));
    const alive = beat !== null && now - Number(beat) < leaseMs;
    return {
      contextId: contextId ?? '',
      state: stateOf(Number(state)),
      updated: Number(updated),
      alive,
    };
  }

  /** The trace of the request that started the task, or continued it last. */
  async traceOf(tenant: string, taskId: string): Promise<TraceCarrier | undefined> {
    const call = await ask(() => this.redis.reads.hget(this.keys.task(tenant, taskId), 'call'));
    if (call === null) return undefined;
    return (JSON.parse(call) as { ctx?: { trace?: TraceCarrier } }).ctx?.trace;
  }

  async context(tenant: string, user: string, contextId: string): Promise<ContextState> {
    const key = this.keys.context(tenant, user, contextId);
    const [running, parked] = await ask(() => this.redis.reads.hmget(key, 'running', 'parked'));
    return { running: running ?? undefined, parked: parked ?? undefined };
  }

  /** The frozen calls of the tasks of a user that run or wait in a queue. */
  async activeCalls(
    tenant: string,
    user: string,
  ): Promise<readonly { readonly taskId: string; readonly call: string }[]> {
    const ids = await ask(() =>
      this.redis.reads.zrange(this.keys.userActive(tenant, user), '0', '-1'),
    );
    const calls = await ask(() =>
      Promise.all(ids.map((id) => this.redis.reads.hget(this.keys.task(tenant, id), 'call'))),
    );
    return ids.flatMap((taskId, index) => {
      const call = calls[index];
      return typeof call === 'string' ? [{ taskId, call }] : [];
    });
  }

  /** The first of these tasks that is not this user's, or does not exist. */
  async firstForeign(
    tenant: string,
    user: string,
    taskIds: readonly string[],
  ): Promise<string | undefined> {
    const owners = await ask(() =>
      Promise.all(taskIds.map((id) => this.redis.reads.hget(this.keys.task(tenant, id), 'user'))),
    );
    return taskIds.find((_id, index) => owners[index] !== user);
  }

  /** The task and the content that a caller's idempotency key stands for, if it was used. */
  async idempotency(
    tenant: string,
    user: string,
    key: string,
  ): Promise<{ taskId: string; fingerprint: string } | undefined> {
    const used = await ask(() => this.redis.reads.get(this.keys.idempotency(tenant, user, key)));
    if (used === null) return undefined;
    const [taskId = '', fingerprint = ''] = used.split(' ');
    return { taskId, fingerprint };
  }

  /** Finished turns of a context, oldest first. */
  async history(tenant: string, user: string, contextId: string): Promise<PastTurn[]> {
    const key = this.keys.history(tenant, user, contextId);
    const turns = await ask(() => this.redis.reads.lrange(key, 0, -1));
    return turns.map((turn) => JSON.parse(turn) as PastTurn);
  }
}
