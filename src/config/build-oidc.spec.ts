import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.js';
import { loadConfig } from './load-config.js';
import { redact } from './redact.js';

const ISSUER = {
  issuer: 'https://sso.example.com/realms/ops',
  claims: { tenant: { value: 'acme' } },
};

function load(oidc: readonly object[], more: Record<string, unknown> = {}, auth: object = {}) {
  const document = {
    publicUrl: 'https://gw.example.com/',
    tenants: [{ id: 'acme' }],
    auth: { oidc, ...auth },
    ...more,
  };
  return loadConfig({
    environment: { REDIS_URL: 'redis://r:1', SECRET: 'hush-hush' },
    file: '/n.yaml',
    files: { read: () => JSON.stringify(document), exists: () => true },
  });
}

function faults(...args: Parameters<typeof load>): readonly string[] {
  try {
    load(...args);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

const introspection = { clientId: 'c', clientSecret: { env: 'SECRET' } };

describe('auth.oidc', () => {
  it('should have defaults that only lack the tenant', () => {
    expect(load([ISSUER]).auth.oidc).toEqual([
      {
        issuer: ISSUER.issuer,
        audiences: [],
        resource: 'https://gw.example.com',
        algorithms: expect.not.arrayContaining(['HS256', 'none']) as string[],
        requireTyp: false,
        clockSkewSeconds: 30,
        allowHttp: false,
        allowPrivate: [],
        claims: {
          tenant: { value: 'acme' },
          user: ['sub'],
          userPrefix: 'oidc-',
          scopes: { value: [], claim: ['scope'], requestAs: {} },
        },
      },
    ]);
    expect(load([]).auth.oidc).toEqual([]);
  });

  it('should keep the secret of introspection out of what is printed', () => {
    const config = load([{ ...ISSUER, introspection }]);
    expect(config.auth.oidc[0]?.introspection).toMatchObject({
      clientSecret: 'hush-hush',
      tokens: 'opaque',
      cacheSeconds: 30,
    });
    expect(JSON.stringify(redact(config))).not.toContain('hush-hush');
  });

  it.each<[string, object]>([
    ['auth.oidc[0].issuer: must be https', { issuer: 'http://sso.example.com' }],
    ['auth.oidc[0].jwksUri: must be https', { jwksUri: 'http://sso.example.com/keys' }],
    [
      'introspection.url: must be https',
      { introspection: { ...introspection, url: 'http://x.example' } },
    ],
    ['auth.oidc[0].algorithms: must be a list of', { algorithms: ['RS256', 'HS256'] }],
    ['auth.oidc[0].algorithms: must be a list of', { algorithms: ['none'] }],
    ['claims.tenant: must have a value or a claim', { claims: {} }],
    ['claims.tenant.value: is not a configured tenant', { claims: { tenant: { value: 'x' } } }],
    ['claims.tenant: must have one of', { claims: { tenant: { value: 'acme', claim: 'org' } } }],
    [
      'claims.tenant.map: must lead to tenants',
      { claims: { tenant: { claim: 'g', map: { a: '_system' } } } },
    ],
    [
      'claims.scopes.map: must be a mapping',
      { claims: { ...ISSUER.claims, scopes: { claim: 'r', map: { a: ['admin'] } } } },
    ],
    [
      'claims.scopes.value: must be a list of',
      { claims: { ...ISSUER.claims, scopes: { value: ['admin'] } } },
    ],
    [
      'claims.scopes.requestAs: must have only',
      { claims: { ...ISSUER.claims, scopes: { requestAs: { x: 'y' } } } },
    ],
    ['userPrefix: must not begin with n9e-', { claims: { ...ISSUER.claims, userPrefix: 'n9e-7' } }],
    [
      'clientSecret: must be {env: NAME}',
      { introspection: { clientId: 'c', clientSecret: 'inline' } },
    ],
  ])('should refuse: %s', (fault, more) => {
    expect(faults([{ ...ISSUER, ...more }])).toEqual(
      expect.arrayContaining([expect.stringContaining(fault) as string]),
    );
  });

  it('should need to know for whom its tokens are made', () => {
    expect(faults([ISSUER], { publicUrl: undefined })).toEqual([
      'auth.oidc[0].audiences: must be set where publicUrl is not',
    ]);
    expect(faults([{ ...ISSUER, audiences: ['gw'] }], { publicUrl: undefined })).toEqual([]);
  });

  it('should keep the users of two issuers apart, and tokens from those who did not make them', () => {
    const other = { ...ISSUER, issuer: 'https://other.example.com' };
    const named = (userPrefix: string) => ({ ...other, claims: { ...ISSUER.claims, userPrefix } });
    expect(faults([ISSUER, ISSUER]).join()).toContain('is there twice');
    expect(faults([ISSUER, other]).join()).toContain('beginning of another');
    expect(faults([ISSUER, named('')]).join()).toContain('beginning of another');
    expect(faults([ISSUER, named('oidc-b-')]).join()).toContain('beginning of another');
    expect(faults([ISSUER, named('b-')])).toEqual([]);
    expect(
      faults([
        { ...ISSUER, introspection },
        { ...named('b-'), introspection },
      ]).join(),
    ).toContain('one issuer only');
    const n9e = { url: 'http://n9e:1', tenant: 'acme' };
    expect(faults([{ ...ISSUER, introspection }], {}, { n9e }).join()).toContain('auth.n9e');
    expect(faults([ISSUER], {}, { n9e })).toEqual([]);
  });
});
