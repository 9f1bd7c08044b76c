import { Injectable } from '@nestjs/common';
import type { TenantLimits } from '../config/limits.js';
import { formatFile, type KeptFile, parseFiles, TASK_FILE_BYTES } from '../domain/file-ref.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { asList, runScript } from '../redis/scripts.js';
import { ask } from './ask.js';
import type { TaskKeys } from './task-ref.js';

/** A task may wait so long for its user before it settles; its files outlast that. */
const LONGEST_QUESTION_SECONDS = 24 * 3600;

/** Files beside tasks: kept by runs, read by callers, for whom reads throw UNAVAILABLE. */
@Injectable()
export class RedisFileStore {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** What a task keeps; undefined when there is no such task of this user ('' for any user). */
  async list(
    tenant: string,
    user: string,
    taskId: string,
  ): Promise<readonly KeptFile[] | undefined> {
    const key = this.keys.task(tenant, taskId);
    const [owner, files] = await ask(() => this.redis.reads.hmget(key, 'user', 'files'));
    const isTheirs = user === '' ? owner !== null : owner === user;
    return isTheirs ? parseFiles(files ?? '') : undefined;
  }

  /** The bytes of each; undefined for one that is not there, or not asked for. */
  async read(
    tenant: string,
    taskId: string,
    names: readonly (string | undefined)[],
  ): Promise<readonly (Buffer | undefined)[]> {
    return Promise.all(
      names.map(async (name) => {
        if (name === undefined) return undefined;
        const key = this.keys.file(tenant, taskId, name);
        return (await ask(() => this.redis.reads.getBuffer(key))) ?? undefined;
      }),
    );
  }

  /**
   * Puts a file's bytes beside the task, for as long as a task can live, and enters it in the list.
   * @returns the script's code: positive, or a refusal.
   */
  async keep(
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
    const reply = asList(await runScript(this.redis.writes, 'keep-file', [keys.task, key], args));
    const code = Number(reply[0]);
    if (code < 0) await this.redis.writes.unlink(key);
    return code;
  }
}
