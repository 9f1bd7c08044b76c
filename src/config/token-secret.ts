import { hash, randomBytes } from 'node:crypto';

/** Lower-case hex SHA-256 of a token: the only form in which Nightjar keeps one. */
export function hashToken(secret: string): string {
  return hash('sha256', secret);
}

/** A new token: `nj_` and 256 random bits, 46 characters. */
export function generateToken(): string {
  return `nj_${randomBytes(32).toString('base64url')}`;
}

/** What is wrong with a token that somebody chose, as the end of a sentence. */
export function tokenSecretFault(secret: string): string | undefined {
  return /^[\x21-\x7e]{32,256}$/.test(secret)
    ? undefined
    : 'must be 32 to 256 printable ASCII characters without spaces';
}
