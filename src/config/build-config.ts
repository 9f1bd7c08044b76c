import type { BuildInput } from './build-input.js';
import type { GatewayConfig } from './config.types.js';
import { buildTenants, knownProfile, listOf } from './build-tenants.js';
import { buildAdministration } from './build-administration.js';
import { buildCard } from './build-card.js';
import { buildListeners } from './build-listeners.js';
import { buildOidc } from './build-oidc.js';
import { buildPush } from './build-push.js';
import { buildRedis } from './build-redis.js';
import { adminToken, buildTokens } from './build-tokens.js';
import { buildTracing } from './build-tracing.js';
import { demoTenant, DEMO_TENANT, demoToken } from './demo.js';
import type { GatewayDto } from './dto/gateway.dto.js';
import type { Faults } from './faults.js';
import { buildToolsets, DEFAULT_TOOLSETS } from './toolsets.js';

/** Defaults, references and the checks that span several keys. Adds to `faults`, never throws. */
export function buildConfig(input: BuildInput): GatewayConfig {
  const { dto, folder, files, secrets, faults, demoSha256, adminSha256 } = input;
  const profile = knownProfile(dto.profile) ?? 'default';
  const toolsets = buildToolsets(dto.mcp?.toolsets, 'mcp.toolsets', faults) ?? DEFAULT_TOOLSETS;
  const context = { folder, files, profile, secrets, faults, toolsets };
  const tenants = buildTenants(listOf(dto.tenants), context);
  const demo = demoSha256 !== undefined;
  if (demo) {
    const taken = tenants.findIndex((tenant) => tenant.id === DEMO_TENANT);
    if (taken >= 0) {
      faults.add(`tenants[${taken}].id`, `must not be '${DEMO_TENANT}' while the demo is on`);
    }
    tenants.push(demoTenant(toolsets));
  }
  const ids = new Set(tenants.map((tenant) => tenant.id));
  const tokens = buildTokens(listOf(dto.tokens), ids, secrets, faults);
  if (demo) tokens.push(demoToken(demoSha256));
  if (adminSha256 !== undefined) tokens.push(adminToken(adminSha256));
  return {
    ...buildListeners(input),
    ...(dto.allowedHosts === undefined ? {} : { allowedHosts: dto.allowedHosts }),
    ...(dto.allowedOrigins === undefined ? {} : { allowedOrigins: dto.allowedOrigins }),
    trustedProxies: dto.trustedProxies ?? ['127.0.0.0/8', '::1/128'],
    redis: buildRedis(input),
    auth: {
      headerName: dto.auth?.headerName ?? 'X-User-Token',
      failuresPerMinute: dto.auth?.failuresPerMinute ?? 30,
      ...buildN9eAuth(dto, ids, faults),
      oidc: buildOidc(dto, { tenants: ids, secrets, faults }),
    },
    ...buildAdministration(input),
    a2a: { enabled: dto.a2a?.enabled ?? true },
    files: { inlineMaxBytes: dto.files?.inlineMaxBytes ?? 256 * 1024 },
    mcp: {
      enabled: dto.mcp?.enabled ?? true,
      maxWaitSeconds: dto.mcp?.maxWaitSeconds ?? 240,
      toolsets,
    },
    ...buildPush(input),
    ...buildCard(input),
    execution: buildExecution(dto, faults),
    ...buildTracing(input),
    metrics: { tenantLabels: dto.metrics?.tenantLabels ?? 50 },
    profile,
    log: { level: dto.log?.level ?? 'info' },
    tenants,
    tokens,
    demo,
  };
}

function buildN9eAuth(
  { auth }: GatewayDto,
  tenants: ReadonlySet<string>,
  faults: Faults,
): Pick<GatewayConfig['auth'], 'n9e'> {
  const n9e = auth?.n9e;
  if (n9e === undefined || faults.has('auth.n9e')) return {};
  if (!tenants.has(n9e.tenant)) faults.add('auth.n9e.tenant', 'is not a configured tenant');
  const { url, tenant, mutes = false } = n9e;
  return { n9e: { url: url.replace(/\/+$/, ''), tenant, mutes } };
}

function buildExecution({ execution }: GatewayDto, faults: Faults): GatewayConfig['execution'] {
  const leaseMs = execution?.leaseMs ?? 8000;
  const built = {
    leaseMs,
    // A shortened lease alone shortens what hangs on it.
    heartbeatMs: execution?.heartbeatMs ?? Math.min(2000, Math.floor(leaseMs / 4)),
    sweepMs: execution?.sweepMs ?? Math.min(1000, Math.floor(leaseMs / 8)),
    maxRunsPerInstance: execution?.maxRunsPerInstance ?? 500,
    drainSeconds: execution?.drainSeconds ?? 25,
    maxBlockingSeconds: execution?.maxBlockingSeconds ?? 600,
    streamHeartbeatMs: execution?.streamHeartbeatMs ?? 30_000,
    sseCommentMs: execution?.sseCommentMs ?? 15_000,
    sseStallMs: execution?.sseStallMs ?? 30_000,
  };
  if (built.leaseMs <= 2 * built.heartbeatMs) {
    faults.add('execution.leaseMs', 'must be more than twice heartbeatMs');
  }
  if (built.sweepMs > built.leaseMs) {
    faults.add('execution.sweepMs', 'must not be above leaseMs');
  }
  return built;
}
