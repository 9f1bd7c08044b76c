/**
 * What a token of a tenant may be used for: the two surfaces; reading every task of its tenant
 * beside the own ones; deciding on approvals of its tenant.
 */
export const TOKEN_SCOPES = ['a2a', 'mcp', 'tasks:read:tenant', 'approvals'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number] | typeof ADMIN_SCOPE;

/** What a token has for which nothing is said. */
export const DEFAULT_SCOPES: readonly TokenScope[] = ['a2a', 'mcp'];

/** The admin API of the whole installation. Never together with a scope of a tenant. */
export const ADMIN_SCOPE = 'admin';

/**
 * Whom admin tokens belong to instead of a tenant. No tenant can have this id, so an admin token
 * opens no surface, and no token of a tenant the admin API.
 */
export const SYSTEM_TENANT = '_system';

/** What is wrong with a list of scopes, as the end of a sentence. */
export function scopesFault(value: unknown): string | undefined {
  const message = `must be a list of ${TOKEN_SCOPES.join(', ')}, or of ${ADMIN_SCOPE} alone`;
  if (!Array.isArray(value) || value.length === 0) return message;
  const known: readonly unknown[] = TOKEN_SCOPES;
  const isAdmin = value.length === 1 && value[0] === ADMIN_SCOPE;
  return isAdmin || value.every((scope) => known.includes(scope)) ? undefined : message;
}
