import { Injectable } from '@nestjs/common';
import { type CallContext, readsAs } from '../domain/call-context.js';
import { DomainError, taskNotFound } from '../domain/errors.js';
import type { KeptFile } from '../domain/file-ref.js';
import { RedisFileStore } from '../store/redis-file.store.js';

export interface FileContent extends KeptFile {
  readonly content: Buffer;
}

/** Files that tools and backends left with a task. */
@Injectable()
export class FileService {
  constructor(private readonly files: RedisFileStore) {}

  /**
   * @throws DomainError TASK_NOT_FOUND, PATH_NOT_FOUND when the own task has no such file;
   * UNAVAILABLE.
   */
  async read(ctx: CallContext, taskId: string, name: string): Promise<FileContent> {
    const [found] = await this.readMany(ctx, taskId, [name]);
    if (found === undefined) throw new DomainError('PATH_NOT_FOUND', 'The task has no such file');
    return found;
  }

  /** Those that are there, in the order of `names`. @throws DomainError TASK_NOT_FOUND, UNAVAILABLE. */
  async readMany(
    ctx: Pick<CallContext, 'tenant' | 'user' | 'scopes'>,
    taskId: string,
    names: readonly string[],
  ): Promise<readonly (FileContent | undefined)[]> {
    const { tenant } = ctx;
    const kept = await this.files.list(tenant, readsAs(ctx), taskId);
    if (kept === undefined) throw taskNotFound(taskId);
    const known = names.map((name) => kept.find((file) => file.name === name));
    const contents = await this.files.read(
      tenant,
      taskId,
      known.map((file) => file?.name),
    );
    return known.map((file, index) => {
      const content = contents[index];
      return file === undefined || content === undefined ? undefined : { ...file, content };
    });
  }
}
