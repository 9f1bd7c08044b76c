import { IsObject, IsOptional, ValidateIf } from 'class-validator';
import { PROFILES, type Profile } from '../profiles.js';
import {
  type AssistantConfig,
  type LlmConfig,
  type TenantConfig,
  WRITE_POLICIES,
  type WritePolicy,
  type WriteRule,
} from '../config.types.js';
import { matchersFault } from '../label-matchers.js';
import { tenantIdFault } from '../tenant-id.js';
import {
  Anything,
  Check,
  Flag,
  hostsFault,
  HttpUrl,
  List,
  OneOf,
  Section,
  Text,
  Whole,
} from './rules.js';
import { McpServerDto, RemoteAgentDto } from './remote.dto.js';
import { Headers, Secret, type SecretRefDto, type TextOrSecret } from './secret-ref.dto.js';
import { SourceDto } from './source.dto.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const DAY = 24 * 3600;

export class AssistantDto {
  @OneOf(['builtin', 'module', 'llm', 'remote'])
  backend!: AssistantConfig['backend'];

  @ValidateIf((of: AssistantDto) => of.backend === 'module')
  @Text(4096)
  module?: string;

  @ValidateIf((of: AssistantDto) => of.backend === 'remote')
  @Text(63)
  agent?: string;

  @Flag()
  readOnly?: boolean;

  @IsOptional()
  @IsObject({ message: 'must be a mapping' })
  options?: Record<string, unknown>;

  @ValidateIf((of: AssistantDto) => of.backend === 'llm')
  @OneOf(['openai-compatible', 'anthropic'])
  provider?: LlmConfig['provider'];

  @ValidateIf((of: AssistantDto) => of.provider === 'openai-compatible' || of.baseUrl !== undefined)
  @HttpUrl()
  baseUrl?: string;

  @ValidateIf((of: AssistantDto) => of.backend === 'llm')
  @Text(256)
  model?: string;

  @IsOptional()
  @Secret()
  apiKey?: SecretRefDto;

  @IsOptional()
  @Headers()
  headers?: Record<string, TextOrSecret>;

  @IsOptional()
  @Check('temperature', (value) =>
    typeof value === 'number' && value >= 0 && value <= 2 ? undefined : 'must be a number, 0 to 2',
  )
  temperature?: number;

  @Whole(2, 100)
  maxSteps?: number;

  @Whole(16, 1_000_000)
  maxTokens?: number;

  // The rules and the tools alone take about half of the least.
  @Whole(8000, 10_000_000)
  contextTokens?: number;

  @Whole(4000, 100_000_000)
  budgetTokens?: number;

  @Whole(100, 3_600_000)
  timeoutMs?: number;

  @IsOptional()
  @OneOf(['builtin'])
  fallback?: 'builtin';
}

class WriteScopeDto {
  @IsOptional()
  @Check('matchers', matchersFault)
  matchers?: string[];

  @Whole(60, 30 * DAY)
  longestSeconds?: number;
}

export class WriteRuleDto {
  @OneOf(WRITE_POLICIES)
  policy!: WritePolicy;

  @Section(() => WriteScopeDto)
  within?: WriteScopeDto;

  @IsOptional()
  @OneOf(WRITE_POLICIES.filter((policy) => policy !== 'auto'))
  otherwise?: WriteRule['otherwise'];
}

export class WritesDto {
  @Section(() => WriteRuleDto)
  create_silence?: WriteRuleDto;

  @Section(() => WriteRuleDto)
  expire_silence?: WriteRuleDto;
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

  @Whole(1, 10_000_000)
  retainedTasksPerUser?: number;

  @Whole(MIB, 1024 * 1024 * MIB)
  retainedBytesPerUser?: number;

  @Whole(1, 100)
  listPageMax?: number;

  // 0 below: no limit.
  @Whole(0, 100_000)
  activePerToken?: number;

  @Whole(0, 100_000)
  streamsPerToken?: number;

  @Whole(0, 10_000_000)
  requestsPerMinutePerToken?: number;

  @Whole(0, 10_000_000)
  requestsPerMinutePerUser?: number;

  @Whole(0, 10_000_000)
  requestsPerMinutePerTenant?: number;

  @Whole(0, 10_000_000)
  requestBurstPerToken?: number;

  @Whole(0, 10_000_000)
  requestBurstPerUser?: number;

  @Whole(0, 10_000_000)
  requestBurstPerTenant?: number;

  @Whole(0, 1_000_000_000)
  tasksPerDayPerToken?: number;

  @Whole(0, 1_000_000_000)
  tasksPerDayPerUser?: number;

  @Whole(0, 1_000_000_000)
  tasksPerDayPerTenant?: number;

  @Whole(0, 1_000_000_000_000)
  llmTokensPerDayPerToken?: number;

  @Whole(0, 1_000_000_000_000)
  llmTokensPerDayPerUser?: number;

  @Whole(0, 1_000_000_000_000)
  llmTokensPerDayPerTenant?: number;

  @Whole(0, 1_000_000_000)
  toolCallsPerDayPerToken?: number;

  @Whole(0, 1_000_000_000)
  toolCallsPerDayPerUser?: number;

  @Whole(0, 1_000_000_000)
  toolCallsPerDayPerTenant?: number;
}

class TenantMcpDto {
  @Anything()
  toolsets?: unknown;
}

class RunbooksDto {
  @Check('runbookHosts', runbookHostsFault)
  hosts!: string[];

  @Flag()
  allowHttp?: boolean;

  @IsOptional()
  @Check('hosts', hostsFault)
  allowPrivate?: string[];

  @IsOptional()
  @Headers()
  headers?: Record<string, TextOrSecret>;

  @Whole(100, 60_000)
  timeoutMs?: number;
}

function runbookHostsFault(value: unknown): string | undefined {
  const fine = (entry: unknown): boolean =>
    typeof entry === 'string' &&
    /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::[1-9]\d{0,4})?$/.test(entry);
  return Array.isArray(value) && value.length > 0 && value.length <= 50 && value.every(fine)
    ? undefined
    : 'must be a list of 1 to 50 lower-case host names, or *. and a name, each with :port or without';
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

  @Anything()
  tools?: unknown;

  @Section(() => RunbooksDto)
  runbooks?: RunbooksDto;

  @List(() => RemoteAgentDto)
  remotes?: RemoteAgentDto[];

  @List(() => McpServerDto)
  mcpServers?: McpServerDto[];

  @Section(() => WritesDto)
  writes?: WritesDto;

  @Section(() => LimitsDto)
  limits?: LimitsDto;

  @IsOptional()
  @OneOf(['rerun', 'fail'])
  takeover?: TenantConfig['takeover'];

  @IsOptional()
  @OneOf(['reject', 'queue'])
  contextConcurrency?: TenantConfig['contextConcurrency'];

  @Section(() => TenantMcpDto)
  mcp?: TenantMcpDto;
}
