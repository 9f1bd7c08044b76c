import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_LIMITS } from '../../src/config/limits.js';
import { VARIABLES } from '../../src/config/environment.js';
import { loadConfig } from '../../src/config/load-config.js';

const TEXT = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
const [SMALLEST = '', EVERYTHING = '', SENTINELS = '', ...ISSUERS] = [
  ...TEXT.matchAll(/```yaml\n([^]*?)```/g),
].map((match) => match[1] ?? '');
const ENVIRONMENT = {
  MY_REDIS_URL: 'redis://:pw@redis:6379',
  AM_KEY: 'k',
  N9E_TOKEN: 'n',
  AGENT_B_TOKEN: 'b',
  GRAFANA_TOKEN: 'g',
  PROM_TOKEN: 't',
  CI_TOKEN: 'c'.repeat(40),
  OTLP_AUTH: 'a',
  WIKI_TOKEN: 'w',
};

const KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });

/** What stands in each file that the example names. */
function contentOf(path: string): string {
  return path.endsWith('.pem') ? KEY.toString() : 'secret';
}

function load(yaml: string, environment: Record<string, string>) {
  return loadConfig({
    environment,
    file: '/nightjar.yaml',
    files: {
      read: (path) => (path === '/nightjar.yaml' ? yaml : contentOf(path)),
      exists: () => true,
    },
  });
}

describe('docs/configuration.md', () => {
  it('should show files that load', () => {
    expect(load(SMALLEST, { REDIS_URL: 'redis://r:1' }).tenants[0]?.sources).toHaveLength(2);
    expect(load(EVERYTHING, ENVIRONMENT).tokens).toHaveLength(2);
  });

  it('should show an example of remotes that loads', () => {
    const yaml = readFileSync(join(import.meta.dirname, '../../examples/remotes.yaml'), 'utf8');
    const [ops] = load(yaml, { REDIS_URL: 'redis://r:1' }).tenants;
    expect(ops?.remotes).toMatchObject([{ name: 'agent-b', readOnly: true, policy: 'auto' }]);
    expect(ops?.mcpServers).toMatchObject([{ name: 'grafana', transport: 'http' }]);
  });

  it('should show a Redis behind Sentinels that loads', () => {
    expect(load(SENTINELS, {}).redis).toMatchObject({
      ...{ username: 'nightjar', password: 'secret' },
      ...{ sentinel: { username: 'nightjar', password: 'secret' } },
      tls: { ca: 'secret', cert: 'secret', key: 'secret', serverName: 'redis.example.com' },
    });
  });

  it('should show identity providers that load', () => {
    const environment = { REDIS_URL: 'redis://r:1', OIDC_SECRET: 's' };
    const [all, ...others] = ISSUERS.map((yaml) => load(yaml, environment).auth.oidc[0]);
    expect(others).toHaveLength(2);
    expect(all).toMatchObject({
      requireTyp: false,
      clockSkewSeconds: 30,
      allowHttp: false,
      allowPrivate: [],
      introspection: { tokens: 'opaque', cacheSeconds: 30 },
      claims: { user: ['sub'], userPrefix: 'oidc-' },
    });
  });

  it('should name the defaults as they are', () => {
    const {
      tenants,
      tokens,
      publicUrl,
      redis,
      allowedHosts,
      allowedOrigins,
      card,
      tracing,
      ...shown
    } = load(EVERYTHING, ENVIRONMENT);
    const defaults = loadConfig({ environment: { REDIS_URL: redis.url } });
    // The file shows users of others, whom nobody accepts by default.
    const { n9e, oidc, ...auth } = shown.auth;
    const { tls, insecure, ...listen } = shown.listen;
    expect([tls, insecure]).not.toContain(undefined);
    expect([n9e, oidc[0]]).not.toContain(undefined);
    expect({
      ...shown,
      listen,
      auth: { ...auth, oidc: [] },
      redis,
      tenants: [],
      tokens: [],
    }).toEqual(defaults);
    // Absent by default.
    expect([publicUrl, allowedHosts, allowedOrigins, card, tracing]).not.toContain(undefined);
    expect(tokens).toHaveLength(2);
    expect(tenants[0]?.limits).toEqual(DEFAULT_LIMITS);
    const [source] = (parse(EVERYTHING) as { tenants: { sources: unknown[] }[] }).tenants[0]!
      .sources;
    const bare = load(SMALLEST, { REDIS_URL: 'redis://r:1' }).tenants[0]?.sources[0];
    expect(source).toMatchObject(
      bare?.type === 'alertmanager' ? { timeoutMs: bare.timeoutMs, maxBytes: bare.maxBytes } : {},
    );
  });

  it('should name every variable, and no other', () => {
    for (const variable of Object.keys(VARIABLES)) expect(TEXT).toContain(`\`${variable}\``);
    const named = [...TEXT.matchAll(/`(NIGHTJAR_[A-Z_]+)`/g)].map((match) => match[1] ?? '');
    const known = [
      ...Object.keys(VARIABLES),
      'NIGHTJAR_CONFIG',
      'NIGHTJAR_DEMO_TOKEN',
      'NIGHTJAR_ADMIN_TOKEN',
      'NIGHTJAR_ADMIN_SHA256',
    ];
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('the classes of the configuration', () => {
  it('should have no key that docs/configuration.md leaves out', () => {
    const folder = join(import.meta.dirname, '../../src/config/dto');
    const keys = readdirSync(folder)
      .filter((name) => name.endsWith('.dto.ts'))
      .flatMap((name) => [
        ...readFileSync(join(folder, name), 'utf8').matchAll(/^ {2}(?:readonly )?(\w+)[?!]: /gm),
      ])
      .map(([, key]) => key!);
    // The check itself: it sees keys of several classes.
    expect(keys).toEqual(expect.arrayContaining(['leaseMs', 'tenantLabels', 'sha256', 'baseUrl']));
    expect(
      keys.filter((key) => !new RegExp(`\\b${key}: `).test(TEXT) && !TEXT.includes(`${key}:\n`)),
    ).toEqual([]);
  });
});
