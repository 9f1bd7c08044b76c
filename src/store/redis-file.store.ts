import { Injectable } from '@nestjs/common';
import { unavailable } from '../domain/errors.js';
import { type KeptFile, parseFiles } from '../domain/file-ref.js';
import { Keys } from '../redis/keys.js';
import { isUncertain } from '../redis/redis-errors.js';
import { RedisConnections } from '../redis/redis.connections.js';

/** Reads of files beside tasks. Every method throws UNAVAILABLE. */
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
}

async function ask<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isUncertain(error) ? unavailable('The task store does not answer', error) : error;
  }
}
