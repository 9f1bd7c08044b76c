import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryTokenStore } from '../../test/support/token-store.js';
import { hashToken } from '../config/token-secret.js';
import { tokenId } from '../store/token.store.js';
import { TokenAdmin } from './token-admin.js';

const HOUR = 3_600_000;

describe('TokenAdmin', () => {
  let store: MemoryTokenStore;
  let raised: string[];
  let now: number;
  let admin: TokenAdmin;

  beforeEach(() => {
    store = new MemoryTokenStore();
    raised = [];
    now = 1_000_000;
    const changes = {
      raise: (kind: string) => {
        raised.push(kind);
        return Promise.resolve();
      },
    };
    admin = new TokenAdmin(store, changes, () => now);
  });

  it('should keep of a secret nothing but its hash', async () => {
    const { secret, record } = await admin.create({ tenant: 'acme', user: 'ann' });
    expect(record).toEqual({
      sha256: hashToken(secret),
      tenant: 'acme',
      user: 'ann',
      label: '',
      scopes: ['a2a', 'mcp'],
      created: now,
    });
    expect(JSON.stringify([...store.records.values()])).not.toContain(secret);
  });

  it('should find a token by the beginning of its hash or by itself', async () => {
    const { secret, record } = await admin.create({ tenant: 'acme', user: 'ann' });
    expect(await admin.find(tokenId(record.sha256))).toEqual(record);
    expect(await admin.find(secret)).toEqual(record);
    await expect(admin.find('nj_another')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('should tell the instances of a revocation, after it', async () => {
    const { record } = await admin.create({ tenant: 'acme', user: 'ann' });
    await admin.revoke(record.sha256);
    expect((await store.find(record.sha256))?.revoked).toBe(now);
    expect(raised).toEqual(['tokens']);
  });

  it('should rotate with the same rights and lifetime, the old one good for the overlap', async () => {
    const first = await admin.create({
      tenant: 'acme',
      user: 'ann',
      scopes: ['mcp'],
      label: 'laptop',
      addresses: ['10.0.0.0/8'],
      expires: now + 100 * HOUR,
    });
    now += 90 * HOUR;
    const { secret, record } = await admin.rotate(first.secret, { overlapMs: HOUR });
    expect(secret).not.toBe(first.secret);
    expect(record).toEqual({
      ...first.record,
      sha256: hashToken(secret),
      created: now,
      expires: now + 100 * HOUR,
      replaces: first.record.sha256,
    });
    expect((await store.find(first.record.sha256))?.expires).toBe(now + HOUR);
    now += 2 * HOUR;
    await expect(admin.rotate(first.secret)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
  });
});
