import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { createLocalJWKSet, type FlattenedJWS, flattenedVerify, type JSONWebKeySet } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TenantConfig } from '../../src/config/config.types.js';
import type { JsonObject } from '../../src/domain/a2a.js';
import { canonicalOfPython03 } from '../../src/protocols/a2a-v1/card-canonical.js';
import { skillsOf } from '../../src/protocols/a2a-v1/tenant-skills.js';
import { sortedJson } from '../support/sorted-json.js';
import { type A2aApp, type Answer, call, rpc, startA2aApp, tenantConfig } from './a2a-harness.js';

const KEYS: readonly (readonly [string, KeyObject])[] = [
  ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
  ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey],
  ['EdDSA', generateKeyPairSync('ed25519').privateKey],
  ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
];

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function cardOf(app: A2aApp, headers: Record<string, string> = {}): Promise<Answer> {
  return call(`${app.url}/.well-known/agent-card.json`, {
    token: null,
    headers: { 'a2a-version': '1.0', ...headers },
  });
}

/** Verifies a served card as a client does: key by the signature's jku and kid. */
async function verify(card: unknown, app: A2aApp): Promise<void> {
  await verifyAgentCardSignature(async (kid, jku) => {
    expect(jku).toBe(`${app.url}/.well-known/jwks.json`);
    const { keys } = (await call(jku!, { token: null })).json as { keys: JsonWebKey[] };
    return keys.find((key) => key['kid'] === kid) as Parameters<typeof Object.assign>[0];
  })(card as AgentCard);
}

/** Indexes of the signatures of a 0.3 card that are over this payload, by the published key. */
async function signaturesOver(payload: string, card: JsonObject, app: A2aApp): Promise<number[]> {
  const keys = createLocalJWKSet(
    (await call(`${app.url}/.well-known/jwks.json`, { token: null })).json as JSONWebKeySet,
  );
  const signatures = card['signatures'] as unknown as FlattenedJWS[];
  const verdicts = await Promise.all(
    signatures.map((one) =>
      flattenedVerify({ ...one, payload: Buffer.from(payload).toString('base64url') }, keys).then(
        ({ protectedHeader }) => protectedHeader?.typ === 'JOSE',
        () => false,
      ),
    ),
  );
  return verdicts.flatMap((isOver, index) => (isOver ? [index] : []));
}

describe('a signed agent card', () => {
  let app: A2aApp;
  afterEach(async () => {
    await app.close();
  });

  it.each(KEYS)('should verify as it is served, signed with %s', async (alg, key) => {
    app = await startA2aApp({ card: { signingKey: pem(key) } });
    const { json, text } = await cardOf(app);
    await verify(json, app);
    const { signatures } = json as { signatures: { protected: string }[] };
    const header = Buffer.from(signatures[0]!.protected, 'base64url').toString();
    expect(JSON.parse(header)).toMatchObject({ alg, typ: 'JOSE' });
    // Another order of keys is the same card; another word is not.
    const turned = Object.fromEntries(Object.entries(json as object).reverse());
    await verify(turned, app);
    const forged = JSON.parse(text.replace('Ops assistant', 'Ops  assistant')) as object;
    await expect(verify(forged, app)).rejects.toThrow('No valid signatures');
  });

  it.each(KEYS)(
    'should verify in 0.3 over the card as served, signed with %s',
    async (_alg, key) => {
      app = await startA2aApp({ card: { signingKey: pem(key) } });
      const served = await cardOf(app, { 'a2a-version': '0.3' });
      const card = served.json as JsonObject;
      expect(card).toMatchObject({ protocolVersion: '0.3.0', url: `${app.url}/a2a` });
      expect(served.headers.get('etag')).toMatch(/^W\//);
      const { signatures: _signatures, ...signed } = card;
      expect(await signaturesOver(sortedJson(signed), card, app)).toEqual([0]);
      // What the SDK for Python makes of it: src/protocols/a2a-v1/card-canonical.spec.ts.
      expect(await signaturesOver(canonicalOfPython03(card), card, app)).toEqual([1]);
      const forged = { ...signed, url: 'https://elsewhere.example.org/a2a' };
      expect(await signaturesOver(sortedJson(forged), card, app)).toEqual([]);
      expect(await signaturesOver(canonicalOfPython03(forged), card, app)).toEqual([]);
    },
  );

  it('should take a JWK and a name for it, and publish nothing private', async () => {
    const [, key] = KEYS[0]!;
    const signingKey = JSON.stringify(key.export({ format: 'jwk' }));
    app = await startA2aApp({ card: { signingKey, keyId: 'card-2026' } });
    await verify((await cardOf(app)).json, app);
    const jwks = await call(`${app.url}/.well-known/jwks.json`, { token: null });
    expect(jwks.headers.get('content-type')).toMatch(/^application\/jwk-set\+json/);
    const { keys } = jwks.json as { keys: Record<string, string>[] };
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatchObject({ kid: 'card-2026', alg: 'ES256', use: 'sig', kty: 'EC' });
    expect(keys[0]).not.toHaveProperty('d');
  });

  it('should have one tag on every instance', async () => {
    const config = { card: { signingKey: pem(KEYS[0]![1]) }, publicUrl: 'https://ops.example.org' };
    app = await startA2aApp(config);
    const other = await startA2aApp(config);
    try {
      const [one, two] = [await cardOf(app), await cardOf(other)];
      expect(one.text).not.toBe(two.text);
      const tag = one.headers.get('etag')!;
      expect(tag).toMatch(/^W\//);
      expect(two.headers.get('etag')).toBe(tag);
      expect((await cardOf(other, { 'if-none-match': tag })).status).toBe(304);
    } finally {
      await other.close();
    }
  });

  it('should be unsigned without a key, and have no key set', async () => {
    app = await startA2aApp();
    expect((await cardOf(app)).json).not.toHaveProperty('signatures');
    expect((await call(`${app.url}/.well-known/jwks.json`, { token: null })).status).toBe(404);
  });
});

describe('the extended card', () => {
  const scripted = (readOnly: boolean): TenantConfig['assistant'] => ({
    backend: 'module',
    module: '/secret/agent.mjs',
    readOnly,
    options: {},
  });
  let app: A2aApp;

  beforeAll(async () => {
    const source = { timeoutMs: 1, maxBytes: 1, headers: {} };
    const url = 'http://secret.internal:9093';
    app = await startA2aApp({
      card: { signingKey: pem(KEYS[0]![1]) },
      tenants: [
        {
          ...tenantConfig('acme', { textBytes: 777, activePerUser: 3 }),
          sources: [{ type: 'alertmanager', name: 'secret-am', url, ...source }],
        },
        { ...tenantConfig('evil'), assistant: scripted(false) },
      ],
    });
  });
  afterAll(async () => {
    await app.close();
  });

  async function v1(token = 'alice-token'): Promise<JsonObject> {
    const rest = await call(`${app.url}/a2a/extendedAgentCard`, { token });
    expect(rest.status).toBe(200);
    return rest.json as JsonObject;
  }

  it('should show the skills and limits of the caller’s tenant', async () => {
    const mine = await v1();
    expect(mine).toMatchObject({
      skills: [{ id: 'n9e-assistant' }],
      capabilities: {
        extendedAgentCard: true,
        extensions: [{ uri: 'urn:nightjar:limits:1', params: { textBytes: 777, activeTasks: 3 } }],
      },
    });
    expect(JSON.stringify(mine['skills'])).toContain('alerts and silences');
    expect(JSON.stringify(mine['skills'])).not.toContain('scrape targets');
    expect(JSON.stringify(mine)).not.toMatch(/secret/);
    const other = await v1('eve-token');
    expect(other).toMatchObject({ skills: [{ id: 'fixed-script' }] });
    expect(JSON.stringify(other)).toContain('may-write');
    expect(JSON.stringify(other)).not.toMatch(/secret/);
  });

  it('should call nothing read-only that may write, and no tenant of n9e without a source', () => {
    const n9e = {
      ...{ type: 'n9e', name: 'n', url: 'http://n9e.internal', token: 't', busiGroups: [] },
      ...{ timeoutMs: 1, maxBytes: 1, headers: {}, datasources: [], readOnly: true },
    } as unknown as TenantConfig['sources'][number];
    const rule = (policy: 'deny' | 'ask-caller') =>
      ({ policy, within: { matchers: [] }, otherwise: 'deny' }) as const;
    const tenant = (writes: TenantConfig['writes']): TenantConfig => ({
      ...tenantConfig('acme'),
      sources: [n9e],
      ...(writes === undefined ? {} : { writes }),
    });
    const skillOf = (writes: TenantConfig['writes']): JsonObject =>
      skillsOf(tenant(writes))[0] as JsonObject;
    for (const writes of [undefined, { create_silence: rule('deny') }]) {
      expect(skillOf(writes)['description']).toMatch(/alerts and silences, metrics.*Read-only/);
      expect(skillOf(writes)['tags']).toContain('read-only');
    }
    const narrow = JSON.stringify(skillsOf({ ...tenant(undefined), tools: ['query_metrics'] }));
    expect(narrow).toContain('metrics');
    expect(narrow).not.toContain('silences');
    const writing = skillOf({ create_silence: rule('ask-caller') });
    expect(writing['description']).toMatch(/may create and end silences/);
    expect(writing['description']).not.toContain('Read-only');
    expect(writing['tags']).toContain('may-write');
    expect(writing['tags']).not.toContain('read-only');
  });

  it('should name the agents that can be asked, not where they are, nor those that are denied', () => {
    const http = { headers: {}, allowPrivate: true, maxBytes: 1, silenceMs: 1, maxSeconds: 1 };
    const remote = (name: string, readOnly: boolean, policy: 'deny' | 'auto' | 'ask-caller') => ({
      ...{ ...http, name, readOnly, policy, url: `https://${name}.secret.internal/` },
    });
    const tenant: TenantConfig = {
      ...tenantConfig('acme'),
      remotes: [
        remote('reads', true, 'auto'),
        remote('writes', false, 'ask-caller'),
        remote('never', false, 'deny'),
      ],
      mcpServers: [
        { ...http, transport: 'http', name: 'tools', url: 'https://secret.internal/', writes: {} },
      ],
    };
    const [, ...asked] = skillsOf(tenant);
    expect(asked.map(({ id, tags }) => [id, tags])).toEqual([
      ['ask-reads', ['remote-agent', 'read-only']],
      ['ask-writes', ['remote-agent', 'may-write']],
    ]);
    expect(asked[1]?.['description']).toContain('once you have approved it');
    expect(JSON.stringify(asked)).not.toContain('secret');
    const assistant = { backend: 'llm' } as TenantConfig['assistant'];
    expect(skillsOf({ ...tenant, assistant }).map(({ id }) => id)).toEqual([
      ...['n9e-assistant', 'ask-reads', 'ask-writes', 'tools-of-others'],
    ]);
    // A user of n9e, whose rights no remote could be narrowed down to.
    expect(skillsOf({ ...tenant, assistant }, false)).toHaveLength(1);
  });

  it('should be pure 1.0, signed, and the same over JSON-RPC', async () => {
    const rest = await v1();
    const emptied = JSON.stringify(rest).replaceAll('{"list":[]}', '{}');
    expect(AgentCard.toJSON(AgentCard.fromJSON(rest))).toEqual(JSON.parse(emptied));
    await verify(rest, app);
    const body = rpc('GetExtendedAgentCard');
    const { json } = await call(`${app.url}/a2a/v1`, { method: 'POST', body });
    const { result } = json as { result: JsonObject };
    const { signatures: _one, ...unsigned } = rest;
    const { signatures: _two, ...overRpc } = result;
    expect(overRpc).toEqual(unsigned);
  });

  it.each([undefined, {}])('should have the shape of 0.3 in 0.3 (params %j)', async (params) => {
    const body = rpc('agent/getAuthenticatedExtendedCard', params, 0);
    for (const path of ['/a2a', '/a2a/v03']) {
      const { json } = await call(`${app.url}${path}`, { method: 'POST', body });
      expect(json).toMatchObject({
        id: 0,
        result: {
          protocolVersion: '0.3.0',
          url: `${app.url}/a2a`,
          supportsAuthenticatedExtendedCard: true,
          skills: [{ id: 'n9e-assistant' }],
          additionalInterfaces: [{ url: `${app.url}/a2a`, transport: 'JSONRPC' }],
        },
      });
    }
  });

  it('should want a token, and the caller’s own tenant', async () => {
    const path = '/a2a/extendedAgentCard';
    const none = await call(`${app.url}${path}`, { token: null });
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toContain('Bearer');
    const over = await call(`${app.url}/a2a`, {
      method: 'POST',
      token: null,
      body: rpc('agent/getAuthenticatedExtendedCard'),
    });
    expect(over.status).toBe(401);
    expect((await call(`${app.url}/a2a/evil/extendedAgentCard`)).status).toBe(404);
  });

  it('should be promised by the public card of both versions', async () => {
    expect((await cardOf(app)).json).toMatchObject({ capabilities: { extendedAgentCard: true } });
    expect((await cardOf(app, { 'a2a-version': '0.3' })).json).toMatchObject({
      supportsAuthenticatedExtendedCard: true,
    });
    expect((await cardOf(app)).text).not.toContain('urn:nightjar:limits');
  });
});
