import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { N9eIdentity } from '../../src/auth/n9e-identity.js';
import { businessError, html, type N9eFacts, N9eServer, plain } from '../support/n9e-server.js';

const ANN = '6f1b0a52-29a6-4f4e-8c0a-1d1f6c3f0001';
const BOB = '6f1b0a52-29a6-4f4e-8c0a-1d1f6c3f0002';
const ADD_ONLY = { operations: ['/alert-mutes', '/alert-mutes/add'] };
const sha = (secret: string): string => createHash('sha256').update(secret).digest('hex');

let server: N9eServer;
let identity: N9eIdentity;

beforeAll(async () => {
  server = await N9eServer.start();
});
afterAll(async () => {
  await server.stop();
});
function identityOf(mutes = false): N9eIdentity {
  const n9e = { url: server.url, tenant: 'acme', mutes };
  return new N9eIdentity({
    auth: { headerName: 'X-User-Token', failuresPerMinute: 30, oidc: [], n9e },
  });
}

beforeEach(() => {
  server.requests.length = 0;
  server.facts.users = {
    [ANN]: { id: 7, username: 'ann', groups: [1, 3] },
    [BOB]: { id: 8, username: 'bob', groups: [] },
  };
  server.facts.groups = [1, 2, 3].map((id) => ({ id, name: `g${String(id)}` }));
  identity = identityOf();
});
afterEach(async () => {
  await identity.onModuleDestroy();
});

const identify = (secret: string) => identity.identify(secret, sha(secret));

describe('a token of n9e', () => {
  it('should prove its user by the id, with the busi groups of that user', async () => {
    expect(await identify(ANN)).toMatchObject({
      tenant: 'acme',
      user: 'n9e-7',
      busiGroups: [1, 3],
    });
    // A user without groups sees nothing, not everything.
    expect(await identify(BOB)).toMatchObject({ user: 'n9e-8', busiGroups: [] });
  });

  it('should be asked about mutes only where the config says so', async () => {
    expect(await identify(ANN)).not.toHaveProperty('mutes');
    expect(server.requests.map(({ path }) => path)).not.toContainEqual(
      expect.stringContaining('perm'),
    );
  });

  describe('where users of n9e may change mutes', () => {
    beforeEach(async () => {
      await identity.onModuleDestroy();
      identity = identityOf(true);
    });

    it.each<[string, Partial<N9eFacts['users'][string]>, number[]]>([
      ['may write', {}, [1, 3]],
      ['may only read', { readOnly: [3] }, [1]],
      ['may add mutes by their role, but not switch one off', ADD_ONLY, []],
      ['have, for an admin', { admin: true, operations: [] }, [1, 3]],
    ])('should name the groups that they %s', async (_name, more, groups) => {
      server.facts.users[ANN] = { id: 7, username: 'ann', groups: [1, 3], ...more };
      const known = await identify(ANN);
      expect(known?.mutes).toEqual({ at: server.url, groups });
      expect(known?.busiGroups).toEqual([1, 3]);
    });

    it('should name none when n9e does not say so, and let them in all the same', async () => {
      for (const path of ['/self/perms', '/busi-group/3/perm/rw']) {
        await identity.onModuleDestroy();
        identity = identityOf(true);
        server.faults.set(path, (response) => response.destroy());
        expect(await identify(ANN)).toMatchObject({ busiGroups: [1, 3], mutes: { groups: [] } });
      }
    });
  });

  it('should be asked about once for many requests at once, and not again soon', async () => {
    await Promise.all([identify(ANN), identify(ANN), identify(ANN)]);
    await identify(ANN);
    expect(server.requests.filter(({ path }) => path.includes('/self/profile'))).toHaveLength(1);
  });

  it('should be refused when n9e does not know it, and not be asked about again at once', async () => {
    for (let i = 0; i < 3; i += 1) expect(await identify('x'.repeat(36))).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });

  it('should be refused by a word in a 200, which n9e answers for much', async () => {
    server.faults.set('/self/profile', (response) => {
      businessError(response, 'unauthorized');
    });
    expect(await identify(ANN)).toBeUndefined();
  });

  it.each<[string, (response: Parameters<typeof html>[0]) => void]>([
    ['an empty 500', (response) => response.writeHead(500).end()],
    ['its pages', html],
    [
      'a plain 502',
      (response) => {
        plain(response, 502, 'bad gateway');
      },
    ],
    [
      'a cut connection',
      (response) => {
        response.destroy();
      },
    ],
  ])('should neither be accepted nor refused for good after %s', async (_name, fault) => {
    server.faults.set('/self/profile', fault);
    await expect(identify(ANN)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await identify(ANN)).toBeDefined();
    // The groups are a part of who it is: without them nothing is accepted.
    server.faults.set('/busi-groups', fault);
    await expect(identify(BOB)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('should not be asked about where the config does not say so', async () => {
    const off = new N9eIdentity({
      auth: { headerName: 'X-User-Token', failuresPerMinute: 30, oidc: [] },
    });
    expect(await off.identify(ANN, sha(ANN))).toBeUndefined();
    expect(server.requests).toEqual([]);
    await off.onModuleDestroy();
  });
});
