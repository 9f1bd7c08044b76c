import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../config/limits.js';
import type { Part } from '../domain/a2a.js';
import { fileOf, type KeptFile } from '../domain/file-ref.js';
import type { RedisFileStore } from '../store/redis-file.store.js';
import type { TaskKeys } from '../store/task-ref.js';
import { RunFiles } from './run-files.js';

const RAW = Buffer.from('abc').toString('base64');

async function keptAs(filename: string): Promise<{ part: Part; file: KeptFile }> {
  const written: KeptFile[] = [];
  const store = {
    keep: (_keys: TaskKeys, _epoch: number, file: KeptFile) => {
      written.push(file);
      return Promise.resolve(1);
    },
  } as unknown as RedisFileStore;
  const files = new RunFiles(store, {} as TaskKeys, DEFAULT_LIMITS, 7);
  const [part] = await files.keep([{ raw: RAW, filename, mediaType: 'image/png' }]);
  return { part: part!, file: written[0]! };
}

describe('the name of a file', () => {
  it.each([
    ['../../etc/passwd', '_.._etc_passwd'],
    ['C:\\temp\\x.png', 'C__temp_x.png'],
    ['..', 'file'],
    ['', 'file'],
    ['a\r\nb\0.png', 'a__b_.png'],
    ['cpu "prod".png', 'cpu _prod_.png'],
    ['\ud800.png', '_.png'],
    ['jpg.\u202egpj.exe', 'jpg._gpj.exe'],
    ['\u2067x\u2069.png', '_x_.png'],
    ['图表.png', '图表.png'],
  ])('should be plain: %j is %j', async (given, shown) => {
    const { part, file } = await keptAs(given);
    expect(part.filename).toBe(shown);
    expect(file).toEqual({ name: `7-1-${shown}`, bytes: 3, mediaType: 'image/png' });
    expect(fileOf(part)).toEqual({ name: file.name, bytes: 3 });
  });

  it('should lead to the file however long it is in bytes, and keep its end', async () => {
    const { part, file } = await keptAs(`${'🌍'.repeat(200)}.png`);
    expect(part.filename).toBe(`${'🌍'.repeat(96)}.png`);
    expect(fileOf(part)).toEqual({ name: file.name, bytes: 3 });
  });
});
