import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM_TENANT } from '../../src/config/token-scopes.js';
import { hashToken } from '../../src/config/token-secret.js';
import { TOOLSETS } from '../../src/config/toolsets.js';
import type { Task } from '../../src/domain/a2a.js';
import { Keys } from '../../src/redis/keys.js';
import { defineScripts } from '../../src/redis/scripts.js';
import { RedisTokenStore } from '../../src/store/redis-token.store.js';
import { McpWire } from '../conformance/support/mcp-wire.js';
import { A2aClient, type Reply } from '../support/a2a-client.js';
import { type Caller, caller, Fleet, type Gateway } from '../support/gateway.js';
import { HookServer } from '../support/hook-server.js';
import { RedisServer } from '../support/redis-server.js';
import { Truth } from '../support/task-log.js';
import { eventually } from '../support/wait.js';
import { blind, Timings } from './cross-table/compare.js';
import { operationsOfProduct } from './cross-table/product.js';
import {
  a2aRows,
  ADMIN_ROWS,
  type Ids,
  mcpRows,
  type Row,
  SURFACES,
  type Surface,
} from './cross-table/rows.js';
import { WatchedKeys } from './cross-table/watched-keys.js';

/** Pairs of each way to call for each thing; `make cross-table` asks more often. */
const REPEATS = Number(process.env['CROSS_TABLE_REPEATS'] ?? 1);
const PARALLEL = 4;
const SUSPECT_PAIRS = 21;
const ADMIN = `adm_${randomBytes(32).toString('base64url')}`;
const DOC = join(import.meta.dirname, '../../docs/cross-table.md');

const ann = caller('acme', 'ann');
/** Who names things in a space of their own: one for each row, so that none meets its own traces. */
const MANY = 64;
const many = (tenant: string): Caller[] =>
  Array.from({ length: MANY }, (_, at) => caller(tenant, `many-${at}`));
/** Each is somebody who may call, and to whom nothing of Ann's may show. */
const STRANGERS = {
  'other tenant': { one: caller('globex', 'ann'), others: many('globex') },
  'other user': { one: caller('acme', 'bob'), others: many('acme') },
} as const;
const past = { expires: '2020-01-01T00:00:00Z' };
const expired = caller('acme', 'ann', past);
const revoked = caller('acme', 'ann');
const forA2a = caller('acme', 'ann', { scopes: ['a2a'] });
const forMcp = caller('acme', 'ann', { scopes: ['mcp'] });
const stopped = caller('stopped', 'stan');
const outcast = caller('acme', 'otto');
const spare = caller('spare', 'sam');
const expiredAdmin = caller(SYSTEM_TENANT, 'admin');
const revokedAdmin = caller(SYSTEM_TENANT, 'admin');

let redis: RedisServer;
/** Takes every notification, so that none is due while keys are watched. */
let hooks: HookServer;
let store: Redis;
let tokens: RedisTokenStore;
let truth: Truth;
let fleet: Fleet;
let gateways: readonly Gateway[];
/** What Ann has, in every state. */
let things: readonly { readonly ids: Ids; readonly task: Task }[];
let tools: Readonly<Record<'mcp-2025' | 'mcp-2026', Parameters<typeof mcpRows>[1]>>;

beforeAll(async () => {
  [redis, hooks] = await Promise.all([RedisServer.start(), HookServer.start()]);
  store = redis.client();
  defineScripts(store);
  tokens = new RedisTokenStore(store, new Keys('nj:'));
  truth = Truth.open(redis.url);
  const callers = [ann, expired, forA2a, forMcp, stopped, outcast, spare];
  const tenant = (id: string) => ({
    id,
    sources: [{ type: 'demo' as const, name: `${id}-am` }],
    mcp: { toolsets: [...TOOLSETS] },
  });
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: ['acme', 'globex', 'stopped', 'spare'].map(tenant),
    callers: [
      ...callers,
      ...Object.values(STRANGERS).flatMap(({ one, others }) => [one, ...others]),
    ],
    env: { NIGHTJAR_ADMIN_TOKEN: ADMIN, PUSH_KEY: randomBytes(32).toString('base64') },
    config: {
      auth: { failuresPerMinute: 1_000_000 },
      files: { inlineMaxBytes: 0 },
      push: {
        enabled: true,
        encryptionKey: { env: 'PUSH_KEY' },
        allowHttp: true,
        allowPrivate: ['127.0.0.1'],
      },
    },
  });
  gateways = fleet.gateways;
  await Promise.all([
    endToken(revoked, 'revoked', ['a2a', 'mcp']),
    endToken(revokedAdmin, 'revoked', ['admin']),
    endToken(expiredAdmin, 'expires', ['admin']),
  ]);
  tools = {
    'mcp-2025': await toolsOf('mcp-2025'),
    'mcp-2026': await toolsOf('mcp-2026'),
  };
  things = await Promise.all(
    ['hang', 'ask', 'ask expects=approval', 'files 10'].map((text) => thing(text)),
  );
  await Promise.all(
    ['tenants/stopped:suspend', 'tenants/acme/users/otto:suspend'].map((path) =>
      asAdmin('POST', path),
    ),
  );
  for (const { baseUrl } of gateways) {
    for (const { token } of [stopped, outcast]) {
      const client = new A2aClient(baseUrl, token);
      await eventually(
        'the suspension holds',
        async () => (await client.call('GET', '/a2a/tasks')).status === 403,
      );
    }
  }
});
afterAll(async () => {
  truth.close();
  store.disconnect();
  await fleet.stop();
  await Promise.all([redis.stop(), hooks.stop()]);
});

const on = (gateway: number, token: string | undefined): A2aClient =>
  new A2aClient(gateways[gateway % 2]!.baseUrl, token);

function asAdmin(method: string, path: string, body = {}): Promise<Reply> {
  return new A2aClient(gateways[0]!.managementUrl, ADMIN).call(method, `/admin/v1/${path}`, body);
}

async function endToken(of: Caller, how: 'revoked' | 'expires', scopes: string[]): Promise<void> {
  const { tenant, user, token } = of;
  const sha256 = hashToken(token);
  await tokens.create({ sha256, tenant, user, label: '', scopes, created: Date.now() });
  await tokens.end(sha256, how, Date.now() - 1000);
}

async function toolsOf(era: 'mcp-2025' | 'mcp-2026'): Promise<Parameters<typeof mcpRows>[1]> {
  const wire = new McpWire(era, gateways[0]!.baseUrl, ann.token, 30_000);
  const list = await wire.rpc('tools/list');
  return list['tools'] as unknown as Parameters<typeof mcpRows>[1];
}

/** Something of Ann's with everything that belongs to it. */
async function thing(
  text: string,
  pages?: Pick<Ids, 'taskPage' | 'contextPage'>,
): Promise<{ readonly ids: Ids; readonly task: Task }> {
  const client = on(0, ann.token);
  const call = `call-${randomUUID()}`;
  const ids = {
    context: randomUUID(),
    messageId: randomUUID(),
    idempotencyKey: randomUUID(),
    call,
  };
  const body = {
    message: {
      messageId: ids.messageId,
      role: 'ROLE_USER',
      parts: [{ text }],
      contextId: ids.context,
    },
    configuration: { returnImmediately: text === 'hang' },
  };
  const sent = await client.call<{ task: Task }>('POST', '/a2a/message:send', body, {
    'idempotency-key': ids.idempotencyKey,
  });
  expect(sent.status, sent.text).toBe(200);
  const { task } = sent.body;
  const hook = await client.call<{ id: string }>(
    'POST',
    `/a2a/tasks/${task.id}/pushNotificationConfigs`,
    { url: hooks.url() },
  );
  const { taskPage, contextPage } = pages ?? (await pageTokens(client));
  const [, file = 'none'] = /\/artifacts\/([^"]+)"/.exec(sent.text) ?? [];
  return {
    task,
    ids: {
      ...ids,
      task: task.id,
      file,
      config: hook.body.id,
      taskPage,
      contextPage,
      source: 'acme-am',
      tenant: 'acme',
      user: 'ann',
      token: hashToken(ann.token).slice(0, 16),
    },
  };
}

/** Of lists that have another page. */
async function pageTokens(client: A2aClient): Promise<Pick<Ids, 'taskPage' | 'contextPage'>> {
  await client.send('instant');
  const { nextPageToken: taskPage } = await client.list('?pageSize=1');
  const path = '/a2a/contexts?pageSize=1';
  const { body } = await client.call<{ nextPageToken: string }>('GET', path);
  return { taskPage, contextPage: body.nextPageToken };
}

/** The same shape, and nobody's. */
function missing(real: Ids): Ids {
  const page = (token: string): string => {
    const fields = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[];
    return Buffer.from(JSON.stringify([...fields.slice(0, 2), randomUUID()])).toString('base64url');
  };
  return {
    task: randomUUID(),
    context: randomUUID(),
    config: randomUUID(),
    file: real.file,
    taskPage: page(real.taskPage),
    contextPage: page(real.contextPage),
    idempotencyKey: randomUUID(),
    messageId: randomUUID(),
    call: `call-${randomUUID()}`,
    source: 'xxxx-am',
    // Never of digits alone: it is blinded in the answers, where codes and pauses are numbers.
    tenant: `zx${randomBytes(1).toString('hex')}`,
    user: 'xyz',
    token: randomBytes(8).toString('hex'),
  };
}

function rowsFor({ tenant }: Pick<Caller, 'tenant'>): Row[] {
  return [
    ...a2aRows({ own: tenant, owners: 'acme' }),
    ...mcpRows('mcp-2025', tools['mcp-2025']),
    ...mcpRows('mcp-2026', tools['mcp-2026']),
    ...ADMIN_ROWS,
  ];
}

async function ask(row: Row, ids: Ids, token: string | undefined, gateway = 0): Promise<Reply> {
  const { baseUrl, managementUrl } = gateways[gateway % 2]!;
  const client = new A2aClient(row.surface === 'admin' ? managementUrl : baseUrl, token);
  const { method, path, body, headers } = row.request(ids);
  return client.call(method, path, body, { ...headers });
}

async function each<T>(
  list: readonly T[],
  work: (one: T, at: number) => Promise<void>,
): Promise<void> {
  const queue = [...list.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await work(next[1], next[0]);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

const titleOf = ({ surface, name }: Row): string => `${surface} ${name}`;
/** Ways to call that were compared, by surface and by who asked. */
const counts = new Map<Surface, Map<string, number>>();
function count({ surface }: Row, who: string): void {
  const of = counts.get(surface) ?? new Map<string, number>();
  counts.set(surface, of.set(who, (of.get(who) ?? 0) + 1));
}

/** Of each row one thing, all of them over all rows; `make cross-table` asks for every one. */
const thingsFor = (place: number): typeof things =>
  REPEATS > 1 ? things : things.filter((_, at) => at === place % things.length);

/** What is there and what is missing, asked for by turns. @throws unless the answers are the same. */
async function pair(row: Row, real: Ids, token: string, gateway: number): Promise<Timings> {
  const timings = new Timings();
  const random = missing(real);
  const timed = async (kind: 'real' | 'random', ids: Ids): Promise<Record<string, unknown>> => {
    const began = performance.now();
    const reply = await ask(row, ids, token, gateway);
    timings.add(kind, performance.now() - began);
    return blind(reply, ids);
  };
  const there = await timed('real', real);
  expect(there, titleOf(row)).toEqual(await timed('random', random));
  expect(there['text'], titleOf(row)).not.toMatch(/before the question|Which one/);
  expect(there['status'], titleOf(row)).toBeLessThan(500);
  return timings;
}

/** All of them, and that their times are of one order of magnitude. */
async function compare(
  rows: readonly Row[],
  callerOf: (at: number) => Caller,
  who: string,
): Promise<void> {
  const suspects: (() => Promise<string | undefined>)[] = [];
  await each(rows, async (row, place) => {
    const { token } = callerOf(place);
    const timings = new Timings();
    for (const [at, { ids }] of thingsFor(place).entries()) {
      // A name that is given twice is a turn, or a repeated message: not what is compared here.
      for (let repeat = 0; repeat < (row.names === 'own' ? 1 : REPEATS); repeat += 1) {
        timings.merge(await pair(row, ids, token, at + repeat));
      }
    }
    count(row, who);
    if (timings.alike || row.names === 'own') return;
    suspects.push(async () => {
      // A pause of the machine, or a difference? Nothing else runs now.
      const { ids } = thingsFor(place)[0]!;
      const again = new Timings();
      for (let more = 0; more < SUSPECT_PAIRS; more += 1) {
        again.merge(await pair(row, ids, token, more));
      }
      return again.alike ? undefined : `${titleOf(row)}: ${again.toString()}`;
    });
  });
  const slow: string[] = [];
  for (const look of suspects) slow.push(...[await look()].filter((one) => one !== undefined));
  expect.soft(slow).toEqual([]);
}

describe('the table', () => {
  it('should have a row for every operation of the product, and none for anything else', () => {
    const { routes, v1, v03 } = operationsOfProduct();
    const covered = (surface: Surface): string[] => {
      const rows = rowsFor(ann).filter((row) => row.surface === surface);
      return [...new Set(rows.map(({ covers }) => covers))].sort();
    };
    expect([...covered('rest-1.0'), ...covered('admin')].sort()).toEqual(routes);
    expect(covered('jsonrpc-1.0')).toEqual([...v1].sort());
    expect(covered('jsonrpc-0.3')).toEqual([...v03].sort());
    for (const era of ['mcp-2025', 'mcp-2026'] as const) {
      const shown = tools[era].map(({ name }) => `tool ${name}`);
      expect(shown.length).toBeGreaterThan(10);
      expect(covered(era).filter((one) => one.startsWith('tool '))).toEqual([...shown].sort());
    }
  });
});

describe('somebody else’s', () => {
  it.each(Object.entries(STRANGERS))(
    'should be what is missing, to the %s',
    async (who, { one, others }) => {
      // Of the other tenant nothing of Ann’s is touched; of another user nothing that is hers alone.
      const key = one.tenant === 'acme' ? /\{acme\}.*:ann(?::|$)/ : /\{acme\}/;
      const watched = await WatchedKeys.start(redis.port, (name) => key.test(name));
      await watched.learn(1500);
      const rows = rowsFor(one);
      // What a tenant has is there for all its users.
      const foreign = one.tenant === 'acme' ? ['theirs'] : ['theirs', 'tenant'];
      const theirs = rows.filter(({ names }) => foreign.includes(names));
      await compare(theirs, () => one, who);
      // Names that are one's own to give: what is Ann's does not show in them, nor changes by them.
      const own = rows.filter(({ names }) => names === 'own');
      expect(own.length).toBeLessThanOrEqual(MANY);
      await compare(own, (at) => others[at]!, who);
      await watched.learn(1500);
      expect(watched.stop()).toEqual([]);

      const hers = things.flatMap(({ ids }) => [ids.task, ids.context, ids.config]);
      for (const row of rows.filter(({ names }) => names === 'none')) {
        const { text } = await ask(row, things[0]!.ids, one.token);
        expect(
          hers.filter((id) => text.includes(id)),
          titleOf(row),
        ).toEqual([]);
        count(row, who);
      }
    },
  );

  it('should be untouched', async () => {
    const client = on(0, ann.token);
    for (const { ids, task } of things) {
      const now = await client.get(ids.task);
      if (now.status.state === 'TASK_STATE_WORKING') expect(ids).toBe(things[0]!.ids);
      else expect(now).toEqual(task);
    }
    expect((await client.get(things[1]!.ids.task)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const answered = await client.send('still mine', { taskId: things[1]!.ids.task });
    expect(answered.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await truth.active('acme', 'ann')).user).toBe(1);
  });
});

describe('the owner', () => {
  it('should get something else for her own: the rows can tell', async () => {
    const blindRows: string[] = [];
    const rows = rowsFor(ann).filter(
      ({ names, surface }) => (names === 'theirs' || names === 'tenant') && surface !== 'admin',
    );
    const { ids: kept } = await thing('files 10');
    await each(rows, async (row) => {
      // A thing of its own for a row that changes it.
      const changes = /Send|ask|approval|Delete|Close|Cancel|cancel|Create/.test(row.name);
      const ids = changes ? (await thing('files 10', kept)).ids : kept;
      const answer = blind(await ask(row, ids, ann.token), ids);
      if (/page/.test(row.name)) {
        expect(answer['text'], titleOf(row)).toMatch(/"(?:tasks|contexts)":\[\{/);
        return;
      }
      const random = missing(ids);
      const other = blind(await ask(row, random, ann.token), random);
      if (JSON.stringify(answer) === JSON.stringify(other)) blindRows.push(titleOf(row));
    });
    expect(blindRows).toEqual([]);
  });

  it('should be an admin where the admin API is called', async () => {
    for (const row of ADMIN_ROWS) {
      const task = await on(0, spare.token).start('hang');
      const made = await asAdmin('POST', 'tokens', { tenant: 'spare', user: 'sam' });
      const ids = {
        ...things[0]!.ids,
        task: task.id,
        tenant: 'spare',
        user: 'sam',
        token: made.body['id'] as string,
      };
      const answer = await ask(row, ids, ADMIN);
      // No write waits here; writes.e2e-spec decides on some.
      const isThere = !row.name.includes('/approvals/');
      expect(answer.status === 404, `${titleOf(row)} ${answer.text}`).toBe(!isThere);
      expect([401, 403], titleOf(row)).not.toContain(answer.status);
      await Promise.all(
        ['tenants/spare:resume', 'tenants/spare/users/sam:resume'].map((path) =>
          asAdmin('POST', path),
        ),
      );
      await eventually(
        'it may call',
        async () => (await on(0, spare.token).call('GET', '/a2a/tasks')).status === 200,
      );
    }
  });
});

describe('who may not call', () => {
  const KINDS: readonly {
    readonly who: string;
    readonly status: number;
    readonly token: (row: Row) => string;
  }[] = [
    {
      who: 'revoked',
      status: 401,
      token: ({ surface }) => (surface === 'admin' ? revokedAdmin : revoked).token,
    },
    {
      who: 'expired',
      status: 401,
      token: ({ surface }) => (surface === 'admin' ? expiredAdmin : expired).token,
    },
    {
      who: 'wrong scope',
      status: 403,
      token: ({ surface }) =>
        (surface.startsWith('mcp') ? forA2a : surface === 'admin' ? ann : forMcp).token,
    },
    { who: 'suspended', status: 403, token: () => stopped.token },
    { who: 'suspended user', status: 403, token: () => outcast.token },
  ];

  it.each(KINDS)('should be told nothing: $who', async ({ who, status, token }) => {
    await each(rowsFor(ann), async (row) => {
      const nobody = status === 401 ? await ask(row, things[0]!.ids, 'x'.repeat(46)) : undefined;
      // It makes no difference to the guard what is named; `make cross-table` names everything.
      for (const { ids: real } of REPEATS > 1 ? things : things.slice(-1)) {
        const random = missing(real);
        const answer = blind(await ask(row, real, token(row)), real);
        expect(answer, titleOf(row)).toEqual(blind(await ask(row, random, token(row)), random));
        expect(answer['status'], titleOf(row)).toBe(status);
        // A token that was good once is like one that never was.
        if (nobody !== undefined) expect(answer, titleOf(row)).toEqual(blind(nobody, real));
      }
      count(row, who);
    });
  });
});

describe('docs/cross-table.md', () => {
  it('should show what was compared', async () => {
    const who = [
      ...Object.keys(STRANGERS),
      'revoked',
      'expired',
      'wrong scope',
      'suspended',
      'suspended user',
    ];
    const rows = SURFACES.map((surface) => {
      const mine = rowsFor({ tenant: 'globex' }).filter((row) => row.surface === surface);
      const operations = new Set(mine.map(({ covers }) => covers)).size;
      return [
        surface,
        operations,
        mine.length,
        ...who.map((one) => counts.get(surface)?.get(one) ?? 0),
      ];
    });
    const sum = rows.reduce<number[]>(
      (all, [, ...numbers]) => numbers.map((n, at) => Number(n) + (all[at] ?? 0)),
      [],
    );
    const lines = [
      ['surface', 'operations', 'ways to call them', ...who],
      rows[0]!.map(() => '---'),
      ...rows,
      ['all', ...sum],
    ];
    const text = `# Who sees what of others\n\nGenerated by \`make cross-table\` from \`test/e2e/cross-table\`; do not edit.\n\nEvery operation of every surface is called for things of a user of the tenant \`acme\` (a task that runs, one with an open question, one that waits for an approval, one that has ended with a file; their contexts, webhooks, page tokens, idempotency keys, message ids, MCP calls, sources) and for such things that do not exist, by each of those below, through two gateways. Both answers must be the same: status, headers and body, but for the id that was asked for, and the time of one order of magnitude. The numbers are the ways to call for which that was found true. The operations come from the routes and tables of the product: one without a row fails the test. While the others call, MONITOR shows that no key of \`acme\` is touched by the other tenant, and none of its user by another.\n\n${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`;
    const formatted = await format(text, { ...(await resolveConfig(DOC)), parser: 'markdown' });
    await expect(formatted).toMatchFileSnapshot(DOC);
  });
});
