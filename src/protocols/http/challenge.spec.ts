import { describe, expect, it } from 'vitest';
import type { ClaimMapping, OidcIssuer } from '../../config/oidc.types.js';
import { challengeText, requestNames, resourceOf } from './challenge.js';

type Scopes = ClaimMapping['scopes'];

function issuer(scopes: Partial<Scopes> = {}): OidcIssuer {
  return {
    issuer: 'https://sso.example.com',
    audiences: [],
    algorithms: ['RS256'],
    requireTyp: false,
    clockSkewSeconds: 30,
    allowHttp: false,
    allowPrivate: [],
    claims: {
      tenant: { value: 'acme' },
      user: ['sub'],
      userPrefix: 'oidc-',
      scopes: { value: [], claim: ['scope'], requestAs: {}, ...scopes },
    },
  };
}

const at = (url: string) => ({ url, baseUrl: 'https://gw.example.com/ops' });

describe('WWW-Authenticate', () => {
  it('should lead to the metadata of what was called', () => {
    expect(challengeText({ scope: 'mcp' }, at('/mcp'), [issuer()])).toBe(
      'Bearer realm="nightjar", scope="mcp", resource_metadata="https://gw.example.com/ops/.well-known/oauth-protected-resource/mcp"',
    );
    expect(
      challengeText({ error: 'insufficient_scope', scope: 'a2a' }, at('/a2a/tasks?x=/mcp'), [
        issuer(),
      ]),
    ).toBe(
      'Bearer realm="nightjar", error="insufficient_scope", scope="a2a", resource_metadata="https://gw.example.com/ops/.well-known/oauth-protected-resource/a2a"',
    );
  });

  it('should lead nowhere without an issuer, and from paths that are none of a surface', () => {
    expect(challengeText({ scope: 'mcp' }, at('/mcp'), [])).toBe('Bearer realm="nightjar"');
    for (const url of ['/admin/v1/tenants', '/mcpx', '/', '/.well-known/mcp']) {
      expect(challengeText({}, at(url), [issuer()])).toBe('Bearer realm="nightjar"');
      expect(resourceOf(url)).toBeUndefined();
    }
  });
});

describe('what a client asks an issuer for', () => {
  it.each<[string, Partial<Scopes>, string[]]>([
    ['the scope itself', {}, ['mcp']],
    ['the issuer’s name for it', { requestAs: { mcp: 'api://gw/mcp' } }, ['api://gw/mcp']],
    [
      'what the map makes it of',
      { claim: ['scp'], map: { 'ops.use': ['a2a', 'mcp'] } },
      ['ops.use'],
    ],
    ['nothing, where everybody has it', { value: ['mcp'] }, []],
    ['nothing, where it comes of a group', { claim: ['groups'], map: { ops: ['mcp'] } }, []],
  ])('should be %s', (_what, scopes, names) => {
    expect(requestNames([issuer(scopes)], 'mcp')).toEqual(names);
  });

  it('should name no admin scope', () => {
    expect(requestNames([issuer()], 'admin')).toEqual([]);
  });
});
