import { IsOptional } from 'class-validator';
import type { GatewayConfig, ListenTls } from '../config.types.js';
import { PROFILES, type Profile } from '../profiles.js';
import {
  Anything,
  Check,
  Cidr,
  FilePath,
  Flag,
  hostsFault,
  HttpUrl,
  List,
  OneOf,
  Port,
  Section,
  Text,
  Whole,
} from './rules.js';
import { type OidcIssuerDto, OidcIssuers } from './oidc.dto.js';
import { RedisDto } from './redis.dto.js';
import { Headers, Secret, SecretRefDto, type TextOrSecret } from './secret-ref.dto.js';
import { TenantDto } from './tenant.dto.js';
import { TokenDto } from './token.dto.js';
import { HostNames, Origins } from './site-lists.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** Headers that carry something else already, or that a proxy rewrites. */
const TAKEN = /^(authorization|connection|content-.*|cookie|host|transfer-encoding|upgrade)$/i;

class AddressDto {
  @IsOptional()
  @Text(255)
  host?: string;

  @Port()
  port?: number;
}

class ListenTlsDto {
  @FilePath()
  cert!: string;

  @FilePath()
  key!: string;

  @IsOptional()
  @OneOf(['TLSv1.2', 'TLSv1.3'])
  minVersion?: ListenTls['minVersion'];
}

class ListenDto extends AddressDto {
  @Section(() => ListenTlsDto)
  tls?: ListenTlsDto;

  @Flag()
  insecure?: boolean;
}

class ManagementDto extends AddressDto {
  @Flag()
  probesOnMain?: boolean;
}

class N9eAuthDto {
  @HttpUrl()
  url!: string;

  @Text(63)
  tenant!: string;

  @Flag()
  mutes?: boolean;
}

class AuthDto {
  @Section(() => N9eAuthDto)
  n9e?: N9eAuthDto;

  @OidcIssuers()
  oidc?: OidcIssuerDto[];

  @IsOptional()
  @Check('headerName', (name) => {
    if (typeof name !== 'string' || !/^[A-Za-z0-9-]{1,64}$/.test(name)) {
      return 'must be a header name of letters, digits and -';
    }
    return TAKEN.test(name) ? 'must not be a header with a meaning of its own' : undefined;
  })
  headerName?: string;

  @Whole(1, 1_000_000)
  failuresPerMinute?: number;
}

class AdminDto {
  @Flag()
  enabled?: boolean;

  @IsOptional()
  @HostNames()
  allowedHosts?: string[];

  @IsOptional()
  @Check('secretEnv', (value) =>
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(name))
      ? undefined
      : 'must be a list of names of environment variables, or of PREFIX_*',
  )
  secretEnv?: string[];

  @IsOptional()
  @Text(4096)
  secretFolder?: string;
}

class AuditDto {
  @Whole(1, 3650)
  retentionDays?: number;

  @Whole(100, 10_000_000)
  maxEntries?: number;

  @Flag()
  stdout?: boolean;

  @IsOptional()
  @Text(4096)
  file?: string;
}

class UsageDto {
  @Whole(1, 3650)
  retentionDays?: number;
}

class SurfaceDto {
  @Flag()
  enabled?: boolean;
}

class McpDto extends SurfaceDto {
  @Anything()
  toolsets?: unknown;

  @Whole(1, 3600)
  maxWaitSeconds?: number;
}

class FilesDto {
  @Whole(0, 1024 * 1024)
  inlineMaxBytes?: number;
}

class PushDto extends SurfaceDto {
  @IsOptional()
  @Secret()
  encryptionKey?: SecretRefDto;

  @Flag()
  allowHttp?: boolean;

  @IsOptional()
  @Check('hosts', hostsFault)
  allowPrivate?: string[];

  @Whole(100, 60_000)
  timeoutMs?: number;

  @Whole(50, 60_000)
  pollMs?: number;

  @Whole(10, 600_000)
  retryBaseMs?: number;

  @Whole(10, 3_600_000)
  retryMaxMs?: number;

  @Whole(1, 86_400)
  giveUpSeconds?: number;

  @Whole(1, 1000)
  concurrency?: number;
}

class CardDto {
  @IsOptional()
  @Secret()
  signingKey?: SecretRefDto;

  @IsOptional()
  @Text(128)
  keyId?: string;
}

class ExecutionDto {
  @Whole(200, 600_000)
  leaseMs?: number;

  @Whole(50, 60_000)
  heartbeatMs?: number;

  @Whole(50, 60_000)
  sweepMs?: number;

  @Whole(1, 100_000)
  maxRunsPerInstance?: number;

  @Whole(0, 3600)
  drainSeconds?: number;

  @Whole(1, 3600)
  maxBlockingSeconds?: number;

  @Whole(100, 600_000)
  streamHeartbeatMs?: number;

  @Whole(100, 600_000)
  sseCommentMs?: number;

  @Whole(100, 600_000)
  sseStallMs?: number;
}

class TracingDto {
  @IsOptional()
  @HttpUrl()
  endpoint?: string;

  @IsOptional()
  @Headers()
  headers?: Record<string, TextOrSecret>;

  @IsOptional()
  @Check('ratio', (value) =>
    typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'must be a number, 0 to 1',
  )
  sampleRatio?: number;

  @IsOptional()
  @Text(128)
  serviceName?: string;
}

class MetricsDto {
  @Whole(0, 1000)
  tenantLabels?: number;
}

class LogDto {
  @IsOptional()
  @OneOf(LOG_LEVELS)
  level?: GatewayConfig['log']['level'];
}

/** The YAML file, with the environment laid over it. */
export class GatewayDto {
  @Section(() => ListenDto)
  listen?: ListenDto;

  @Section(() => ManagementDto)
  management?: ManagementDto;

  @IsOptional()
  @HttpUrl()
  publicUrl?: string;

  @IsOptional()
  @HostNames()
  allowedHosts?: string[];

  @IsOptional()
  @Origins()
  allowedOrigins?: string[];

  @IsOptional()
  @Cidr()
  trustedProxies?: string[];

  @Section(() => RedisDto)
  redis?: RedisDto;

  @Section(() => AuthDto)
  auth?: AuthDto;

  @Section(() => AdminDto)
  admin?: AdminDto;

  @Section(() => AuditDto)
  audit?: AuditDto;

  @Section(() => UsageDto)
  usage?: UsageDto;

  @Section(() => SurfaceDto)
  a2a?: SurfaceDto;

  @Section(() => McpDto)
  mcp?: McpDto;

  @Section(() => FilesDto)
  files?: FilesDto;

  @Section(() => PushDto)
  push?: PushDto;

  @Section(() => CardDto)
  card?: CardDto;

  @Section(() => ExecutionDto)
  execution?: ExecutionDto;

  @Section(() => TracingDto)
  tracing?: TracingDto;

  @Section(() => MetricsDto)
  metrics?: MetricsDto;

  @Section(() => LogDto)
  log?: LogDto;

  @IsOptional()
  @OneOf(PROFILES)
  profile?: Profile;

  @List(() => TenantDto)
  tenants?: TenantDto[];

  @List(() => TokenDto)
  tokens?: TokenDto[];
}
