import type {
  AssistantConfig,
  GatewayConfig,
  HttpSourceConfig,
  RedisLogin,
  RedisSettings,
  SourceConfig,
  TenantConfig,
} from './config.types.js';
import type { OidcIssuer } from './oidc.types.js';
import { redactedRedisUrl } from './redis-url.js';

const HIDDEN = '[redacted]';

/** The configuration as `nightjar config print` shows it: every secret is replaced. */
export function redact(config: GatewayConfig): Record<string, unknown> {
  return {
    ...config,
    auth: { ...config.auth, oidc: config.auth.oidc.map(redactIssuer) },
    ...(config.push === undefined ? {} : { push: { ...config.push, encryptionKey: HIDDEN } }),
    ...(config.tracing === undefined
      ? {}
      : { tracing: { ...config.tracing, headers: hideValues(config.tracing.headers) } }),
    ...(config.card === undefined ? {} : { card: { ...config.card, signingKey: HIDDEN } }),
    redis: redactRedis(config.redis),
    tenants: config.tenants.map(redactTenant),
    // A hash is no secret for a random token, but it is for one that somebody made up.
    tokens: config.tokens.map((token) => ({ ...token, sha256: HIDDEN })),
  };
}

function redactIssuer(issuer: OidcIssuer): OidcIssuer {
  const { introspection } = issuer;
  if (introspection === undefined) return issuer;
  return { ...issuer, introspection: { ...introspection, clientSecret: HIDDEN } };
}

function redactRedis(redis: RedisSettings): Record<string, unknown> {
  const login = (of: RedisLogin): RedisLogin =>
    of.password === undefined ? of : { ...of, password: HIDDEN };
  const { sentinel, tls } = redis;
  return {
    ...login(redis),
    url: redactedRedisUrl(redis.url),
    ...(sentinel === undefined ? {} : { sentinel: login(sentinel) }),
    ...(tls?.key === undefined ? {} : { tls: { ...tls, key: HIDDEN } }),
  };
}

/** A tenant without its secrets. */
export function redactTenant(tenant: TenantConfig): Record<string, unknown> {
  return {
    ...tenant,
    sources: tenant.sources.map(redactSource),
    ...(tenant.runbooks === undefined
      ? {}
      : { runbooks: { ...tenant.runbooks, headers: hideValues(tenant.runbooks.headers) } }),
    remotes: tenant.remotes.map(redactHttp),
    mcpServers: tenant.mcpServers.map((server) =>
      server.transport === 'http'
        ? redactHttp(server)
        : // Arguments may hold anything.
          { ...server, args: server.args.map(() => HIDDEN), env: hideValues(server.env) },
    ),
    assistant: redactAssistant(tenant.assistant),
  };
}

function redactAssistant(assistant: AssistantConfig): Record<string, unknown> {
  switch (assistant.backend) {
    case 'builtin':
    case 'remote':
      return { ...assistant };
    case 'module':
      return { ...assistant, options: hideValues(assistant.options) };
    case 'llm': {
      const key = assistant.apiKey === undefined ? {} : { apiKey: HIDDEN };
      return { ...assistant, ...key, headers: hideValues(assistant.headers) };
    }
  }
}

function redactSource(source: SourceConfig): Record<string, unknown> {
  return source.type === 'demo' ? { ...source } : redactHttp(source);
}

function redactHttp(
  source: Pick<HttpSourceConfig, 'auth' | 'headers' | 'tls'>,
): Record<string, unknown> {
  const { auth, headers, tls } = source;
  return {
    ...source,
    headers: hideValues(headers),
    ...(tls?.key === undefined ? {} : { tls: { ...tls, key: HIDDEN } }),
    ...(auth === undefined
      ? {}
      : {
          auth:
            auth.kind === 'basic'
              ? { ...auth, password: HIDDEN }
              : { kind: auth.kind, token: HIDDEN },
        }),
  };
}

/** Keeps the names: which of the values are secret is not known. */
function hideValues(mapping: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.keys(mapping).map((name) => [name, HIDDEN]));
}
