import { buildTls } from './build-tls.js';
import type { HttpSourceConfig, SourceAuth, SourceConfig } from './config.types.js';
import { isSecretRef, type TextOrSecret } from './dto/secret-ref.dto.js';
import type { SourceAuthDto, SourceDto } from './dto/source.dto.js';
import type { Faults } from './faults.js';
import type { SecretReader } from './secrets.js';

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

/** The sources of one tenant with their secrets resolved. `place` is the list's own. */
export function buildSources(
  sources: readonly SourceDto[],
  place: string,
  secrets: SecretReader,
  faults: Faults,
): SourceConfig[] {
  const names = new Set<string>();
  return sources.map((source, index) => {
    const here = `${place}[${index}]`;
    if (names.has(source.name)) faults.add(`${here}.name`, 'is taken by another source');
    names.add(source.name);
    if (source.type !== 'n9e') {
      for (const key of ['busiGroups', 'datasources', 'mutes'] as const) {
        if (source[key] !== undefined) faults.add(`${here}.${key}`, 'has a meaning for n9e only');
      }
    }
    switch (source.type) {
      case 'demo':
        return buildDemo(source, here, faults);
      case 'n9e':
        return {
          ...buildHttp(source, here, secrets, faults),
          type: 'n9e',
          busiGroups: source.busiGroups ?? [],
          datasources: source.datasources ?? [],
          mutes: source.mutes ?? false,
        };
      default:
        return { ...buildHttp(source, here, secrets, faults), type: source.type };
    }
  });
}

function buildDemo(source: SourceDto, place: string, faults: Faults): SourceConfig {
  for (const key of [
    'url',
    'urls',
    'webUrl',
    'tls',
    'timeoutMs',
    'maxBytes',
    'auth',
    'headers',
  ] as const) {
    if (source[key] !== undefined) {
      faults.add(`${place}.${key}`, 'has no meaning for a demo source');
    }
  }
  return { type: 'demo', name: source.name };
}

function buildHttp(
  source: SourceDto,
  place: string,
  secrets: SecretReader,
  faults: Faults,
): HttpSourceConfig {
  const auth = buildAuth(source.auth, `${place}.auth`, secrets, faults);
  if (source.url !== undefined && source.urls !== undefined) {
    faults.add(`${place}.urls`, 'must not stand beside url: name all members in urls');
  }
  const [url = '', ...peers] = [...addressesOf(source)].map((one) => one.replace(/\/+$/, ''));
  const tls = buildTls(source.tls, `${place}.tls`, { secrets, faults });
  if (tls !== undefined && ![url, ...peers].some((one) => one.startsWith('https:'))) {
    faults.add(`${place}.tls`, 'needs an https:// address');
  }
  return {
    name: source.name,
    url,
    ...(peers.length === 0 ? {} : { peers }),
    ...(typeof source.webUrl === 'string' ? { webUrl: source.webUrl.replace(/\/+$/, '') } : {}),
    ...(tls === undefined ? {} : { tls }),
    timeoutMs: source.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxBytes: source.maxBytes ?? DEFAULT_MAX_BYTES,
    ...(auth === undefined ? {} : { auth }),
    headers: buildHeaders(source.headers, `${place}.headers`, secrets),
  };
}

function addressesOf({ url, urls }: SourceDto): readonly string[] {
  if (Array.isArray(urls)) return urls.filter((one) => typeof one === 'string');
  return typeof url === 'string' ? [url] : [];
}

/** Header names to values, references resolved. */
export function buildHeaders(
  headers: Readonly<Record<string, TextOrSecret>> | undefined,
  place: string,
  secrets: SecretReader,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [
      name,
      isSecretRef(value) ? secrets.read(value, `${place}.${name}`) : value,
    ]),
  );
}

/** Credentials with their references resolved. `place` is the section's own. */
export function buildAuth(
  auth: SourceAuthDto | undefined,
  place: string,
  secrets: SecretReader,
  faults: Faults,
): SourceAuth | undefined {
  if (auth === undefined || faults.has(place)) return undefined;
  if (auth.kind === 'bearer') {
    return { kind: 'bearer', token: secrets.read(auth.token, `${place}.token`) };
  }
  return {
    kind: 'basic',
    username: auth.username ?? '',
    password: secrets.read(auth.password, `${place}.password`),
  };
}
