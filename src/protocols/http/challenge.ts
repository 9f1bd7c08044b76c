import type { OidcIssuer } from '../../config/oidc.types.js';
import type { TokenScope } from '../../config/token-scopes.js';
import type { Challenge } from '../../domain/errors.js';
import { pathOf } from './caller-protocol.js';

const REALM = 'Bearer realm="nightjar"';
export const METADATA_PATH = '/.well-known/oauth-protected-resource';
/** What stands behind the well-known path, and behind the gateway's URL (RFC 9728 section 3.1). */
export const RESOURCES = ['a2a', 'mcp'] as const;
export type Resource = (typeof RESOURCES)[number];

/** Which of the two surfaces a request was for. */
export function resourceOf(url: string): Resource | undefined {
  const path = pathOf(url);
  return RESOURCES.find((name) => path === `/${name}` || path.startsWith(`/${name}/`));
}

/**
 * WWW-Authenticate (RFC 6750 section 3). With an issuer configured it leads a client to the metadata
 * of what it called (RFC 9728 section 5.1), and from there to the issuer.
 */
export function challengeText(
  { error, scope }: Challenge,
  { url, baseUrl }: { readonly url: string; readonly baseUrl: string },
  issuers: readonly OidcIssuer[],
): string {
  const resource = resourceOf(url);
  if (issuers.length === 0 || resource === undefined) return REALM;
  const names = scope === undefined ? [] : requestNames(issuers, scope);
  return [
    REALM,
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(names.length === 0 ? [] : [`scope="${names.join(' ')}"`]),
    `resource_metadata="${baseUrl}${METADATA_PATH}/${resource}"`,
  ].join(', ');
}

/** What a client asks an issuer for, to get this scope; empty where asking is no way to it. */
export function requestNames(issuers: readonly OidcIssuer[], scope: string): string[] {
  const names = issuers.map((issuer) => requestName(issuer, scope as TokenScope));
  return [...new Set(names.filter((name) => name !== undefined))];
}

function requestName({ claims }: OidcIssuer, scope: TokenScope): string | undefined {
  if (scope === 'admin') return undefined;
  const { requestAs, value, claim, map } = claims.scopes;
  const named = requestAs[scope];
  if (named !== undefined || value.includes(scope)) return named;
  // Groups and roles are given, not asked for.
  const isAskedFor = claim?.length === 1 && ['scope', 'scp'].includes(claim[0] ?? '');
  if (!isAskedFor) return undefined;
  if (map === undefined) return scope;
  return Object.keys(map).find((name) => map[name]?.includes(scope) === true);
}
