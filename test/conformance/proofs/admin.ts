import { expect } from 'vitest';
import type { JsonObject } from '../../../src/domain/a2a.js';
import { A2aClient, type Reply } from '../../support/a2a-client.js';
import { eventually } from '../../support/wait.js';
import type { Reason } from '../support/refused.js';
import { Refused } from '../support/refused.js';
import { prove } from '../support/registry.js';
import { asText } from '../support/text.js';
import { restResult } from '../support/wire.js';
import { ADMIN_TOKEN, type World } from '../support/world.js';

const ROOT = '/admin/v1';
const DEMO: JsonObject = { sources: [{ type: 'demo', name: 'demo' }] };
/** Every instance acts on a change within two seconds; a busy machine gets more. */
const EVERYWHERE_MS = 10_000;

function call(
  world: World,
  method: string,
  path: string,
  body?: JsonObject | string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return world.admin().call(method, `${ROOT}${path}`, body, headers);
}

async function ok(...asked: Parameters<typeof call>): Promise<JsonObject> {
  const result = restResult(await call(...asked));
  expect(result).toBeInstanceOf(Object);
  return result as JsonObject;
}

/** The refusal, in its envelope. */
function refusalOf(reply: Reply): Refused {
  try {
    restResult(reply);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
  throw new Error(`not refused: ${reply.text}`);
}

async function refused(status: number, ...asked: Parameters<typeof call>): Promise<Refused> {
  const refusal = refusalOf(await call(...asked));
  expect(refusal.http, refusal.message).toBe(status);
  return refusal;
}

async function makeTenant(world: World): Promise<string> {
  const path = `/tenants/${world.name}`;
  const made = await call(world, 'PUT', path, DEMO, { 'if-none-match': '*' });
  expect(made.status, made.text).toBe(200);
  return path;
}

prove('ADMIN-AUTH', ['admin'], async (world) => {
  const path = `${ROOT}/tenants`;
  const as = async (token: string | null, reason: Reason): Promise<void> => {
    refusalOf(await world.admin(token).call('GET', path)).expect(reason);
  };
  await ok(world, 'GET', '/tenants');
  await as(null, 'UNAUTHENTICATED');
  await as('x'.repeat(43), 'UNAUTHENTICATED');
  await as(world.me.token, 'PERMISSION_DENIED');
  // On the public listener nobody finds it.
  for (const token of [ADMIN_TOKEN, world.me.token, undefined]) {
    const client = new A2aClient(world.site.a, token);
    refusalOf(await client.call('GET', path)).expect('PATH_NOT_FOUND');
  }
  refusalOf(await new A2aClient(world.site.a, ADMIN_TOKEN).call('GET', '/a2a/tasks')).expect(
    'PERMISSION_DENIED',
  );
  const foreign = { host: 'admin.example.org' };
  refusalOf(await world.admin().call('GET', path, undefined, foreign)).expect('PERMISSION_DENIED');
});

prove('ADMIN-ENVELOPE', ['admin'], async (world) => {
  const tenant = `/tenants/${world.name}`;
  const wrong = { limits: { textBytes: 'many', nothing: 1 }, takeover: 'perhaps' };
  const faults = JSON.stringify((await refused(400, world, 'PUT', tenant, wrong)).details);
  for (const field of ['limits.textBytes', 'limits.nothing', 'takeover']) {
    expect(faults).toContain(field);
  }
  const token = JSON.stringify(
    (await refused(400, world, 'POST', '/tokens', { tenant: 'acme', scopes: 'all', x: 1 })).details,
  );
  for (const field of ['user', 'scopes', 'x']) expect(token).toContain(`"field":"${field}"`);
  (await refused(400, world, 'PUT', tenant, '{')).expect('PARSE_ERROR');
  await refused(400, world, 'PUT', tenant, '[]');
  await refused(400, world, 'GET', '/audit?pageSize=0&before=yesterday');
  await refused(400, world, 'PUT', tenant, DEMO, { 'if-match': 'anything' });
  const method = await refused(405, world, 'PATCH', tenant, {});
  expect(method.headers['allow']).toMatch(/PUT/);
  const media = { 'content-type': 'text/plain' };
  (await refused(415, world, 'PUT', tenant, 'text', media)).expect('MEDIA_TYPE');
  (await refused(404, world, 'GET', '/nothing')).expect('PATH_NOT_FOUND');
});

prove('ADMIN-UNKNOWN', ['admin'], async (world) => {
  const none = `none-${world.name}`;
  await ok(world, 'GET', '/tenants/acme');
  for (const [method, path] of [
    ['GET', `/tenants/${none}`],
    ['DELETE', `/tenants/${none}`],
    ['POST', `/tenants/${none}:suspend`],
    ['POST', `/tenants/${none}/users/ann:resume`],
    ['GET', `/tenants/acme/tasks/${none}`],
    ['POST', `/tenants/acme/tasks/${none}:cancel`],
    ['GET', '/tokens/0123456789abcdef'],
    ['POST', '/tokens/0123456789abcdef:revoke'],
    ['POST', '/tenants/acme:promote'],
    ['GET', '/tenants/..%2f..%2ftokens'],
  ] as const) {
    const reply = await call(world, method, path, method === 'POST' ? {} : undefined);
    expect([path, refusalOf(reply).http]).toEqual([path, 404]);
  }
});

prove('ADMIN-SEEN', ['admin'], async (world) => {
  const path = await makeTenant(world);
  const first = await call(world, 'GET', path);
  const seen = { 'if-match': String(first.headers.etag) };
  const changed = await call(world, 'PUT', path, { ...DEMO, takeover: 'fail' }, seen);
  expect([changed.status, changed.headers.etag]).toEqual([
    200,
    expect.not.stringMatching(String(first.headers.etag)),
  ]);
  for (const [status, method, headers] of [
    [412, 'PUT', seen],
    [412, 'DELETE', seen],
    [409, 'PUT', { 'if-none-match': '*' }],
    [409, 'PUT', {}],
  ] as const) {
    await refused(status, world, method, path, method === 'PUT' ? DEMO : undefined, headers);
  }
  const now = await call(world, 'GET', path);
  expect(now.headers.etag).toBe(changed.headers.etag);
  expect(now.body).toMatchObject({ document: { takeover: 'fail' } });
  // What is of the YAML file is changed there.
  await refused(409, world, 'PUT', '/tenants/acme', DEMO);
  await ok(world, 'DELETE', path, undefined, { 'if-match': String(now.headers.etag) });
  await refused(404, world, 'GET', path);
});

prove('ADMIN-NO-SECRET', ['admin'], async (world) => {
  const path = await makeTenant(world);
  const user = { tenant: world.name, user: 'ann' };
  const made = await ok(world, 'POST', '/tokens', user);
  const secret = asText(made['token']);
  expect(secret.length).toBeGreaterThanOrEqual(43);
  const id = asText(made['id']);
  const rotated = await ok(world, 'POST', `/tokens/${id}:rotate`, {});
  expect(rotated['token']).not.toBe(secret);
  const source = {
    ...{ type: 'prometheus', name: 'p', url: 'http://127.0.0.1:9' },
    auth: { kind: 'bearer', token: { env: 'PATH' } },
  };
  // Only what the operator has opened may be referred to.
  await refused(400, world, 'PUT', path, { sources: [source] }, { 'if-match': '"1"' });
  await ok(world, 'DELETE', path);
  for (const [where, marks] of [
    [`/tokens?tenant=${world.name}`, false],
    ['/tokens', true],
    ['/tenants', true],
    [`/audit?tenant=${world.name}`, true],
    ['/audit', true],
    ['/tasks', true],
  ] as const) {
    const { status, text } = await call(world, 'GET', where);
    expect(status).toBe(200);
    if (marks) expect(text.length).toBeGreaterThan(10);
    for (const hidden of [secret, asText(rotated['token']), ADMIN_TOKEN, world.me.token]) {
      expect(text, where).not.toContain(hidden);
    }
  }
});

prove('ADMIN-SUSPEND', ['admin'], async (world) => {
  const { tenant, user } = { tenant: 'acme', user: `suspended-${world.name}` };
  const made = await ok(world, 'POST', '/tokens', { tenant, user });
  const bases = [world.site.a, world.site.b];
  const everywhere = async (status: number): Promise<void> => {
    for (const base of bases) {
      const client = new A2aClient(base, asText(made['token']));
      await eventually(
        `${status} at ${base}`,
        async () => (await client.call('GET', '/a2a/tasks')).status === status,
        Math.min(EVERYWHERE_MS, world.patience),
        50,
      );
    }
  };
  await everywhere(200);
  const path = `/tenants/${tenant}/users/${user}`;
  const shown = await ok(world, 'POST', `${path}:suspend`, { reason: 'a proof' });
  expect(JSON.stringify(shown['suspendedUsers'])).toContain(user);
  await everywhere(403);
  await ok(world, 'POST', `${path}:resume`, {});
  await everywhere(200);
  await ok(world, 'POST', `/tokens/${asText(made['id'])}:revoke`, {});
  await everywhere(401);
});

prove('ADMIN-AUDIT', ['admin'], async (world) => {
  const path = await makeTenant(world);
  await refused(412, world, 'DELETE', path, undefined, { 'if-match': '"7"' });
  const made = await ok(world, 'POST', '/tokens', { tenant: world.name, user: 'ann' });
  const { entries } = await ok(world, 'GET', `/audit?tenant=${world.name}`);
  expect(entries).toMatchObject([
    {
      action: 'token.create',
      target: `token/${asText(made['id'])}`,
      outcome: 'ok',
      actor: expect.stringMatching(/^admin:./) as unknown,
      requestId: expect.any(String) as unknown,
    },
    { action: 'tenant.put', target: `tenant/${world.name}`, outcome: 'ok' },
  ]);
  await ok(world, 'DELETE', path);
  const target = `target=${encodeURIComponent(`tenant/${world.name}`)}`;
  const { entries: deletions } = await ok(world, 'GET', `/audit?action=tenant.delete&${target}`);
  expect(deletions).toMatchObject([{ outcome: 'ok' }, { outcome: 'ETAG_MISMATCH' }]);
});
