import type { SourceAuth } from '../config/config.types.js';

/** The value of an `Authorization` header (RFC 6750 section 2.1, RFC 7617). */
export function authorizationOf(auth: SourceAuth): string {
  if (auth.kind === 'bearer') return `Bearer ${auth.token}`;
  const pair = Buffer.from(`${auth.username}:${auth.password}`).toString('base64');
  return `Basic ${pair}`;
}
