import type { BuildContext } from './build-input.js';
import { buildAssistant } from './build-assistant.js';
import { buildMcpServers, buildRemotes } from './build-remotes.js';
import { buildHeaders, buildSources } from './build-sources.js';
import { buildWrites } from './build-writes.js';
import type { TenantConfig } from './config.types.js';
import type { TenantLimits } from './limits.js';
import type { LimitsDto, TenantDto } from './dto/tenant.dto.js';
import type { Faults } from './faults.js';
import { PROFILE_SETTINGS, type Profile } from './profiles.js';
import type { SecretReader } from './secrets.js';
import { buildTools, buildToolsets } from './toolsets.js';

/** Fills in the profile's settings, resolves secrets and paths, checks what spans several keys. */
export function buildTenants(tenants: readonly TenantDto[], context: BuildContext): TenantConfig[] {
  const ids = new Set<string>();
  return tenants.map((tenant, index) => {
    const place = `tenants[${index}]`;
    if (ids.has(tenant.id) && !context.faults.has(`${place}.id`)) {
      context.faults.add(`${place}.id`, 'is taken by another tenant');
    }
    ids.add(tenant.id);
    const settings = PROFILE_SETTINGS[knownProfile(tenant.profile) ?? context.profile];
    const tools = buildTools(tenant.tools, `${place}.tools`, context.faults);
    return {
      id: tenant.id,
      assistant: buildAssistant(
        tenant.assistant,
        `${place}.assistant`,
        context,
        listOf(tenant.remotes),
      ),
      sources: buildSources(
        listOf(tenant.sources),
        `${place}.sources`,
        context.secrets,
        context.faults,
      ),
      ...(tools === undefined ? {} : { tools }),
      ...buildRunbooks(tenant.runbooks, `${place}.runbooks`, context.secrets),
      remotes: buildRemotes(listOf(tenant.remotes), place, context),
      mcpServers: buildMcpServers(
        listOf(tenant.mcpServers),
        listOf(tenant.remotes),
        place,
        context,
      ),
      ...buildWrites(tenant.writes, `${place}.writes`, context.faults),
      limits: buildLimits(tenant.limits, settings.limits, `${place}.limits`, context.faults),
      takeover: tenant.takeover ?? settings.takeover,
      contextConcurrency: tenant.contextConcurrency ?? settings.contextConcurrency,
      toolsets:
        buildToolsets(tenant.mcp?.toolsets, `${place}.mcp.toolsets`, context.faults) ??
        context.toolsets,
    };
  });
}

function buildRunbooks(
  given: TenantDto['runbooks'],
  place: string,
  secrets: SecretReader,
): Pick<TenantConfig, 'runbooks'> {
  if (given === undefined || !Array.isArray(given.hosts)) return {};
  return {
    runbooks: {
      hosts: given.hosts,
      allowHttp: given.allowHttp ?? false,
      allowPrivate: given.allowPrivate ?? [],
      headers: buildHeaders(given.headers, `${place}.headers`, secrets),
      timeoutMs: given.timeoutMs ?? 5000,
    },
  };
}

export function knownProfile(profile: string | undefined): Profile | undefined {
  return profile === 'default' || profile === 'strict' ? profile : undefined;
}

/** A list's mappings; anything else in the file is a fault that validation has found. */
export function listOf<T extends object>(list: readonly T[] | undefined | null): readonly T[] {
  return Array.isArray(list)
    ? list.map((entry: T | null): T => (typeof entry === 'object' ? entry : null) ?? ({} as T))
    : [];
}

function buildLimits(
  limits: LimitsDto | undefined,
  defaults: TenantLimits,
  place: string,
  faults: Faults,
): TenantLimits {
  const set = Object.entries(limits ?? {}).filter(([, value]) => typeof value === 'number');
  const built: TenantLimits = { ...defaults, ...Object.fromEntries(set) };
  if (built.textBytes > built.a2aBodyBytes) {
    faults.add(`${place}.textBytes`, 'must not be above a2aBodyBytes');
  }
  if (built.taskTtlSeconds < built.runSeconds) {
    faults.add(
      `${place}.taskTtlSeconds`,
      'must not be below runSeconds: a silent run would expire',
    );
  }
  for (const whose of ['Token', 'User', 'Tenant'] as const) {
    const burst = `requestBurstPer${whose}` as const;
    if (built[burst] > 0 && built[`requestsPerMinutePer${whose}`] === 0) {
      faults.add(`${place}.${burst}`, `needs requestsPerMinutePer${whose}`);
    }
  }
  return built;
}
