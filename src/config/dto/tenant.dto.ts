import { IsObject, IsOptional, ValidateIf } from 'class-validator';
import { PROFILES, type Profile } from '../profiles.js';
import type { TenantConfig } from '../config.types.js';
import { tenantIdFault } from '../tenant-id.js';
import { Check, Flag, List, OneOf, Section, Text, Whole } from './rules.js';
import { SourceDto } from './source.dto.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const DAY = 24 * 3600;

export class AssistantDto {
  @OneOf(['builtin', 'module'])
  backend!: 'builtin' | 'module';

  @ValidateIf((of: AssistantDto) => of.backend === 'module')
  @Text(4096)
  module?: string;

  @Flag()
  readOnly?: boolean;

  @IsOptional()
  @IsObject({ message: 'must be a mapping' })
  options?: Record<string, unknown>;
}

export class LimitsDto {
  @Whole(KIB, 16 * MIB)
  a2aBodyBytes?: number;

  @Whole(KIB, 16 * MIB)
  mcpBodyBytes?: number;

  @Whole(1, MIB)
  textBytes?: number;

  @Whole(36, KIB)
  idBytes?: number;

  @Whole(1, 100_000)
  activePerUser?: number;

  @Whole(1, 1_000_000)
  activePerTenant?: number;

  @Whole(1, 100_000)
  streamsPerUser?: number;

  @Whole(1, 1_000_000)
  streamsPerTenant?: number;

  @Whole(1, 1000)
  parkedPerUser?: number;

  @Whole(0, 200)
  historyTurns?: number;

  @Whole(1, DAY)
  runSeconds?: number;

  @Whole(60, 30 * DAY)
  taskTtlSeconds?: number;

  @Whole(60, 30 * DAY)
  contextIdleSeconds?: number;

  @Whole(1, 100)
  listPageMax?: number;
}

export class TenantDto {
  @Check('tenantId', (id) => (typeof id === 'string' ? tenantIdFault(id) : 'must be a text'))
  id!: string;

  @IsOptional()
  @OneOf(PROFILES)
  profile?: Profile;

  @Section(() => AssistantDto)
  assistant?: AssistantDto;

  @List(() => SourceDto)
  sources?: SourceDto[];

  @Section(() => LimitsDto)
  limits?: LimitsDto;

  @IsOptional()
  @OneOf(['rerun', 'fail'])
  takeover?: TenantConfig['takeover'];

  @IsOptional()
  @OneOf(['reject', 'queue'])
  contextConcurrency?: TenantConfig['contextConcurrency'];
}
