import { IsObject, IsOptional, IsString, Matches, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { applyDecorators } from '@nestjs/common';
import { Check } from './rules.js';

const INLINE = 'must be {env: NAME} or {file: path}: a secret is never written here';

/** Where a secret is: an environment variable or a file (relative to the YAML file). */
export class SecretRefDto {
  @IsOptional()
  @IsString({ message: 'must be the name of an environment variable' })
  @Matches(/^[A-Za-z_][A-Za-z0-9_]*$/, { message: 'must be the name of an environment variable' })
  env?: string;

  @IsOptional()
  @IsString({ message: 'must be a path' })
  file?: string;
}

/** A required reference to a secret. */
export const Secret = (): PropertyDecorator =>
  applyDecorators(
    IsObject({ message: INLINE }),
    ValidateNested({ message: INLINE }),
    Type(() => SecretRefDto),
  );

/** A plain text, or a reference where the text is a secret. */
export type TextOrSecret = string | SecretRefDto;

export function isSecretRef(value: unknown): value is SecretRefDto {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length === 1 && entries.every(([key, of]) => refKey(key) && typeof of === 'string')
  );
}

function refKey(key: string): boolean {
  return key === 'env' || key === 'file';
}

/** A mapping of header names to texts or references. */
export const Headers = (): PropertyDecorator => Check('headers', headersFault);

function headersFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'must be a mapping of header names to values';
  }
  for (const [name, content] of Object.entries(value)) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return 'must have header names as keys';
    if (!isHeaderText(content) && !isSecretRef(content)) {
      return `must have a text, {env: NAME} or {file: path} as the value of ${name}`;
    }
  }
  return undefined;
}

function isHeaderText(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value);
}
