import { type CryptoKey, exportSPKI, generateKeyPair, importJWK } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IssuerHttp } from '../../src/auth/oidc/issuer-http.js';
import { IssuerKeys } from '../../src/auth/oidc/issuer-keys.js';
import { OidcIdentity } from '../../src/auth/oidc/oidc-identity.js';
import type { OidcIssuer } from '../../src/config/oidc.types.js';
import { hashToken } from '../../src/config/token-secret.js';
import { gatewayConfig } from '../support/gateway-config.js';
import { TokenIssuer } from '../support/token-issuer.js';
import { eventually } from '../support/wait.js';

const GATEWAY = 'https://nightjar.example.com';
const NOW = (): number => Math.floor(Date.now() / 1000);

let issuer: TokenIssuer;
const identities: OidcIdentity[] = [];

beforeEach(async () => {
  issuer = await TokenIssuer.start();
});
afterEach(async () => {
  await Promise.all(identities.splice(0).map((identity) => identity.onModuleDestroy()));
  await issuer.stop();
});

function settings(more: Record<string, unknown> = {}): OidcIssuer {
  const config = gatewayConfig(
    {
      publicUrl: GATEWAY,
      auth: {
        oidc: [
          { issuer: issuer.url, allowHttp: true, claims: { tenant: { value: 'acme' } }, ...more },
        ],
      },
      tenants: [{ id: 'acme' }],
    },
    { CLIENT_SECRET: 'the client’s secret' },
  );
  return config.auth.oidc[0]!;
}

function identityOf(more: Record<string, unknown> = {}): OidcIdentity {
  const auth = { headerName: 'X-User-Token', failuresPerMinute: 30, oidc: [settings(more)] };
  const identity = new OidcIdentity({ auth });
  identities.push(identity);
  return identity;
}

async function why(identity: OidcIdentity, token: string): Promise<unknown> {
  const principal = await identity.identify(token, hashToken(token));
  return principal === undefined ? identity.refusalOf(hashToken(token)) : principal;
}

const asks = (path: string): number => issuer.asked.filter((one) => one === path).length;
const b64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an access token', () => {
  it('should prove its subject, in the tenant and with the scopes that its claims lead to', async () => {
    const exp = NOW() + 600;
    expect(await why(identityOf(), await issuer.token({ exp, scope: 'openid mcp' }))).toMatchObject(
      {
        tenant: 'acme',
        user: 'oidc-ann',
        scopes: ['mcp'],
        surfaces: ['a2a', 'mcp'],
        expires: (exp + 30) * 1000,
      },
    );
  });

  it('should have one name for all tokens of a subject and client, and another for any other', async () => {
    const identity = identityOf();
    const idOf = async (claims: Record<string, unknown>): Promise<unknown> =>
      ((await why(identity, await issuer.token(claims))) as { readonly id?: string }).id;
    const id = await idOf({ jti: '1' });
    expect(id).toMatch(/^oidc-[0-9a-f]{16}$/);
    expect(await idOf({ jti: '2', exp: NOW() + 60 })).toBe(id);
    expect(await idOf({ sub: 'bob' })).not.toBe(id);
    expect(await idOf({ client_id: 'other' })).not.toBe(id);
  });

  it.each([
    [GATEWAY, ['a2a', 'mcp']],
    [`${GATEWAY}/`, ['a2a', 'mcp']],
    [`${GATEWAY}/mcp`, ['mcp']],
    [[`${GATEWAY}/a2a`, 'somebody-else'], ['a2a']],
    ['nightjar-by-name', ['a2a', 'mcp']],
  ])('should be good where its audience says: %j', async (aud, surfaces) => {
    const identity = identityOf({ audiences: ['nightjar-by-name'] });
    expect(await why(identity, await issuer.token({ aud }))).toMatchObject({ surfaces });
  });

  it('should be taken with any skew that is allowed, and any algorithm that is named', async () => {
    const identity = identityOf({ clockSkewSeconds: 60, algorithms: ['PS256', 'EdDSA', 'ES256'] });
    const late = { exp: NOW() - 30, nbf: NOW() + 30, iat: NOW() + 30 };
    expect(await why(identity, await issuer.token(late))).toMatchObject({ user: 'oidc-ann' });
    for (const alg of ['PS256', 'EdDSA']) {
      await issuer.rotate(alg);
      expect(await why(identityOf({ algorithms: [alg] }), await issuer.token())).toMatchObject({
        user: 'oidc-ann',
      });
    }
    await issuer.rotate('RS256');
    expect(await why(identityOf({ algorithms: ['ES256'] }), await issuer.token())).toBe(
      'algorithm',
    );
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['audience', { aud: 'https://other.example.com' }, {}],
    ['audience', { aud: `${GATEWAY}.evil.example` }, {}],
    ['audience', { aud: `${GATEWAY}/other` }, {}],
    ['audience', { aud: [] }, {}],
    ['claims', { aud: undefined }, {}],
    ['claims', { sub: undefined }, {}],
    ['claims', { exp: undefined }, {}],
    ['claims', { exp: 'tomorrow' }, {}],
    ['expired', { exp: NOW() - 31 }, {}],
    ['not-yet', { nbf: NOW() + 60 }, {}],
    ['not-yet', { iat: NOW() + 60 }, {}],
    ['issuer', { iss: 'https://other.example.com' }, {}],
    ['issuer', { iss: undefined }, {}],
    ['bound', { cnf: { jkt: 'x' } }, {}],
    ['type', {}, { typ: 'dpop+jwt' }],
    ['type', {}, { typ: 'logout+jwt' }],
    ['type', { at_hash: 'x' }, { typ: 'JWT' }],
    ['type', { typ: 'ID' }, { typ: 'JWT' }],
    ['type', { typ: 'Refresh' }, { typ: 'JWT' }],
  ])('should be refused for its %s: %j %j', async (fault, claims, header) => {
    expect(await why(identityOf(), await issuer.token(claims, header))).toBe(fault);
  });

  it('should be a plain JWT, too, unless RFC 9068 is asked for', async () => {
    for (const typ of ['JWT', undefined, 'application/at+jwt', 'AT+JWT']) {
      const token = await issuer.token({}, { typ });
      expect(await why(identityOf(), token)).toMatchObject({ user: 'oidc-ann' });
      const strict = await why(identityOf({ requireTyp: true }), token);
      if (typ?.toLowerCase().includes('at+jwt') === true) {
        expect(strict).toMatchObject({ user: 'oidc-ann' });
      } else expect(strict).toBe('type');
    }
  });

  it('should prove nothing without the issuer’s own signature', async () => {
    const identity = identityOf();
    const good = await issuer.token();
    const [head = '', body = '', signature = ''] = good.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
    const other = await generateKeyPair('ES256');
    const publicKey = await importJWK(issuer.keys[0]!, 'ES256');
    const pem = new TextEncoder().encode(await exportSPKI(publicKey as CryptoKey));
    const forged: readonly [string, string][] = [
      ['algorithm', `${b64({ alg: 'none', typ: 'at+jwt' })}.${body}.`],
      ['algorithm', `${b64({ alg: 'None', typ: 'at+jwt' })}.${body}.`],
      ['algorithm', await issuer.token({}, { alg: 'HS256' }, pem)],
      ['signature', await issuer.token({}, {}, other.privateKey)],
      ['signature', `${head}.${b64({ ...claims, sub: 'bob' })}.${signature}`],
      ['signature', `${head}.${body}.`],
      // Keys that the token itself brings are nobody's.
      ['signature', await issuer.token({}, { jwk: issuer.keys[0] }, other.privateKey)],
      ['signature', await issuer.token({}, { jku: `${issuer.url}/evil` }, other.privateKey)],
      ['key', await issuer.token({}, { kid: 'unknown' })],
      ['key', await issuer.token({}, { kid: 'unknown' }, other.privateKey)],
    ];
    for (const [fault, token] of forged) {
      expect([fault, await why(identity, token)]).toEqual([fault, fault]);
    }
    expect(issuer.asked).not.toContain('/evil');
    expect(await why(identity, good)).toMatchObject({ user: 'oidc-ann' });
  });

  it('should do without a key’s name where there are few keys', async () => {
    const [first] = issuer.keys;
    await issuer.rotate();
    issuer.keys.unshift(first!);
    const bare = await issuer.token({}, { kid: undefined });
    expect(await why(identityOf(), bare)).toMatchObject({ user: 'oidc-ann' });
    const other = await generateKeyPair('ES256');
    const forged = await issuer.token({}, { kid: undefined }, other.privateKey);
    expect(await why(identityOf(), forged)).toBe('signature');
    // More than any rotation needs are not tried one after the other.
    issuer.keys.unshift(first!, first!, first!);
    expect(await why(identityOf(), bare)).toBe('signature');
  });

  it('should be over when it is over, however lately it was checked', async () => {
    const identity = identityOf({ clockSkewSeconds: 0 });
    const token = await issuer.token({ exp: NOW() + 2 });
    expect(await why(identity, token)).toMatchObject({ user: 'oidc-ann' });
    await eventually('it is over', async () => (await why(identity, token)) === 'expired');
  });

  it('should be checked by the issuer that it names, and be nobody’s of another', async () => {
    const other = await TokenIssuer.start();
    try {
      const claims = { tenant: { value: 'acme' }, userPrefix: 'other-' };
      const oidc = [settings(), settings({ issuer: other.url, claims })];
      const both = new OidcIdentity({
        auth: { headerName: 'X-User-Token', failuresPerMinute: 30, oidc },
      });
      identities.push(both);
      expect(await why(both, await issuer.token())).toMatchObject({ user: 'oidc-ann' });
      expect(await why(both, await other.token())).toMatchObject({ user: 'other-ann' });
      const posing = await other.token({ iss: issuer.url }, { kid: issuer.kid });
      expect(await why(both, posing)).toBe('signature');
    } finally {
      await other.stop();
    }
  });

  it('should name its subject, also where the user is another claim', async () => {
    const identity = identityOf({ claims: { tenant: { value: 'acme' }, user: 'oid' } });
    expect(await why(identity, await issuer.token({ oid: 'o-1' }))).toMatchObject({
      user: 'oidc-o-1',
    });
    expect(await why(identity, await issuer.token({ oid: 'o-1', sub: undefined }))).toBe('claims');
  });
});

describe('an issuer’s keys', () => {
  it('should be asked for once by many tokens at once, and not again by the next', async () => {
    const identity = identityOf();
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, at) => issuer.token({ jti: String(at) })),
    );
    await Promise.all(tokens.map((token) => why(identity, token)));
    expect([asks('/.well-known/openid-configuration'), asks('/jwks')]).toEqual([1, 1]);
  });

  it('should follow a rotation at once, and let no unknown key ask again and again', async () => {
    let now = 0;
    const config = settings();
    const http = new IssuerHttp(config);
    const keys = new IssuerKeys(config, http, undefined, () => now);
    const before = await keys.current();
    await issuer.rotate();
    expect(await keys.newer(before)).toBeUndefined();
    expect(asks('/jwks')).toBe(1);
    now += 10_001;
    const after = await keys.newer(before);
    expect(after?.jwks().keys.map(({ kid }) => kid)).toEqual([issuer.kid]);
    for (let i = 0; i < 50; i += 1) expect(await keys.newer(after!)).toBeUndefined();
    expect(asks('/jwks')).toBe(2);
    await http.close();
  });

  it('should be renewed behind the requests, and go on while the issuer is away, for a day', async () => {
    let now = 0;
    const config = settings();
    const http = new IssuerHttp(config);
    const keys = new IssuerKeys(config, http, undefined, () => now);
    const first = await keys.current();
    now += 11 * 60_000;
    expect(await keys.current()).toBe(first);
    const second = await eventually('they are renewed', async () => {
      const current = await keys.current();
      return current !== first && current;
    });
    issuer.faults.set('*', (_request, response) => response.destroy());
    for (let hour = 0; hour < 23; hour += 1) {
      now += 3600_000;
      expect(await keys.current()).toBe(second);
    }
    // Whether a key is a new one of the issuer's cannot be said now: neither yes nor no.
    await expect(keys.newer(second)).rejects.toThrow(issuer.url);
    now += 3600_001;
    await expect(keys.current()).rejects.toThrow(issuer.url);
    issuer.faults.clear();
    now += 3001;
    expect((await keys.current()).jwks().keys).toHaveLength(1);
    await http.close();
  });

  it('should be no reason to refuse a token while they cannot be had', async () => {
    issuer.faults.set('/jwks', (_request, response) => response.writeHead(503).end());
    const identity = identityOf();
    const token = await issuer.token();
    for (let i = 0; i < 5; i += 1) {
      await expect(why(identity, token)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        retryAfter: 2,
        message: 'The token cannot be checked right now',
      });
    }
    // Strangers do not make us knock at its door without a pause.
    expect(asks('/jwks')).toBe(1);
  });

  it.each<[string, (of: TokenIssuer) => void]>([
    [
      'a redirect',
      (of) =>
        of.faults.set('/jwks', (_request, response) =>
          response.writeHead(302, { location: `${of.url}/elsewhere` }).end(),
        ),
    ],
    [
      'an endless answer',
      (of) =>
        of.faults.set('/jwks', (_request, response) => {
          response.writeHead(200).write(' '.repeat(600 * 1024));
        }),
    ],
    ['a page', (of) => of.faults.set('/jwks', (_request, response) => response.end('<html>'))],
    ['no keys', (of) => (of.keys = undefined as never)],
    ['a document of another issuer', (of) => (of.document = { issuer: 'https://other.example' })],
    ['a document without keys', (of) => (of.document = { jwks_uri: undefined })],
    // Port 9 of the same host would be refused by nobody listening; this one by where it is.
    ['keys inside our network', (of) => (of.document = { jwks_uri: 'http://10.0.0.1:9/jwks' })],
    ['keys at a local name', (of) => (of.document = { jwks_uri: 'http://localhost:9/jwks' })],
    ['keys in a file', (of) => (of.document = { jwks_uri: 'file:///etc/passwd' })],
  ])('should not come from %s', async (_what, spoil) => {
    spoil(issuer);
    await expect(why(identityOf(), await issuer.token())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(issuer.asked).not.toContain('/elsewhere');
  });

  it('should come from where the configuration says, or from a document of RFC 8414', async () => {
    issuer.document = { jwks_uri: 'http://10.0.0.1:9/jwks' };
    const named = identityOf({ jwksUri: `${issuer.url}/jwks` });
    expect(await why(named, await issuer.token())).toMatchObject({ user: 'oidc-ann' });
    expect(asks('/.well-known/openid-configuration')).toBe(0);

    issuer.faults.set('/.well-known/openid-configuration', (_request, response) =>
      response.writeHead(404).end(),
    );
    issuer.faults.set('/.well-known/oauth-authorization-server', (_request, response) =>
      response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` })),
    );
    expect(await why(identityOf(), await issuer.token())).toMatchObject({ user: 'oidc-ann' });
  });
});

describe('an opaque token', () => {
  const OPAQUE = 'opaque-token-0123456789';
  const introspection = { clientId: 'night:jar', clientSecret: { env: 'CLIENT_SECRET' } };
  const claims = (): Record<string, unknown> => ({
    active: true,
    sub: 'ann',
    aud: GATEWAY,
    scope: 'mcp',
    exp: NOW() + 600,
  });

  it('should be what the issuer says of it, asked once with the client’s secret', async () => {
    issuer.opaque.set(OPAQUE, claims());
    let authorization = '';
    issuer.faults.set('/introspect', (request, response) => {
      authorization = request.headers.authorization ?? '';
      response.end(JSON.stringify(claims()));
    });
    const identity = identityOf({ introspection });
    expect(identity.mayKnow(OPAQUE)).toBe(true);
    for (let i = 0; i < 3; i += 1) {
      expect(await why(identity, OPAQUE)).toMatchObject({ user: 'oidc-ann', scopes: ['mcp'] });
    }
    expect(asks('/introspect')).toBe(1);
    expect(Buffer.from(authorization.slice(6), 'base64').toString()).toBe(
      'night%3Ajar:the+client%E2%80%99s+secret',
    );
  });

  it.each<[string, Record<string, unknown>]>([
    ['inactive', { active: false }],
    ['inactive', { active: 'true' }],
    ['audience', { aud: 'https://other.example.com' }],
    ['audience', { aud: undefined }],
    ['claims', { sub: undefined }],
    ['issuer', { iss: 'https://other.example.com' }],
    ['expired', { exp: NOW() - 60 }],
    ['not-yet', { nbf: NOW() + 60 }],
    ['bound', { cnf: { jkt: 'x' } }],
  ])('should be refused: %s %j', async (fault, more) => {
    issuer.opaque.set(OPAQUE, { ...claims(), ...more });
    expect(await why(identityOf({ introspection }), OPAQUE)).toBe(fault);
  });

  it('should not be asked about again at once when it is none, and never when it is ours', async () => {
    const identity = identityOf({ introspection });
    for (let i = 0; i < 5; i += 1) expect(await why(identity, OPAQUE)).toBe('inactive');
    expect(asks('/introspect')).toBe(1);
    expect(identity.mayKnow(`nj_${'x'.repeat(43)}`)).toBe(false);
    expect(identityOf().mayKnow(OPAQUE)).toBe(false);
  });

  it('should be neither accepted nor refused while the issuer does not answer', async () => {
    issuer.faults.set('/introspect', (_request, response) => response.writeHead(401).end());
    const identity = identityOf({ introspection });
    await expect(why(identity, OPAQUE)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    issuer.faults.clear();
    issuer.opaque.set(OPAQUE, claims());
    expect(await why(identity, OPAQUE)).toMatchObject({ user: 'oidc-ann' });
  });

  it('should lose its open calls when it leads to no tenant any more', async () => {
    const asked = { ...introspection, cacheSeconds: 1 };
    const identity = identityOf({ introspection: asked, claims: { tenant: { claim: 'org' } } });
    issuer.opaque.set(OPAQUE, { ...claims(), org: 'acme' });
    expect(await why(identity, OPAQUE)).toMatchObject({ tenant: 'acme' });
    issuer.opaque.set(OPAQUE, { ...claims(), org: 'Not A Tenant' });
    await eventually('it stands no more', async () => !(await identity.stands(hashToken(OPAQUE))));
  });

  it('should change nothing of what a JWT has signed', async () => {
    const identity = identityOf({ introspection: { ...introspection, tokens: 'all' } });
    const jwt = await issuer.token({ aud: `${GATEWAY}/mcp`, scope: 'mcp' });
    issuer.opaque.set(jwt, { ...claims(), sub: 'mallory', scope: 'a2a mcp' });
    expect(await why(identity, jwt)).toMatchObject({
      ...{ user: 'oidc-ann', scopes: ['mcp'], surfaces: ['mcp'] },
    });
  });

  it('should lose its open calls when it is revoked, and so should a JWT that is asked about', async () => {
    const all = { ...introspection, tokens: 'all', cacheSeconds: 1 };
    const identity = identityOf({ introspection: all });
    const jwt = await issuer.token();
    for (const token of [OPAQUE, jwt]) {
      issuer.opaque.set(token, claims());
      expect(await why(identity, token)).toMatchObject({ user: 'oidc-ann' });
      expect(await identity.stands(hashToken(token))).toBe(true);
      issuer.opaque.delete(token);
      await eventually('it stands no more', async () => !(await identity.stands(hashToken(token))));
      expect(await why(identity, token)).toBe('inactive');
    }
  });
});
