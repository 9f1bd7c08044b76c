import { IsOptional, Matches, ValidateIf } from 'class-validator';
import { WRITE_POLICIES, type WritePolicy } from '../config.types.js';
import { Check, Flag, HttpUrl, OneOf, Section, Text, Whole } from './rules.js';
import { Headers, isSecretRef, type TextOrSecret } from './secret-ref.dto.js';
import { SourceAuthDto } from './source.dto.js';

const MIB = 1024 * 1024;
/** It begins the names of tools, which models and MCP bound to 64 characters. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,30}(?<!_)$/;

const RemoteName = (): PropertyDecorator =>
  Matches(NAME, {
    message:
      'must be 1 to 31 characters of A-Z, a-z, 0-9, - and single _, starting with a letter or digit',
  });

const Names = (what: string): PropertyDecorator =>
  Check('names', (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= 200 &&
    value.every((name) => typeof name === 'string' && name !== '' && name.length <= 256)
      ? undefined
      : `must be a list of 1 to 200 ${what}`,
  );

class RemoteHttpDto {
  @IsOptional()
  @Section(() => SourceAuthDto)
  auth?: SourceAuthDto;

  @IsOptional()
  @Headers()
  headers?: Record<string, TextOrSecret>;

  @Flag()
  allowPrivate?: boolean;

  @Flag()
  enabled?: boolean;

  @Whole(1000, 600_000)
  silenceMs?: number;

  @Whole(1, 3600)
  maxSeconds?: number;

  @Whole(64 * 1024, 64 * MIB)
  maxBytes?: number;
}

export class RemoteAgentDto extends RemoteHttpDto {
  @RemoteName()
  name!: string;

  @HttpUrl()
  url!: string;

  @Flag()
  readOnly?: boolean;

  @IsOptional()
  @OneOf(WRITE_POLICIES)
  policy?: WritePolicy;

  @IsOptional()
  @Names('skill ids')
  skills?: string[];
}

export class McpServerDto extends RemoteHttpDto {
  @RemoteName()
  name!: string;

  @IsOptional()
  @OneOf(['http', 'stdio'])
  transport?: 'http' | 'stdio';

  @ValidateIf((of: McpServerDto) => of.transport !== 'stdio' || of.url !== undefined)
  @HttpUrl()
  url?: string;

  @ValidateIf((of: McpServerDto) => of.transport === 'stdio' || of.command !== undefined)
  @Text(4096)
  command?: string;

  @IsOptional()
  @Check('args', (value) =>
    Array.isArray(value) && value.length <= 100 && value.every((arg) => typeof arg === 'string')
      ? undefined
      : 'must be a list of at most 100 texts',
  )
  args?: string[];

  @IsOptional()
  @Check('env', envFault)
  env?: Record<string, TextOrSecret>;

  @IsOptional()
  @Text(4096)
  cwd?: string;

  @IsOptional()
  @Names('names of tools')
  tools?: string[];

  @IsOptional()
  @Check('writes', writesFault)
  writes?: Record<string, WritePolicy>;
}

function envFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'must be a mapping of names to values';
  }
  const fine = Object.entries(value).every(
    ([name, of]) =>
      /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && (typeof of === 'string' || isSecretRef(of)),
  );
  return fine ? undefined : 'must have texts, {env: NAME} or {file: path} as values';
}

function writesFault(value: unknown): string | undefined {
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  const known: readonly unknown[] = WRITE_POLICIES;
  return isMapping && Object.values(value).every((policy) => known.includes(policy))
    ? undefined
    : `must be a mapping of names of tools to one of ${WRITE_POLICIES.join(', ')}`;
}
