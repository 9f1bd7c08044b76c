import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { A2aClient, userMessage, type Reply } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { HookServer } from '../support/hook-server.js';
import { RedisServer } from '../support/redis-server.js';

const ROOT = join(import.meta.dirname, '../..');
const ANN = caller('acme', 'ann');
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
      env: { PUSH_KEY: Buffer.alloc(32, 7).toString('base64') },
      config: {
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

  it('should describe every route of the REST controllers', () => {
    const routes = ['rest', 'records'].flatMap((name) => {
      const file = join(ROOT, `src/protocols/a2a-v1/${name}.controller.ts`);
      const text = readFileSync(file, 'utf8');
      return [...text.matchAll(/^ {2}@(Get|Post|Delete)\(([^)]*)\)/gm)].flatMap(([, verb, paths]) =>
        [...paths!.matchAll(/'([^']*)'/g)].map(([, path]) => ({ verb: verb!, path: path! })),
      );
    });
    expect(routes.length).toBeGreaterThan(12);
    // `:ref` is an id with or without a verb; each of its readings is called below.
    const missing = routes.filter(({ verb, path }) => {
      const written = `/a2a/${path.replace('::', '\u0000').replace(/:(\w+)/g, '{$1}')}`
        .replace('\u0000', ':')
        .replace('{ref}', '{id}');
      const readings = Object.keys(OPENAPI.paths).filter(
        (known) => known === written || known.startsWith(`${written}:`),
      );
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
