import { IsOptional, Matches, ValidateIf } from 'class-validator';
import { ADMIN_SCOPE, scopesFault } from '../token-scopes.js';
import { Check, cidrsFault, Text } from './rules.js';
import { Secret, type SecretRefDto } from './secret-ref.dto.js';

/** Controls, line ends, and what turns the direction of a text. */
const NOT_SHOWN = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export class TokenDto {
  /** Absent for an admin's. */
  @ValidateIf((of: TokenDto) => of.tenant !== undefined || !of.scopes?.includes(ADMIN_SCOPE))
  @Text(63)
  tenant?: string;

  @Check('user', userFault)
  user!: string;

  @ValidateIf((of: TokenDto) => of.secret === undefined)
  @Matches(/^[0-9a-f]{64}$/i, {
    message: 'must be the 64 hex digits of the token’s SHA-256 (or give secret: {env: NAME})',
  })
  sha256?: string;

  @ValidateIf((of: TokenDto) => of.secret !== undefined)
  @Secret()
  secret?: SecretRefDto;

  @IsOptional()
  @Check('label', labelFault)
  label?: string;

  @IsOptional()
  @Check('scopes', scopesFault)
  scopes?: string[];

  @IsOptional()
  @Check('date', dateFault)
  expires?: string;

  @IsOptional()
  @Check('addresses', addressesFault)
  addresses?: string[];
}

/** A user is an immutable id; any text that a log line and a key can carry. */
export function userFault(value: unknown): string | undefined {
  const ok = typeof value === 'string' && /^[^\p{C}\s]{1,128}$/u.test(value);
  return ok ? undefined : 'must be 1 to 128 characters without spaces and control characters';
}

/** A label stands in one line of a list, beside others. */
export function labelFault(value: unknown): string | undefined {
  const ok = typeof value === 'string' && value.length <= 128 && !NOT_SHOWN.test(value);
  return ok ? undefined : 'must be a text of at most 128 characters, without control characters';
}

/** Only whole dates and times: Date would also read `5` as the year 2001. */
export function dateFault(value: unknown): string | undefined {
  const [, date] = /^(\d{4}-\d{2}-\d{2})/.exec(String(value)) ?? [];
  const ok =
    typeof value === 'string' &&
    date !== undefined &&
    !Number.isNaN(Date.parse(value)) &&
    // Date reads the 30th of February as the 2nd of March.
    !Number.isNaN(Date.parse(date)) &&
    new Date(date).toISOString().startsWith(date);
  return ok ? undefined : 'must be a date such as 2027-01-31T00:00:00Z';
}

/** An empty list would be a token for nobody, or one for everybody: which, nobody could tell. */
export function addressesFault(value: unknown): string | undefined {
  if (Array.isArray(value) && value.length === 0) return 'must not be empty; leave it out instead';
  return cidrsFault(value);
}
