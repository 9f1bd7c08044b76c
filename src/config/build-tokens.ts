import type { TokenConfig } from './config.types.js';
import type { TokenDto } from './dto/token.dto.js';
import type { Faults } from './faults.js';
import type { SecretReader } from './secrets.js';
import { hashToken, tokenSecretFault } from './token-secret.js';
import { ADMIN_SCOPE, DEFAULT_SCOPES, SYSTEM_TENANT } from './token-scopes.js';

/** The configured tokens, hashed. `tenants` are the ids that a token may name. */
export function buildTokens(
  tokens: readonly TokenDto[],
  tenants: ReadonlySet<string>,
  secrets: SecretReader,
  faults: Faults,
): TokenConfig[] {
  const hashes = new Set<string>();
  return tokens.map((token, index) => {
    const place = `tokens[${index}]`;
    const tenant = tenantOf(token, place, tenants, faults);
    const sha256 = hashOf(token, place, secrets, faults);
    if (hashes.has(sha256)) faults.add(place, 'is the same token as an earlier one');
    if (sha256 !== '') hashes.add(sha256);
    return {
      tenant,
      user: token.user,
      sha256,
      label: token.label ?? '',
      scopes: token.scopes ?? DEFAULT_SCOPES,
      ...(typeof token.expires === 'string' ? { expires: Date.parse(token.expires) } : {}),
      ...(token.addresses === undefined ? {} : { addresses: token.addresses }),
    };
  });
}

/** What NIGHTJAR_ADMIN_TOKEN stands for. */
export function adminToken(sha256: string): TokenConfig {
  return {
    tenant: SYSTEM_TENANT,
    user: 'admin',
    sha256,
    label: 'environment',
    scopes: [ADMIN_SCOPE],
  };
}

function tenantOf(
  token: TokenDto,
  place: string,
  tenants: ReadonlySet<string>,
  faults: Faults,
): string {
  const here = `${place}.tenant`;
  const isAdmin = Array.isArray(token.scopes) && token.scopes.includes(ADMIN_SCOPE);
  if (isAdmin) {
    if (token.tenant !== undefined) faults.add(here, 'must be absent: an admin has no tenant');
    return SYSTEM_TENANT;
  }
  const tenant = token.tenant ?? '';
  if (!faults.has(here) && !tenants.has(tenant)) {
    faults.add(here, 'names a tenant that is not configured');
  }
  return tenant;
}

function hashOf(token: TokenDto, place: string, secrets: SecretReader, faults: Faults): string {
  if (faults.has(`${place}.secret`) || faults.has(`${place}.sha256`)) return '';
  if (token.secret === undefined) return (token.sha256 ?? '').toLowerCase();
  if (token.sha256 !== undefined) {
    faults.add(place, 'must have one of sha256 and secret, not both');
    return '';
  }
  const secret = secrets.read(token.secret, `${place}.secret`);
  if (secret === '') return '';
  const fault = tokenSecretFault(secret);
  if (fault !== undefined) faults.add(`${place}.secret`, `the token ${fault}`);
  return hashToken(secret);
}
