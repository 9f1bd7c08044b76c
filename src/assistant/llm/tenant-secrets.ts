import type { HttpSourceConfig, TenantConfig } from '../../config/config.types.js';
import { looksRandom } from './redactor.js';

/** `X-Scope-OrgID: production` is no secret, and its value stands in every second label. */
const SECRET_NAME = /auth|key|token|secret|cookie|passw|credential/i;

/** Every secret of a tenant's configuration that could turn up in a text. */
export function secretsOf({
  assistant,
  sources,
  remotes,
  mcpServers,
  runbooks,
}: TenantConfig): readonly string[] {
  const own =
    assistant.backend === 'llm'
      ? [assistant.apiKey ?? '', ...secretHeaders(assistant.headers)]
      : [];
  return [
    ...own,
    ...secretHeaders(runbooks?.headers ?? {}),
    ...sources.flatMap((source) => (source.type === 'demo' ? [] : secretsOfHttp(source))),
    ...remotes.flatMap(secretsOfHttp),
    ...mcpServers.flatMap((server) =>
      server.transport === 'http' ? secretsOfHttp(server) : secretHeaders(server.env),
    ),
  ].filter((secret) => secret !== '');
}

function secretsOfHttp(
  source: Pick<HttpSourceConfig, 'auth' | 'headers' | 'tls'>,
): readonly string[] {
  const headers = [...secretHeaders(source.headers), source.tls?.key ?? ''];
  if (source.auth === undefined) return headers;
  if (source.auth.kind === 'bearer') return [...headers, source.auth.token];
  const { username, password } = source.auth;
  // Whole as well: that is what stands, in base64, in the header.
  return [...headers, password, `${username}:${password}`];
}

function secretHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers)
    .filter(([name, value]) => SECRET_NAME.test(name) || (value.length >= 16 && looksRandom(value)))
    .flatMap(([, value]) => [value, ...value.split(/\s+/)]);
}
