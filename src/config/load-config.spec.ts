import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.js';
import type { GatewayConfig } from './config.types.js';
import { loadConfig } from './load-config.js';
import { hashToken } from './token-secret.js';

const REDIS = { REDIS_URL: 'redis://127.0.0.1:6379' };
const HASH = 'ab'.repeat(32);

/** Loads a document as if it stood in /etc/nj/nightjar.yaml beside `files`. */
function load(
  document: unknown,
  environment: Record<string, string> = REDIS,
  files: Record<string, string> = {},
): GatewayConfig {
  const all: Record<string, string> = {
    '/etc/nj/nightjar.yaml': typeof document === 'string' ? document : stringify(document),
    ...files,
  };
  return loadConfig({
    environment,
    file: '/etc/nj/nightjar.yaml',
    files: {
      read: (path) => {
        const text = all[path];
        if (text === undefined) throw Object.assign(new Error('no file'), { code: 'ENOENT' });
        return text;
      },
      exists: (path) => Object.hasOwn(all, path),
    },
  });
}

function faultsOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('should need nothing but a Redis', () => {
    const config = loadConfig({ environment: REDIS });
    expect(config.listen).toEqual({ host: '127.0.0.1', port: 17_000 });
    expect(config.management).toEqual({ host: '127.0.0.1', port: 18_000, probesOnMain: false });
    expect(config.auth.headerName).toBe('X-User-Token');
    expect(config.a2a.enabled && config.mcp.enabled).toBe(true);
    expect(config.trustedProxies).toEqual(['127.0.0.0/8', '::1/128']);
    expect(config.tenants).toEqual([]);
    expect(config.demo).toBe(false);
  });

  it('should read the names and pages that may call, from the file or the environment', () => {
    const document = {
      allowedHosts: ['gw', '[::1]:1'],
      allowedOrigins: ['https://c.example:8443'],
    };
    expect(load(document)).toMatchObject(document);
    const environment = { ...REDIS, NIGHTJAR_ALLOWED_HOSTS: 'a.example, b.example:80' };
    expect(load(document, environment).allowedHosts).toEqual(['a.example', 'b.example:80']);
    expect(
      faultsOf(() => load({ allowedHosts: ['https://gw'], allowedOrigins: ['*', 'null'] })),
    ).toEqual([
      'allowedHosts: must be a list of host names, each with or without a port',
      'allowedOrigins: must be a list of origins such as https://console.example.com',
    ]);
  });

  it('should take the toolsets of a tenant, else those of the gateway, else the assistant', () => {
    const tenants = [{ id: 'a' }, { id: 'b', mcp: { toolsets: ['direct', 'list_alerts'] } }];
    const of = (document: object): unknown => load(document).tenants.map((t) => t.toolsets);
    expect(of({ tenants })).toEqual([['assistant'], ['direct', 'list_alerts']]);
    const mcp = { toolsets: ['tasks', 'assistant'] };
    expect(of({ tenants, mcp })).toEqual([
      ['tasks', 'assistant'],
      ['direct', 'list_alerts'],
    ]);
  });

  it('should refuse a toolset that does not exist, with its place', () => {
    const faults = faultsOf(() =>
      load({
        mcp: { toolsets: ['assistant', 'admin'] },
        tenants: [
          { id: 'a', mcp: { toolsets: [] } },
          { id: 'b', mcp: { toolsets: ['tasks', 'tasks', 7], other: 1 } },
        ],
      }),
    );
    expect(faults.map((fault) => fault.replace(/ must be one of .*/, ' …'))).toEqual([
      'tenants[1].mcp.other: is not a known setting',
      'mcp.toolsets[1]: …',
      'tenants[0].mcp.toolsets: must be a list of at least one toolset',
      'tenants[1].mcp.toolsets[1]: is named twice',
      'tenants[1].mcp.toolsets[2]: …',
    ]);
  });

  it('should take a key that signs the cards by reference, and only one that can', () => {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    const key = { '/etc/nj/card.pem': pem.toString() };
    const card = { signingKey: { file: 'card.pem' }, keyId: 'k1' };
    expect(load({ card }, REDIS, key).card).toEqual({
      signingKey: pem.toString().trimEnd(),
      keyId: 'k1',
    });
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
    const weak = { '/etc/nj/card.pem': small.export({ type: 'pkcs8', format: 'pem' }).toString() };
    expect(faultsOf(() => load({ card }, REDIS, weak))).toEqual([
      'card.signingKey: must be a P-256, P-384, Ed25519 or RSA key of 2048 bits',
    ]);
    expect(faultsOf(() => load({ card }, REDIS, { '/etc/nj/card.pem': 'no key' }))).toEqual([
      'card.signingKey: must be a private key, as PEM or as a JWK',
    ]);
    expect(faultsOf(() => load({ card: { signingKey: pem.toString() } }))[0]).toContain(
      'card.signingKey: must be {env: NAME} or {file: path}',
    );
  });

  it('should say that a Redis is missing', () => {
    expect(faultsOf(() => loadConfig({ environment: {} }))).toEqual([
      'redis.url: is required: set REDIS_URL, or start with nightjar serve',
    ]);
  });

  it('should list all faults at once, each with its place', () => {
    const document = {
      listen: { port: 99_999, hots: 'x' },
      tenants: [
        { id: 'acme' },
        { id: 'v1', sources: [{ type: 'alertmanager', name: 'am', url: 'nope' }] },
        { id: 'acme' },
      ],
      tokens: [
        { tenant: 'ghost', user: 'ann', sha256: HASH },
        { tenant: 'acme', user: 'a b', sha256: 'short' },
      ],
      execution: { leaseMs: 1000, heartbeatMs: 500 },
    };
    expect(faultsOf(() => load(document))).toEqual([
      'listen.hots: is not a known setting',
      'listen.port: must be a whole number, 0 to 65535',
      "tenants[1].id: must not be 'v1': the word is reserved",
      'tenants[1].sources[0].url: must be an http:// or https:// URL',
      'tokens[1].user: must be 1 to 128 characters without spaces and control characters',
      'tokens[1].sha256: must be the 64 hex digits of the token’s SHA-256 (or give secret: {env: NAME})',
      'tenants[2].id: is taken by another tenant',
      'tokens[0].tenant: names a tenant that is not configured',
      'execution.leaseMs: must be more than twice heartbeatMs',
    ]);
  });

  it('should let the environment win and name the variable in a fault', () => {
    const document = { listen: { port: 1234 }, log: { level: 'warn' } };
    expect(load(document, { ...REDIS, PORT: '4321' }).listen.port).toBe(4321);
    expect(load(document, { ...REDIS, PORT: '' }).listen.port).toBe(1234);
    expect(faultsOf(() => load(document, { ...REDIS, PORT: 'http' }))).toEqual([
      'PORT (listen.port): must be a whole number, 0 to 65535',
    ]);
  });

  it('should keep a text a text, whatever it looks like', () => {
    const config = load({}, { ...REDIS, NIGHTJAR_REDIS_PREFIX: '42' });
    expect(config.redis.prefix).toBe('42');
  });

  it('should shorten what hangs on a shortened lease', () => {
    const { execution } = load({}, { ...REDIS, NIGHTJAR_LEASE_MS: '1000' });
    expect(execution).toMatchObject({ leaseMs: 1000, heartbeatMs: 250, sweepMs: 125 });
  });

  it('should freeze what it returns, all the way down', () => {
    const config = load({ tenants: [{ id: 'acme' }] });
    expect(Object.isFrozen(config.tenants[0]?.limits)).toBe(true);
  });

  it('should report broken YAML without quoting the file', () => {
    const [fault, ...rest] = faultsOf(() => load('password: "hunter2\nlisten: [', REDIS));
    expect(fault).toContain('/etc/nj/nightjar.yaml: ');
    expect([fault, ...rest].join()).not.toContain('hunter2');
  });

  it('should take an empty section as none', () => {
    expect(load('log:\ntenants:\n  - id: a\n    assistant:\n').tenants[0]?.assistant).toEqual({
      backend: 'builtin',
    });
  });

  it('should refuse a key that is given twice', () => {
    expect(faultsOf(() => load('log: {}\nlog: {}'))[0]).toContain('Map keys must be unique');
  });

  it.each(['tasks', 'v03', 'contexts', 'extendedagentcard', 'Acme', '-a', '', 'a'.repeat(64), 7])(
    'should refuse the tenant id %j',
    (id) => {
      expect(faultsOf(() => load({ tenants: [{ id }] }))).toHaveLength(1);
    },
  );

  // What every object has: no check for unknown keys finds it by itself.
  it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'])(
    'should refuse the key %s wherever it stands',
    (key) => {
      const own = `"${key}": { policy: auto }`;
      for (const [text, place] of [
        [own, key],
        [`listen: { ${own} }`, `listen.${key}`],
        [`tenants: [{ id: a, limits: { ${own} } }]`, `tenants[0].limits.${key}`],
        [`tenants: [{ id: a, writes: { ${own} } }]`, `tenants[0].writes.${key}`],
        [
          `tenants: [{ id: a, assistant: { backend: module, module: ./m.mjs, options: { ${own} } } }]`,
          `tenants[0].assistant.options.${key}`,
        ],
      ] as const) {
        expect(faultsOf(() => load(text))).toEqual([
          `${place}: is not a known setting, and no name to choose`,
        ]);
      }
    },
  );

  it('should refuse aliases without an end, and those that unfold without one', () => {
    expect(faultsOf(() => load('tenants: &a [{ id: x, sources: *a }]'))).toEqual([
      'tenants[0].sources: must not contain itself',
    ]);
    const more = [1, 2, 3, 4, 5].map((i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(9)}]`);
    const bomb = ['a0: &a0 [x,x,x]', ...more].join('\n');
    expect(faultsOf(() => load(bomb))).toEqual([
      expect.stringContaining('/etc/nj/nightjar.yaml: Excessive alias count'),
    ]);
  });

  it('should never crash, whatever the file holds', () => {
    const word = fc.constantFrom(
      ...['listen', 'management', 'redis', 'url', 'tenants', 'tokens', 'id', 'sources', 'type'],
      ...['auth', 'kind', 'password', 'headers', 'assistant', 'backend', 'module', 'limits'],
      ...['sha256', 'secret', 'env', 'file', 'tenant', 'publicUrl', 'execution', 'basic', 'port'],
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'medium' },
        fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null), fc.string()),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(word, tie('tree'), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(word, tree, { maxKeys: 6 }), (document) => {
        faultsOf(() => load(document));
      }),
      { numRuns: 300 },
    );
  }, 60_000);
});

describe('secrets', () => {
  const source = (auth: unknown, headers = {}): unknown => ({
    tenants: [
      {
        id: 'acme',
        sources: [{ type: 'prometheus', name: 'p', url: 'http://p:9090/', auth, headers }],
      },
    ],
  });

  it('should come from the environment or a file beside the YAML file', () => {
    const document = source(
      { kind: 'basic', username: 'ops', password: { env: 'PASS' } },
      { 'X-Scope-OrgID': 'prod', 'X-Key': { file: 'key.txt' } },
    );
    const config = load(document, { ...REDIS, PASS: 'p4ss' }, { '/etc/nj/key.txt': 'k3y\n' });
    expect(config.tenants[0]?.sources[0]).toEqual({
      type: 'prometheus',
      name: 'p',
      url: 'http://p:9090',
      timeoutMs: 10_000,
      maxBytes: 8 * 1024 * 1024,
      auth: { kind: 'basic', username: 'ops', password: 'p4ss' },
      headers: { 'X-Scope-OrgID': 'prod', 'X-Key': 'k3y' },
    });
  });

  it('should be faults where a reference leads nowhere', () => {
    const document = source({ kind: 'bearer', token: { env: 'GONE' } }, { A: { file: 'gone' } });
    expect(faultsOf(() => load(document))).toEqual([
      'tenants[0].sources[0].auth.token.env: the environment variable GONE is not set',
      'tenants[0].sources[0].headers.A.file: cannot read /etc/nj/gone (ENOENT)',
    ]);
  });

  it('should be refused in the file itself, without repeating them', () => {
    const faults = faultsOf(() => load(source({ kind: 'bearer', token: 'hunter2' })));
    expect(faults).toEqual([
      'tenants[0].sources[0].auth.token: must be {env: NAME} or {file: path}: a secret is never written here',
    ]);
  });

  it('should be refused inside addresses', () => {
    expect(faultsOf(() => load({ redis: { url: 'redis://:hunter2@r:6379' } }, {}))).toEqual([
      'redis.url: must not hold a password; write {env: NAME} or {file: path} instead',
    ]);
    const document = {
      tenants: [
        { id: 'a', sources: [{ type: 'prometheus', name: 'p', url: 'http://u:hunter2@p' }] },
      ],
    };
    expect(faultsOf(() => load(document))).toEqual([
      'tenants[0].sources[0].url: must not hold a user or a password',
    ]);
  });

  it('should resolve a Redis address behind a reference, and check it', () => {
    const document = { redis: { url: { env: 'R' } } };
    expect(load(document, { R: 'rediss://:pw@r:1' }).redis.url).toBe('rediss://:pw@r:1');
    expect(faultsOf(() => load(document, { R: 'http://r' }))).toHaveLength(1);
  });
});

describe('redis', () => {
  const FILES = { '/etc/nj/ca.pem': 'CA\n', '/etc/nj/c.pem': 'CERT', '/etc/nj/c.key': 'KEY' };
  const tls = { ca: { file: 'ca.pem' }, cert: { file: 'c.pem' }, key: { file: 'c.key' } };

  it('should take logins and certificates by reference, for every topology', () => {
    const redis = {
      url: 'rediss+sentinel://s1,s2:26380/mymaster',
      username: 'nightjar',
      password: { env: 'P' },
      sentinel: { password: { env: 'S' } },
      tls: { ...tls, serverName: 'redis.internal' },
    };
    expect(load({ redis }, { P: 'p', S: 's' }, FILES).redis).toEqual({
      url: 'rediss+sentinel://s1,s2:26380/mymaster',
      username: 'nightjar',
      password: 'p',
      sentinel: { password: 's' },
      tls: { ca: 'CA', cert: 'CERT', key: 'KEY', serverName: 'redis.internal' },
      prefix: 'nj:',
      allowEviction: false,
    });
  });

  it('should refuse what does not fit the address', () => {
    const url = 'redis+cluster://n1,n2';
    const given = { redis: { url, sentinel: { password: { env: 'P' } }, tls: { cert: tls.cert } } };
    expect(faultsOf(() => load(given, { P: 'p' }, FILES))).toEqual([
      'redis.tls: needs a rediss:// address',
      'redis.sentinel: needs a redis+sentinel:// address',
      'redis.tls: must have both of cert and key, or neither',
    ]);
    const twice = { redis: { password: { env: 'P' } } };
    expect(faultsOf(() => load(twice, { P: 'p', REDIS_URL: 'redis://:x@r' }))).toEqual([
      'redis.password: is in redis.url already',
    ]);
    expect(faultsOf(() => load({ redis: { url, password: 'hunter2' } }, {}))).toHaveLength(1);
  });
});

describe('tokens', () => {
  const tokens = (token: unknown): unknown => ({ tenants: [{ id: 'acme' }], tokens: [token] });
  const SECRET = 's'.repeat(40);

  it('should be kept as hashes only', () => {
    const document = tokens({ tenant: 'acme', user: 'ann', secret: { env: 'T' } });
    const config = load(document, { ...REDIS, T: SECRET });
    expect(config.tokens).toEqual([
      { tenant: 'acme', user: 'ann', sha256: hashToken(SECRET), label: '', scopes: ['a2a', 'mcp'] },
    ]);
    expect(JSON.stringify(config)).not.toContain(SECRET);
  });

  it('should take an upper-case hash', () => {
    const document = tokens({ tenant: 'acme', user: 'ann', sha256: HASH.toUpperCase() });
    expect(load(document).tokens[0]?.sha256).toBe(HASH);
  });

  it.each(['s'.repeat(31), 's'.repeat(257), `${'s'.repeat(32)} `, 'é'.repeat(40)])(
    'should refuse the secret %j without repeating it',
    (secret) => {
      const document = tokens({ tenant: 'acme', user: 'ann', secret: { env: 'T' } });
      const faults = faultsOf(() => load(document, { ...REDIS, T: secret }));
      expect(faults).toEqual([
        'tokens[0].secret: the token must be 32 to 256 printable ASCII characters without spaces',
      ]);
    },
  );

  it('should refuse two sources of one token, none, and one token twice', () => {
    const both = { tenant: 'acme', user: 'ann', sha256: HASH, secret: { env: 'T' } };
    expect(faultsOf(() => load(tokens(both)))).toEqual([
      'tokens[0]: must have one of sha256 and secret, not both',
    ]);
    expect(faultsOf(() => load(tokens({ tenant: 'acme', user: 'ann' })))).toHaveLength(1);
    const one = { tenant: 'acme', user: 'ann', sha256: HASH };
    const twice = { tenants: [{ id: 'acme' }], tokens: [one, one] };
    expect(faultsOf(() => load(twice))).toEqual(['tokens[1]: is the same token as an earlier one']);
  });
});

describe('tenants', () => {
  it('should take the numbers of their profile, and their own over those', () => {
    const config = load({
      profile: 'strict',
      tenants: [
        { id: 'a', limits: { activePerUser: 3 } },
        { id: 'b', profile: 'default' },
      ],
    });
    expect(config.tenants[0]).toMatchObject({
      takeover: 'fail',
      limits: { a2aBodyBytes: 32_768, mcpBodyBytes: 32_768, textBytes: 8192, activePerUser: 3 },
    });
    expect(config.tenants[1]).toMatchObject({ takeover: 'rerun', limits: { activePerUser: 64 } });
  });

  it('should keep a task at least as long as its run may take', () => {
    const limits = { taskTtlSeconds: 600 };
    expect(faultsOf(() => load({ tenants: [{ id: 'acme', limits }] }))).toEqual([
      'tenants[0].limits.taskTtlSeconds: must not be below runSeconds: a silent run would expire',
    ]);
    const fine = { ...limits, runSeconds: 600 };
    expect(load({ tenants: [{ id: 'acme', limits: fine }] }).tenants[0]?.limits).toMatchObject(
      fine,
    );
  });

  it('should find a module relative to the YAML file, and miss one that is not there', () => {
    const assistant = { backend: 'module', module: './agent.mjs', readOnly: true };
    const document = { tenants: [{ id: 'a', assistant }] };
    const config = load(document, REDIS, { '/etc/nj/agent.mjs': '' });
    expect(config.tenants[0]?.assistant).toEqual({
      backend: 'module',
      module: '/etc/nj/agent.mjs',
      readOnly: true,
      options: {},
    });
    expect(faultsOf(() => load(document))).toEqual([
      'tenants[0].assistant.module: there is no file /etc/nj/agent.mjs',
    ]);
  });

  it('should read who decides about writes, and want a border for what nobody decides', () => {
    const within = { matchers: ['team="pay"', 'env=~"a|b"'], longestSeconds: 3600 };
    const writes = { create_silence: { policy: 'auto', within } };
    expect(load({ tenants: [{ id: 'a', writes }] }).tenants[0]?.writes).toEqual({
      create_silence: {
        policy: 'auto',
        within: {
          matchers: [
            { name: 'team', op: '=', value: 'pay' },
            { name: 'env', op: '=~', value: 'a|b' },
          ],
          longestSeconds: 3600,
        },
        otherwise: 'deny',
      },
    });
    const faulty = {
      create_silence: { policy: 'auto' },
      expire_silence: { policy: 'ask', within: { matchers: ['team=pay'] } },
    };
    expect(faultsOf(() => load({ tenants: [{ id: 'a', writes: faulty }] }))).toEqual([
      'tenants[0].writes.expire_silence.policy: must be one of deny, ask-caller, ask-operator, auto',
      'tenants[0].writes.expire_silence.within.matchers: must be a list of matchers such as team="pay"',
    ]);
    const open = { create_silence: { policy: 'auto' } };
    expect(faultsOf(() => load({ tenants: [{ id: 'a', writes: open }] }))).toEqual([
      'tenants[0].writes.create_silence.within.matchers: is required for auto',
      'tenants[0].writes.create_silence.within.longestSeconds: is required for auto',
    ]);
  });

  it('should refuse settings that have no effect', () => {
    const document = {
      tenants: [
        {
          id: 'a',
          assistant: { backend: 'builtin', readOnly: true },
          sources: [{ type: 'demo', name: 'd', url: 'http://x' }],
        },
      ],
    };
    expect(faultsOf(() => load(document))).toEqual([
      'tenants[0].assistant.readOnly: has no meaning for the builtin backend',
      'tenants[0].sources[0].url: has no meaning for a demo source',
    ]);
  });
});

describe('demo', () => {
  it('should add its tenant and token, and keep its name to itself', () => {
    const environment = { ...REDIS, NIGHTJAR_DEMO_SHA256: HASH };
    const config = load({ tenants: [{ id: 'acme' }] }, environment);
    expect(config.demo).toBe(true);
    expect(config.tenants.map((tenant) => tenant.id)).toEqual(['acme', 'demo']);
    expect(config.tokens[0]).toMatchObject({ tenant: 'demo', user: 'demo', sha256: HASH });
    expect(faultsOf(() => load({ tenants: [{ id: 'demo' }] }, environment))).toEqual([
      "tenants[0].id: must not be 'demo' while the demo is on",
    ]);
  });
});

describe('listeners', () => {
  it('should join management to the main port when that is chosen by the system', () => {
    expect(load({}, { ...REDIS, PORT: '0' }).management.port).toBe(0);
  });

  it('should ask for a management port when there is none to count to', () => {
    expect(faultsOf(() => load({}, { ...REDIS, PORT: '65000' }))).toEqual([
      'management.port: must be set: listen.port + 1000 is no port',
    ]);
  });

  it('should cut the trailing slash of publicUrl and refuse anything but a base', () => {
    expect(load({ publicUrl: 'https://nj.example/base/' }).publicUrl).toBe(
      'https://nj.example/base',
    );
    expect(faultsOf(() => load({ publicUrl: 'https://nj.example/?a=1' }))).toHaveLength(1);
  });

  it.each(['Authorization', 'Host', 'Content-Type', 'x y', 'a.b'])(
    'should refuse the token header %s',
    (headerName) => {
      expect(faultsOf(() => load({ auth: { headerName } }))).toHaveLength(1);
    },
  );
});
