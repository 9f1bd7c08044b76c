import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { PastTurn } from '../assistant/assistant-backend.js';
import { parseFiles } from '../domain/file-ref.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { asList, runScript, type ScriptReply } from '../redis/scripts.js';
import { ScriptCode } from '../redis/script-code.js';
import { ask, askPatiently } from './ask.js';
import { TaskKeys, type TaskRef } from './task-ref.js';

/** A context as Redis keeps it; times in ms since the epoch, by Redis. */
export interface ContextRecord {
  readonly contextId: string;
  /** How many turns it has had. */
  readonly turns: number;
  /** When its last task began or went on. */
  readonly updated: number;
  /** The task that holds its lock. */
  readonly running: string | undefined;
  /** The task with an open question. */
  readonly parked: string | undefined;
}

/** Behind which row a page begins. */
export interface RowPosition {
  readonly score: string;
  readonly id: string;
}

const CHUNK = 100;

/** A user's contexts, and the deletion of what is over. Every method throws UNAVAILABLE. */
@Injectable()
export class RedisContextStore {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** With its files. */
  async deleteTask(ref: TaskRef): Promise<'deleted' | 'missing' | 'not ended'> {
    const { tenant, user, taskId } = ref;
    const k = new TaskKeys(this.keys, ref);
    const keys = [
      ...[k.task, k.log, k.snapshot, this.keys.push(tenant, taskId), k.pushDue],
      ...[...k.indexes, ...k.states, k.stage(`delete-${randomUUID()}`)],
      ...k.kept.slice(0, 2),
    ];
    const [code, files] = await this.run('delete-task', keys, [taskId, user]);
    if (code === ScriptCode.Missing) return 'missing';
    if (code === ScriptCode.NotEnded) return 'not ended';
    const names = parseFiles(String(files)).map((file) => k.file(file.name));
    if (names.length > 0) await ask(() => this.redis.reads.unlink(...names));
    return 'deleted';
  }

  /**
   * @param voidTask the task whose question, if it is still the open one, does not count.
   * @returns `asked` with the task that has an open question.
   */
  async close(
    tenant: string,
    user: string,
    contextId: string,
    voidTask: string,
  ): Promise<'closed' | 'missing' | 'busy' | { readonly asked: string }> {
    const keys = [
      this.keys.context(tenant, user, contextId),
      this.keys.history(tenant, user, contextId),
      this.keys.contexts(tenant, user),
      this.keys.queue(tenant, user, contextId),
      this.keys.stage(tenant, contextId, `close-${randomUUID()}`),
    ];
    const [code, taskId] = await this.run('close-context', keys, [contextId, voidTask]);
    if (code === ScriptCode.Missing) return 'missing';
    if (code === ScriptCode.ContextBusy) return 'busy';
    return code === ScriptCode.QuestionOpen ? { asked: String(taskId) } : 'closed';
  }

  async get(tenant: string, user: string, contextId: string): Promise<ContextRecord | undefined> {
    const [record] = await this.getMany(tenant, user, [contextId]);
    return record;
  }

  /** Finished turns, oldest first. */
  async history(tenant: string, user: string, contextId: string): Promise<PastTurn[]> {
    const key = this.keys.history(tenant, user, contextId);
    const turns = await ask(() => this.redis.reads.lrange(key, 0, -1));
    return turns.map((turn) => JSON.parse(turn) as PastTurn);
  }

  /**
   * One page, newest task first, equal times by id descending. The index outlives the contexts:
   * those that have expired are left out, and removed from it.
   */
  async list(
    tenant: string,
    user: string,
    after: RowPosition | undefined,
    most: number,
  ): Promise<{ readonly contexts: readonly ContextRecord[]; readonly next?: RowPosition }> {
    const index = this.keys.contexts(tenant, user);
    const found: { record: ContextRecord; row: RowPosition }[] = [];
    let from = after;
    for (;;) {
      const rows = await this.rowsBehind(index, from);
      const last = rows.at(-1);
      if (last === undefined) return { contexts: found.map(({ record }) => record) };
      from = last;
      const records = await this.getMany(
        tenant,
        user,
        rows.map(({ id }) => id),
      );
      const gone = rows.filter((_row, i) => records[i] === undefined);
      await this.forget(index, gone);
      rows.forEach((row, i) => {
        const record = records[i];
        if (record !== undefined) found.push({ record, row });
      });
      const end = found[most - 1]?.row;
      if (found.length > most && end !== undefined) {
        return { contexts: found.slice(0, most).map(({ record }) => record), next: end };
      }
    }
  }

  private async forget(index: string, gone: readonly RowPosition[]): Promise<void> {
    if (gone.length === 0) return;
    await ask(() => this.redis.reads.zrem(index, ...gone.map(({ id }) => id)));
  }

  private async rowsBehind(index: string, from: RowPosition | undefined): Promise<RowPosition[]> {
    const rows: RowPosition[] = [];
    // Behind the rows of the same time that come before; these are few.
    for (let offset = 0; rows.length === 0; offset += CHUNK) {
      const max = from?.score ?? '+inf';
      const flat = await ask(() =>
        this.redis.reads.zrevrangebyscore(index, max, '-inf', 'WITHSCORES', 'LIMIT', offset, CHUNK),
      );
      if (flat.length === 0) return rows;
      for (let i = 0; i < flat.length; i += 2) {
        const [id = '', score = ''] = flat.slice(i, i + 2);
        const seen = from !== undefined && score === from.score && compareBytes(id, from.id) >= 0;
        if (!seen) rows.push({ id, score });
      }
    }
    return rows;
  }

  private async getMany(
    tenant: string,
    user: string,
    ids: readonly string[],
  ): Promise<(ContextRecord | undefined)[]> {
    const replies = await ask(() =>
      Promise.all(
        ids.map((id) => {
          const key = this.keys.context(tenant, user, id);
          return this.redis.reads.hmget(key, 'turn', 'updated', 'running', 'parked');
        }),
      ),
    );
    return ids.map((contextId, index) => {
      const [turn, updated, running, parked] = replies[index] ?? [];
      if (turn === null || turn === undefined) return undefined;
      return {
        contextId,
        turns: Number(turn),
        updated: Number(updated),
        running: running ?? undefined,
        parked: parked ?? undefined,
      };
    });
  }

  private run(
    name: Parameters<typeof runScript>[1],
    keys: readonly string[],
    args: readonly string[],
  ): Promise<readonly ScriptReply[]> {
    const send = async (): Promise<readonly ScriptReply[]> =>
      asList(await runScript(this.redis.reads, name, keys, args));
    return askPatiently(send);
  }
}

/** As Redis orders members of one score: by bytes. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
