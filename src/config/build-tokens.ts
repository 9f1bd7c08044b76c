import type { TokenConfig } from './config.types.js';
import type { TokenDto } from './dto/token.dto.js';
import type { Faults } from './faults.js';
import type { SecretReader } from './secrets.js';
import { hashToken, tokenSecretFault } from './token-secret.js';

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
    if (!faults.has(`${place}.tenant`) && !tenants.has(token.tenant)) {
      faults.add(`${place}.tenant`, 'names a tenant that is not configured');
    }
    const sha256 = hashOf(token, place, secrets, faults);
    if (hashes.has(sha256)) faults.add(place, 'is the same token as an earlier one');
    if (sha256 !== '') hashes.add(sha256);
    return {
      tenant: token.tenant,
      user: token.user,
      sha256,
      label: token.label ?? '',
      scopes: token.scopes ?? ['a2a', 'mcp'],
    };
  });
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
