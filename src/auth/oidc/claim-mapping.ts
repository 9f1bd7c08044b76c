import type { ClaimMapping, ClaimPath } from '../../config/oidc.types.js';
import { tenantIdFault } from '../../config/tenant-id.js';
import { TOKEN_SCOPES } from '../../config/token-scopes.js';
import { userFault } from '../../config/dto/token.dto.js';
import { DomainError } from '../../domain/errors.js';
import { RefusedToken } from './refused-token.js';

export type Claims = Readonly<Record<string, unknown>>;

/** Whom the claims of a checked token stand for, here. */
export interface Subject {
  readonly tenant: string;
  readonly user: string;
  readonly scopes: readonly string[];
}

/**
 * @throws RefusedToken when the token names no user that can be one here; DomainError
 * PERMISSION_DENIED when it leads to no tenant, or to several.
 */
export function subjectOf(claims: Claims, mapping: ClaimMapping): Subject {
  const name = claimAt(claims, mapping.user);
  if (typeof name !== 'string' || name === '') throw new RefusedToken('claims');
  const user = `${mapping.userPrefix}${name}`;
  if (userFault(user) !== undefined) throw new RefusedToken('claims');
  return { tenant: tenantOf(claims, mapping.tenant), user, scopes: scopesOf(claims, mapping) };
}

function tenantOf(claims: Claims, mapping: ClaimMapping['tenant']): string {
  if ('value' in mapping) return mapping.value;
  const said = textsOf(claimAt(claims, mapping.claim));
  const { map } = mapping;
  const tenants = new Set(
    map === undefined
      ? said.filter((id) => tenantIdFault(id) === undefined)
      : said.flatMap((name) => (Object.hasOwn(map, name) ? [map[name] ?? ''] : [])),
  );
  const [tenant, ...more] = tenants;
  if (tenant === undefined) throw denied('no tenant');
  if (more.length > 0) throw denied('more than one tenant');
  return tenant;
}

function scopesOf(claims: Claims, { scopes }: ClaimMapping): string[] {
  const { value, claim, map } = scopes;
  const said = claim === undefined ? [] : namesOf(claimAt(claims, claim));
  const given =
    map === undefined
      ? TOKEN_SCOPES.filter((scope) => said.includes(scope))
      : said.flatMap((name) => (Object.hasOwn(map, name) ? (map[name] ?? []) : []));
  return [...new Set<string>([...value, ...given])];
}

function claimAt(claims: Claims, path: ClaimPath): unknown {
  let at: unknown = claims;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Claims)[name];
  }
  return at;
}

function textsOf(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one): one is string => typeof one === 'string' && one !== '');
}

/** OAuth has its scopes as one text with spaces (RFC 8693 section 4.2); roles and groups are lists. */
function namesOf(value: unknown): string[] {
  return typeof value === 'string' ? [value, ...value.split(' ')] : textsOf(value);
}

function denied(what: string): DomainError {
  return new DomainError('PERMISSION_DENIED', `The claims of this token lead to ${what} here`);
}
