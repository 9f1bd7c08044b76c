import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Keys } from '../../src/redis/keys.js';
import { defineScripts } from '../../src/redis/scripts.js';
import { RedisApprovalStore } from '../../src/store/redis-approval.store.js';
import { A2aClient, userMessage, type Reply } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { HookServer } from '../support/hook-server.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';

const ROOT = join(import.meta.dirname, '../..');
const ANN = caller('acme', 'ann');
const ADMIN_TOKEN = `nj_${'a'.repeat(43)}`;
const OPENAPI = parse(readFileSync(join(ROOT, 'docs/openapi.yaml'), 'utf8')) as Document;
const METHODS = ['get', 'post', 'delete', 'put', 'patch'];

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly $ref?: string; content?: object }>>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(OPENAPI, 'api');

/** Operations whose answers were checked. */
const checked = new Set<string>();

/** Where the schema of an answer is, as a reference; undefined for one without a body. */
function schemaOf(path: string, method: string, status: number, type: string): string | undefined {
  const operation = OPENAPI.paths[path]![method]!;
  const key = Object.hasOwn(operation.responses, String(status)) ? String(status) : 'default';
  const response = operation.responses[key];
  if (response === undefined) throw new Error(`${method} ${path} has no answer ${status}`);
  const at = response.$ref ?? `#/paths/${escaped(path)}/${method}/responses/${key}`;
  const named = response.$ref === undefined ? response : resolve(response.$ref);
  const { content } = named as { content?: Record<string, unknown> };
  if (content === undefined) return undefined;
  const media = Object.keys(content).find((one) => type.startsWith(one));
  if (media === undefined) throw new Error(`${method} ${path} ${status}: ${type} is not described`);
  return `api${at}/content/${escaped(media)}/schema`;
}

function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function resolve(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], OPENAPI);
}

function expectAsDescribed(path: string, method: string, reply: Reply<unknown>): void {
  const type = reply.headers['content-type'] ?? '';
  const reference = schemaOf(path, method, reply.status, type);
  if (reference !== undefined) {
    const isJson = /json/.test(type);
    const isValid = ajv.validate({ $ref: reference }, isJson ? reply.body : reply.text);
    expect(ajv.errors ?? [], `${method} ${path} ${reply.status}`).toEqual([]);
    expect(isValid).toBe(true);
  }
  if (reply.status < 300) checked.add(OPENAPI.paths[path]![method]!.operationId);
}

describe('docs/openapi.yaml', () => {
  let redis: RedisServer;
  let hooks: HookServer;
  let fleet: Fleet;
  let gateway: Gateway;
  let client: A2aClient;

  beforeAll(async () => {
    redis = await RedisServer.start();
    hooks = await HookServer.start();
    fleet = await Fleet.start(1, {
      tenants: [{ id: 'acme' }],
      callers: [ANN],
      redisUrl: redis.url,
      env: {
        PUSH_KEY: Buffer.alloc(32, 7).toString('base64'),
        NIGHTJAR_ADMIN_TOKEN: ADMIN_TOKEN,
        CARD_KEY: generateKeyPairSync('ed25519')
          .privateKey.export({ type: 'pkcs8', format: 'pem' })
          .toString(),
      },
      config: {
        card: { signingKey: { env: 'CARD_KEY' } },
        auth: {
          oidc: [
            {
              ...{ issuer: 'https://sso.example.com', jwksUri: 'https://127.0.0.1:9/jwks' },
              ...{ audiences: ['nightjar'], claims: { tenant: { value: 'acme' } } },
            },
          ],
        },
        push: {
          enabled: true,
          encryptionKey: { env: 'PUSH_KEY' },
          allowHttp: true,
          allowPrivate: ['127.0.0.0/8'],
        },
      },
    });
    gateway = fleet.gateways[0]!;
    client = new A2aClient(gateway.baseUrl, ANN.token);
  });
  afterAll(async () => {
    await fleet.stop();
    await hooks.stop();
    await redis.stop();
  });

  async function call(method: string, path: string, real = path, body?: object): Promise<Reply> {
    const reply = await client.call(
      method.toUpperCase(),
      real,
      body === undefined ? undefined : JSON.stringify(body),
    );
    expectAsDescribed(path, method, reply);
    return reply;
  }

  async function stream(method: string, path: string, real = path, body?: object): Promise<void> {
    const opened = await client.open(method.toUpperCase(), real, {}, body as never);
    await opened.ended;
    expect(opened.events.length).toBeGreaterThan(0);
    const reference = schemaOf(path, method, 200, 'text/event-stream')!;
    for (const { data } of opened.events) {
      ajv.validate({ $ref: reference }, data);
      expect(ajv.errors ?? [], JSON.stringify(data)).toEqual([]);
    }
    checked.add(OPENAPI.paths[path]![method]!.operationId);
  }

  it('should be an OpenAPI 3.1 document whose references lead somewhere', () => {
    expect(OPENAPI.openapi).toMatch(/^3\.1\./);
    const references = JSON.stringify(OPENAPI).matchAll(/"\$ref":"(#[^"]+)"/g);
    for (const [, reference] of references) expect(resolve(reference!), reference).toBeDefined();
    const ids = Object.values(OPENAPI.paths).flatMap((path) =>
      METHODS.flatMap((method) => path[method]?.operationId ?? []),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('should describe every route of the REST and the admin controllers', () => {
    const folders = { rest: 'a2a-v1', records: 'a2a-v1' };
    const rest = Object.entries(folders).map(([name, folder]) => ({
      file: `src/protocols/${folder}/${name}.controller.ts`,
      roots: ['/a2a'],
    }));
    const admin = [
      { file: 'src/admin/approvals.controller.ts', roots: ['/admin/v1/tenants'] },
      { file: 'src/admin/tenants.controller.ts', roots: ['/admin/v1/tenants'] },
      { file: 'src/admin/tokens.controller.ts', roots: ['/admin/v1/tokens'] },
      { file: 'src/admin/work.controller.ts', roots: ['/admin/v1'] },
    ];
    const routes = [...rest, ...admin].flatMap(({ file, roots: [root] }) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return [...text.matchAll(/^ {2}@(Get|Post|Delete|Put)\(([^)]*)\)/gm)].flatMap(
        ([, verb, paths]) => {
          const named = [...paths!.matchAll(/'([^']*)'/g)].map(([, path]) => `${root}/${path}`);
          return (named.length > 0 ? named : [root]).map((path) => ({ verb: verb!, path: path! }));
        },
      );
    });
    expect(routes.length).toBeGreaterThan(25);
    // `:ref` is an id with or without a verb, and what an id is called differs; each reading of a path
    // is called below.
    const shapeOf = (path: string): string =>
      path.replace('::', '=').replace(/:\w+/g, '{}').replace('=', ':');
    const missing = routes.filter(({ verb, path }) => {
      const shape = shapeOf(path);
      const readings = Object.keys(OPENAPI.paths).filter((known) => {
        const written = known.replace(/\{\w+\}/g, '{}');
        return written === shape || written.startsWith(`${shape}:`);
      });
      return !readings.some((known) => OPENAPI.paths[known]![verb.toLowerCase()] !== undefined);
    });
    expect(missing).toEqual([]);
  });

  it('should be what the gateway answers', async () => {
    const message = (text: string): object => ({ message: userMessage(text) });
    const sent = await call('post', '/a2a/message:send', undefined, message('steps'));
    const { task } = sent.body as unknown as { task: { id: string; contextId: string } };
    await call('post', '/a2a/message:send', undefined, message('files 10 300000'));
    await call('post', '/a2a/message:send', undefined, message('ask'));
    await stream('post', '/a2a/message:stream', undefined, message('deltas count=3 every=80'));
    await call('get', '/a2a/tasks', '/a2a/tasks?includeArtifacts=true');
    await call('get', '/a2a/tasks/{id}', `/a2a/tasks/${task.id}`);
    const running = await client.start('deltas count=8 every=100');
    await stream('get', '/a2a/tasks/{id}:subscribe', `/a2a/tasks/${running.id}:subscribe`);
    const other = await client.start('deltas count=8 every=100');
    await stream('post', '/a2a/tasks/{id}:subscribe', `/a2a/tasks/${other.id}:subscribe`);
    const hanging = await client.start('hang');
    const hooksPath = '/a2a/tasks/{id}/pushNotificationConfigs';
    const hooksOf = `/a2a/tasks/${hanging.id}/pushNotificationConfigs`;
    const config = {
      url: hooks.url(),
      token: 'a-token',
      authentication: { scheme: 'Bearer', credentials: 'c' },
    };
    const made = await call('post', hooksPath, hooksOf, config);
    const { id } = made.body as { id: string };
    await call('get', hooksPath, hooksOf);
    await call('get', `${hooksPath}/{config}`, `${hooksOf}/${id}`);
    await call('delete', `${hooksPath}/{config}`, `${hooksOf}/${id}`);
    await call('post', '/a2a/tasks/{id}:cancel', `/a2a/tasks/${hanging.id}:cancel`);
    await call('get', '/a2a/extendedAgentCard');
    await call('get', '/a2a/contexts');
    const context = encodeURIComponent(task.contextId);
    await call('get', '/a2a/contexts/{id}', `/a2a/contexts/${context}`);
    await call('post', '/a2a/contexts/{id}:close', `/a2a/contexts/${context}:close`);
    await call(
      'delete',
      '/a2a/contexts/{id}',
      `/a2a/contexts/${encodeURIComponent(running.contextId)}`,
    );
    await call('delete', '/a2a/tasks/{id}', `/a2a/tasks/${running.id}`);
    await call('get', '/.well-known/agent-card.json');
    await call('get', '/.well-known/jwks.json');
    const metadata = '/.well-known/oauth-protected-resource';
    await call('get', metadata);
    await call('get', `${metadata}/{resource}`, `${metadata}/mcp`);
  });

  it('should be where a path of the management listener that there is not leads to', async () => {
    const admin = new A2aClient(gateway.managementUrl, ADMIN_TOKEN);
    const { status, text } = await admin.call('GET', '/admin/v1/usage');
    expect(status).toBe(404);
    expect(text).toContain('/openapi.json');
    expect(text).not.toContain('a2a/');
  });

  it('should be what the gateway refuses with', async () => {
    expect((await call('get', '/a2a/tasks/{id}', '/a2a/tasks/none')).status).toBe(404);
    expect((await call('post', '/a2a/message:send', undefined, { message: {} })).status).toBe(400);
    const strangers = await new A2aClient(gateway.baseUrl, undefined).call('GET', '/a2a/tasks');
    expect(strangers.status).toBe(401);
    expectAsDescribed('/a2a/tasks', 'get', strangers);
  });

  it('should be what the management listener answers', async () => {
    const management = new A2aClient(gateway.managementUrl, undefined);
    for (const path of ['/livez', '/readyz', '/metrics']) {
      expectAsDescribed(path, 'get', await management.call('GET', path));
    }
    // What it says itself that it has.
    const unknown = await management.call<{ paths: string[] }>('GET', '/nothing');
    for (const path of unknown.body.paths) expect(Object.keys(OPENAPI.paths)).toContain(path);
  });

  it('should be what the admin API answers', async () => {
    const admin = new A2aClient(gateway.managementUrl, ADMIN_TOKEN);
    const ask = async (
      method: string,
      path: string,
      values: Readonly<Record<string, string>> = {},
      body?: object,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<Reply> => {
      const real = path.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '');
      const text = body === undefined ? undefined : JSON.stringify(body);
      const reply = await admin.call(method.toUpperCase(), real, text, headers);
      expectAsDescribed(path, method, reply);
      return reply;
    };
    const web = { tenant: 'web', user: 'bob' };
    const one = '/admin/v1/tenants/{tenant}';
    const made = await ask('put', one, web, { sources: [] }, { 'if-none-match': '*' });
    expect(made.status).toBe(200);
    const { etag = '' } = made.headers;
    expect((await ask('get', one, web)).headers.etag).toBe(etag);
    for (const path of [`${one}:suspend`, `${one}/users/{user}:suspend`]) {
      expect((await ask('post', path, web, { reason: 'a test' })).status).toBe(200);
    }
    const all = await ask('get', '/admin/v1/tenants');
    expect(all.text).toContain('a test');
    for (const path of [`${one}:resume`, `${one}/users/{user}:resume`]) {
      await ask('post', path, web);
    }

    const token = '/admin/v1/tokens/{token}';
    const created = await ask('post', '/admin/v1/tokens', {}, { tenant: 'web', user: 'bob' });
    const id = { token: created.body['id'] as string };
    await ask('get', '/admin/v1/tokens');
    await ask('get', token, id);
    const rotated = await ask('post', `${token}:rotate`, id, { overlapSeconds: 60 });
    await ask('post', `${token}:revoke`, { token: rotated.body['id'] as string });

    const running = await client.start('hang');
    const task = { tenant: 'acme', task: running.id };
    await ask('get', '/admin/v1/tasks');
    await ask('get', `${one}/tasks/{task}`, task);
    const redisClient = new Redis(redis.url);
    defineScripts(redisClient);
    const approvals = new RedisApprovalStore(redisClient, new Keys());
    for (const verb of ['approve', 'refuse']) {
      const wish = { tool: 'create_silence', summary: 'be quiet', hash: 'h' };
      const wanted = { tenant: 'acme', user: 'ann', taskId: running.id, ...wish };
      expect(await approvals.open(verb, 1, wanted)).toHaveProperty('expires');
      expect((await ask('get', `${one}/approvals`, task)).text).toContain('be quiet');
      const where = `${one}/approvals/{approval}:${verb}`;
      const decided = await ask('post', where, { ...task, approval: verb });
      expect(decided.status).toBe(200);
    }
    redisClient.disconnect();
    await ask('post', `${one}/tasks/{task}:cancel`, task);
    const usage = await eventually('usage is counted', async () => {
      const reply = await ask('get', `${one}/usage`, { tenant: 'acme' });
      return (reply.body['usage'] as unknown as object[]).length > 0 ? reply : undefined;
    });
    expect(usage.status).toBe(200);
    await ask('get', '/admin/v1/audit');
    expect((await ask('delete', one, web)).status).toBe(200);
    // What it refuses with.
    expect((await ask('get', one, { tenant: 'none' })).status).toBe(404);
    expect((await ask('put', one, web, { nothing: 1 })).status).toBe(400);
  });

  it('should be served by the gateway: outside without the inside, and without a secret', async () => {
    const outside = await new A2aClient(gateway.baseUrl, undefined).call('GET', '/openapi.json');
    const inside = await new A2aClient(gateway.managementUrl, undefined).call(
      'GET',
      '/openapi.json',
    );
    const documents = [outside, inside].map(({ body }) => body as unknown as Document);
    const paths = documents.map((document) => Object.keys(document.paths));
    expect(paths[1]).toEqual(Object.keys(OPENAPI.paths));
    const hidden = paths[1]!.filter((path) => !paths[0]!.includes(path));
    expect(hidden.every((path) => /^\/(admin|livez|readyz|metrics)/.test(path))).toBe(true);
    expect(hidden.length).toBeGreaterThan(15);
    expect(outside.text).not.toMatch(/admin\/v1|AdminTenant|management|admin API/i);
    expect(outside.body).toMatchObject({ servers: [{ url: gateway.baseUrl }] });
    expect(outside.headers.vary).toContain('X-Forwarded-Prefix');
    for (const secret of [ANN.token, ADMIN_TOKEN]) expect(inside.text).not.toContain(secret);
    for (const [base, asJson] of [
      [gateway.baseUrl, outside],
      [gateway.managementUrl, inside],
    ] as const) {
      const yaml = await new A2aClient(base, undefined).call('GET', '/openapi.yaml');
      expect(yaml.headers['content-type']).toMatch(/^application\/yaml/);
      expect(parse(yaml.text)).toEqual(asJson.body);
    }
    for (const id of ['OpenApiYaml', 'OpenApiJson']) checked.add(id);
  });

  it('should have had every operation called but the download of a file', () => {
    const all = Object.values(OPENAPI.paths).flatMap((path) =>
      METHODS.flatMap((method) => path[method]?.operationId ?? []),
    );
    expect(all.filter((id) => !checked.has(id))).toEqual(['GetArtifactFile']);
  });

  it('should notice an answer that it does not describe', () => {
    const reference = schemaOf('/livez', 'get', 200, 'application/json')!;
    expect(ajv.validate({ $ref: reference }, { status: 'live', more: 1 })).toBe(false);
    const task = { id: 'a', contextId: 'b', status: { state: 'WORKING', timestamp: '' } };
    expect(ajv.validate({ $ref: 'api#/components/schemas/Task' }, task)).toBe(false);
  });
});
