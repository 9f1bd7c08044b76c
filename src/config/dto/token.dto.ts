import { IsOptional, Matches, ValidateIf } from 'class-validator';
import { Check, Text } from './rules.js';
import { Secret, type SecretRefDto } from './secret-ref.dto.js';

/** What a token may be used for, as `auth` knows it. */
const SCOPES: readonly unknown[] = ['a2a', 'mcp'];

export class TokenDto {
  @Text(63)
  tenant!: string;

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
  @Text(128)
  label?: string;

  @IsOptional()
  @Check('scopes', (value) =>
    Array.isArray(value) && value.length > 0 && value.every((scope) => SCOPES.includes(scope))
      ? undefined
      : 'must be a list of a2a and mcp',
  )
  scopes?: string[];
}

/** A user is an immutable id; any text that a log line and a key can carry. */
export function userFault(value: unknown): string | undefined {
  const ok = typeof value === 'string' && /^[^\p{C}\s]{1,128}$/u.test(value);
  return ok ? undefined : 'must be 1 to 128 characters without spaces and control characters';
}
