import { describe, expect, it } from 'vitest';
import type { PushSettings } from '../../config/config.types.js';
import { examinePush } from './examine-push.js';

const PUSH: PushSettings = {
  encryptionKey: '00'.repeat(32),
  allowHttp: false,
  allowPrivate: [],
  timeoutMs: 1,
  pollMs: 1,
  retryBaseMs: 1,
  retryMaxMs: 1,
  giveUpSeconds: 1,
  concurrency: 1,
};

const levels = async (...asked: Parameters<typeof examinePush>): Promise<string[]> =>
  (await examinePush(...asked)).map(({ check, level }) => `${check} ${level}`);

describe('examinePush', () => {
  it('should have nothing to say while webhooks are off', async () => {
    expect(await examinePush({})).toEqual([]);
  });

  it('should want an address for links, and warn of plain HTTP', async () => {
    const publicUrl = 'https://ops.example.org';
    expect(await levels({ push: PUSH, publicUrl })).toEqual(['publicUrl ok']);
    expect(await levels({ push: { ...PUSH, allowHttp: true } })).toEqual([
      'publicUrl warning',
      'allowHttp warning',
    ]);
  });

  it('should look names up, and only names', async () => {
    const allowPrivate = ['hooks.internal', '10.0.0.0/8', '127.0.0.1', 'gone.internal'];
    const find = (host: string): Promise<void> =>
      host === 'hooks.internal' ? Promise.resolve() : Promise.reject(new Error(`no ${host}`));
    const push = { ...PUSH, allowPrivate };
    expect(await levels({ push, publicUrl: 'https://x' }, find)).toEqual([
      'publicUrl ok',
      'allowPrivate ok',
      'allowPrivate error',
    ]);
  });
});
