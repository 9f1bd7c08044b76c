import { describe, expect, it } from 'vitest';
import type { ClaimMapping } from '../../config/oidc.types.js';
import { type Claims, subjectOf } from './claim-mapping.js';

const MAPPING: ClaimMapping = {
  tenant: { value: 'acme' },
  user: ['sub'],
  userPrefix: 'oidc-',
  scopes: { value: [], claim: ['scope'], requestAs: {} },
};

function map(claims: Claims, more: Partial<ClaimMapping> = {}) {
  return subjectOf({ sub: 'ann', scope: 'a2a mcp', ...claims }, { ...MAPPING, ...more });
}
const tenantOf = (claims: Claims, tenant: ClaimMapping['tenant']): string =>
  map(claims, { tenant }).tenant;
const scopesOf = (claims: Claims, scopes: Partial<ClaimMapping['scopes']>): readonly string[] =>
  map(claims, { scopes: { ...MAPPING.scopes, ...scopes } }).scopes;

describe('whom claims stand for', () => {
  it('should be the subject, apart from users of other origins', () => {
    expect(map({})).toEqual({ tenant: 'acme', user: 'oidc-ann', scopes: ['a2a', 'mcp'] });
    expect(map({ realm: { id: '7' } }, { user: ['realm', 'id'], userPrefix: '' }).user).toBe('7');
  });

  it.each([undefined, '', 7, ['ann'], { a: 1 }, 'two words', 'x'.repeat(125), 'line\nend'])(
    'should be nobody for the subject %j',
    (sub) => {
      expect(() => map({ sub })).toThrow(expect.objectContaining({ fault: 'claims' }) as Error);
    },
  );

  it('should find no claim in what every object has', () => {
    expect(() => map({}, { user: ['constructor', 'name'] })).toThrow();
    expect(() => tenantOf({ g: 'constructor' }, { claim: ['g'], map: {} })).toThrow('no tenant');
  });
});

describe('the tenant', () => {
  const GROUPS = { claim: ['groups'], map: { 'Ops Acme': 'acme', 'ops-globex': 'globex' } };

  it('should be what a claim says, or what the map makes of it', () => {
    expect(tenantOf({ org: 'globex' }, { claim: ['org'] })).toBe('globex');
    expect(
      tenantOf({ 'https://a.example/org': ['acme'] }, { claim: ['https://a.example/org'] }),
    ).toBe('acme');
    expect(tenantOf({ groups: ['staff', 'Ops Acme'] }, GROUPS)).toBe('acme');
    expect(tenantOf({ groups: 'ops-globex' }, GROUPS)).toBe('globex');
  });

  it.each<[string, Claims, ClaimMapping['tenant']]>([
    ['no tenant', {}, GROUPS],
    ['no tenant', { groups: [] }, GROUPS],
    ['no tenant', { groups: ['staff', 7, null] }, GROUPS],
    ['no tenant', { org: '_system' }, { claim: ['org'] }],
    ['no tenant', { org: '../acme' }, { claim: ['org'] }],
    ['more than one tenant', { groups: ['Ops Acme', 'ops-globex'] }, GROUPS],
    ['more than one tenant', { org: ['acme', 'globex'] }, { claim: ['org'] }],
  ])('should be refused: %s', (text, claims, tenant) => {
    expect(() => tenantOf(claims, tenant)).toThrow(
      expect.objectContaining({
        code: 'PERMISSION_DENIED',
        message: expect.stringContaining(text) as string,
      }) as Error,
    );
  });
});

describe('the scopes', () => {
  it('should be those of ours that the claim names, whatever its shape', () => {
    expect(scopesOf({ scope: 'openid mcp admin approvals' }, {})).toEqual(['mcp', 'approvals']);
    expect(scopesOf({ scp: ['a2a'] }, { claim: ['scp'] })).toEqual(['a2a']);
    expect(scopesOf({ scope: undefined }, {})).toEqual([]);
    // Only OAuth's own text is a list of words.
    expect(scopesOf({ roles: ['the mcp team'] }, { claim: ['roles'] })).toEqual([]);
  });

  it('should be what the map makes of roles, beside what everybody has', () => {
    const scopes = {
      value: ['a2a'],
      claim: ['resource_access', 'nightjar', 'roles'],
      map: { lead: ['approvals', 'tasks:read:tenant'], member: ['mcp'] },
    } as const;
    const claims = { resource_access: { nightjar: { roles: ['lead', 'unknown'] } } };
    expect(scopesOf(claims, scopes)).toEqual(['a2a', 'approvals', 'tasks:read:tenant']);
    expect(scopesOf({}, scopes)).toEqual(['a2a']);
  });
});
