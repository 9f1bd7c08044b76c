import { IsOptional, Matches, ValidateIf } from 'class-validator';
import type { SourceConfig } from '../config.types.js';
import { Check, Flag, HttpUrl, httpUrlFault, OneOf, Section, Text, Whole } from './rules.js';
import { TlsDto } from './tls.dto.js';
import { Headers, Secret, type SecretRefDto, type TextOrSecret } from './secret-ref.dto.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Of an HA pair or cluster. */
const MOST_MEMBERS = 5;

export class SourceAuthDto {
  @OneOf(['basic', 'bearer'])
  kind!: 'basic' | 'bearer';

  @ValidateIf((of: SourceAuthDto) => of.kind === 'basic')
  @Text(256)
  username?: string;

  @ValidateIf((of: SourceAuthDto) => of.kind === 'basic')
  @Secret()
  password?: SecretRefDto;

  @ValidateIf((of: SourceAuthDto) => of.kind === 'bearer')
  @Secret()
  token?: SecretRefDto;
}

export class SourceDto {
  @OneOf(['demo', 'alertmanager', 'prometheus', 'n9e'])
  type!: SourceConfig['type'];

  @Matches(NAME, {
    message:
      'must be 1 to 63 characters of A-Z, a-z, 0-9, ., _ and -, starting with a letter or digit',
  })
  name!: string;

  @ValidateIf((of: SourceDto) => of.url !== undefined || (of.type !== 'demo' && !of.urls))
  @HttpUrl()
  url?: string;

  @IsOptional()
  @Check('urls', urlsFault)
  urls?: string[];

  @IsOptional()
  @HttpUrl()
  webUrl?: string;

  @Section(() => TlsDto)
  tls?: TlsDto;

  @ValidateIf((of: SourceDto) => of.type === 'n9e')
  @Check('busiGroups', busiGroupsFault)
  busiGroups?: (number | string)[];

  @IsOptional()
  @Check('datasources', datasourcesFault)
  datasources?: number[];

  @Flag()
  mutes?: boolean;

  @Whole(100, 120_000)
  timeoutMs?: number;

  @Whole(1024, 256 * 1024 * 1024)
  maxBytes?: number;

  @Section(() => SourceAuthDto)
  auth?: SourceAuthDto;

  @IsOptional()
  @Headers()
  headers?: Record<string, TextOrSecret>;
}

function urlsFault(value: unknown): string | undefined {
  const fine =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MOST_MEMBERS &&
    new Set(value).size === value.length &&
    value.every((one) => httpUrlFault(one) === undefined);
  return fine
    ? undefined
    : `must be a list of 1 to ${String(MOST_MEMBERS)} different http:// or https:// URLs`;
}

function busiGroupsFault(value: unknown): string | undefined {
  const fine = (entry: unknown): boolean =>
    isId(entry) || (typeof entry === 'string' && entry.trim() !== '' && entry.length <= 200);
  return Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every(fine)
    ? undefined
    : 'must be a list of 1 to 100 ids or names of busi groups';
}

function datasourcesFault(value: unknown): string | undefined {
  return Array.isArray(value) && value.length <= 10 && value.every(isId)
    ? undefined
    : 'must be a list of at most 10 ids';
}

function isId(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}
