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
      line: first.record.sha256,
    });
    expect((await store.find(first.record.sha256))?.expires).toBe(now + HOUR);
    // The answer was lost, or two admins did it: the one successor is named, and goes on the line.
    await expect(admin.rotate(first.secret)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringContaining(tokenId(record.sha256)) as string,
    });
    const third = await admin.rotate(secret, { overlapMs: 0 });
    expect(third.record).toMatchObject({ replaces: record.sha256, line: first.record.sha256 });
    now += 2 * HOUR;
    await expect(admin.rotate(first.secret)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
  });

  it('should make one successor of two rotations at once', async () => {
    const { record } = await admin.create({ tenant: 'acme', user: 'ann' });
    const both = await Promise.allSettled([1, 2].map(() => admin.rotate(record.sha256)));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const valid = (await store.list()).filter(({ revoked }) => revoked === undefined);
    expect(valid).toHaveLength(2);
  });

  it('should give a successor of a revoked one the lifetime that was meant, not the overlap', async () => {
    const expires = now + 100 * HOUR;
    const { record } = await admin.create({ tenant: 'acme', user: 'ann', expires });
    const lost = await admin.rotate(record.sha256, { overlapMs: HOUR });
    await admin.revoke(lost.record.sha256);
    const again = await admin.rotate(record.sha256);
    expect(again.record.expires).toBe(now + 100 * HOUR);
  });
});
