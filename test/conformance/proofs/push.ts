import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/domain/a2a.js';
import { type Delivered, seqOf, stateIn, textOf } from '../../support/hook-server.js';
import { A2A } from '../support/cells.js';
import { prove } from '../support/registry.js';
import { sendParams, type Wire } from '../support/wire.js';
import { NAMED, type World } from '../support/world.js';

const SECRET = { token: 'the-token-of-the-hook', credentials: 'the-credentials-of-the-hook' };
const AUTHENTICATION = { scheme: 'Bearer', credentials: SECRET.credentials };
const CONFIG = 'TaskPushNotificationConfig';

prove('PUSH-CONFIGS', A2A, async (world) => {
  const { id: taskId } = await world.wire().start('ask');
  const url = world.hook.url(`/${randomUUID()}`);
  const config = { id: 'mine', url };
  const whole = { taskId, ...config, token: SECRET.token, authentication: AUTHENTICATION };
  const created = await world.wire().call(`Create${CONFIG}`, whole);
  const got = await world.other().call(`Get${CONFIG}`, { taskId, id: 'mine' });
  const { configs } = await world.other().call(`List${CONFIG}s`, { taskId });
  for (const shown of [created, got, (configs as JsonObject[])[0]]) {
    expect(shown).toMatchObject({ taskId, ...config });
    expect(JSON.stringify(shown)).not.toMatch(/the-token|the-credentials/);
  }
  expect(configs).toHaveLength(1);
  await world.other().call(`Delete${CONFIG}`, { taskId, id: 'mine' });
  await world.wire().call(`Delete${CONFIG}`, { taskId, id: 'mine' });
  (await world.wire().refusal(`Get${CONFIG}`, { taskId, id: 'mine' })).expect('TASK_NOT_FOUND');
  expect((await world.wire().call(`List${CONFIG}s`, { taskId }))['configs']).toEqual([]);
});

prove('PUSH-OFF', A2A, async (world) => {
  const wire = world.wire(world.me, world.site.plain);
  const { id } = await wire.send('instant');
  const url = 'https://example.org/hook';
  for (const taskId of [id, randomUUID()]) {
    for (const [operation, params] of [
      [`Create${CONFIG}`, { taskId, id: 'x', url }],
      [`Get${CONFIG}`, { taskId, id: 'x' }],
      [`List${CONFIG}s`, { taskId }],
      [`Delete${CONFIG}`, { taskId, id: 'x' }],
    ] as const) {
      (await wire.refusal(operation, params)).expect('PUSH_NOTIFICATION_NOT_SUPPORTED');
    }
  }
  const inline = {
    ...sendParams('instant'),
    configuration: { taskPushNotificationConfig: { url } },
  };
  (await wire.refusal('SendMessage', inline)).expect('PUSH_NOTIFICATION_NOT_SUPPORTED');
});

function isOver(accepted: readonly Delivered[]): boolean {
  return /completed/i.test(stateIn(accepted.at(-1)) ?? '');
}

/** Sends with a webhook of its own and waits for it to be told of the end. */
async function told(world: World, wire: Wire, path: string): Promise<readonly Delivered[]> {
  const taskPushNotificationConfig = {
    url: world.hook.url(path),
    token: SECRET.token,
    authentication: AUTHENTICATION,
  };
  await wire.send('deltas count=6 every=60', { configuration: { taskPushNotificationConfig } });
  return world.hook.until('the end', isOver, path, world.patience);
}

/** The text that a receiver has at the end, in the version's own shape. */
function finalText(world: World, accepted: readonly Delivered[]): string {
  if (world.cell !== 'jsonrpc-0.3') return textOf(accepted);
  const task = accepted.at(-1)?.body as unknown as {
    kind: string;
    artifacts: { parts: { kind: string; text: string }[] }[];
  };
  expect(task.kind).toBe('task');
  return task.artifacts.flatMap(({ parts }) => parts.map((part) => part.text)).join('');
}

prove('PUSH-DELIVERED', A2A, async (world) => {
  const path = `/${randomUUID()}`;
  const accepted = await told(world, world.wire(), path);
  expect(finalText(world, accepted)).toContain('1.1 1.2 1.3 1.4 1.5 1.6 ');
  const seqs = accepted.map(seqOf);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  for (const { headers } of accepted) {
    expect(headers['x-a2a-notification-token']).toBe(SECRET.token);
    expect(headers.authorization).toBe(`Bearer ${SECRET.credentials}`);
    expect(headers['content-type']).toMatch(
      world.cell === 'jsonrpc-0.3' ? /^application\/json/ : /^application\/a2a\+json/,
    );
  }
  expect(accepted.length).toBeGreaterThan(1);
});

prove('PUSH-RETRIED', A2A, async (world) => {
  const path = `/${randomUUID()}/fails-twice`;
  const accepted = await told(world, world.wire(), path);
  expect(finalText(world, accepted)).toContain('1.1 1.2 1.3 1.4 1.5 1.6 ');
  const all = world.hook.all.filter((one) => one.path === path);
  expect(all.slice(0, 3).map(({ status }) => status)).toEqual([500, 500, 200]);
  const [first, second, third] = all.map(({ headers }) => headers['x-nightjar-event-id']);
  expect(String(first)).toMatch(/^\d+-\d+$/);
  expect([second, third].filter((id) => id === first).length).toBeGreaterThan(0);
});

const INWARDS = [
  'http://example.org/hook',
  'https://127.0.0.1/hook',
  'https://localhost/hook',
  'https://localhost./hook',
  'https://[::1]/hook',
  'https://[::ffff:127.0.0.1]/hook',
  'https://[::ffff:7f00:1]/hook',
  'https://0x7f000001/hook',
  'https://2130706433/hook',
  'https://0177.0.0.1/hook',
  'https://127.1/hook',
  'https://0.0.0.0/hook',
  'https://10.1.2.3/hook',
  'https://172.16.0.1/hook',
  'https://192.168.1.1/hook',
  'https://100.64.0.1/hook',
  'https://169.254.169.254/latest/meta-data',
  'https://[fe80::1]/hook',
  'https://[fd00::1]/hook',
  'https://user:pw@127.0.0.1/hook',
  'ftp://example.org/hook',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'not a url',
  '//example.org/hook',
] as const;

prove('PUSH-URL', A2A, async (world) => {
  const headers = { [NAMED.headerName.toLowerCase()]: world.me.token };
  const wire = world.wire(null, world.site.named);
  const { task } = await wire.call('SendMessage', sendParams('instant'), headers);
  const { id: taskId } = task as { id: string };
  for (const url of INWARDS) {
    const refused = await wire.refusal(`Create${CONFIG}`, { taskId, id: 'x', url }, headers);
    refused.expect('INVALID_PARAMS');
    const params = {
      ...sendParams('instant'),
      configuration: { taskPushNotificationConfig: { url } },
    };
    (await wire.refusal('SendMessage', params, headers)).expect('INVALID_PARAMS');
  }
  const nobody = world.http(null, world.site.named);
  const { body } = await nobody.call('GET', '/a2a/tasks', undefined, headers);
  expect(body['totalSize']).toBe(1);
});

prove('PUSH-HEADERS', A2A, async (world) => {
  const wire = world.wire();
  const { id: taskId } = await wire.start('ask');
  const url = world.hook.url(`/${randomUUID()}`);
  for (const bad of [
    { token: 'secret\r\nX-Evil: 1' },
    { token: 'secret\n' },
    { token: 'sécret' },
    { authentication: { scheme: 'Bearer', credentials: 'secret\r\nX-Evil: 1' } },
    { authentication: { scheme: 'Bearer', credentials: '' } },
    { authentication: { scheme: 'Bearer' } },
    { authentication: { scheme: 'Bea rer', credentials: 'secret' } },
  ]) {
    const refused = await wire.refusal(`Create${CONFIG}`, { taskId, id: 'x', url, ...bad });
    refused.expect('INVALID_PARAMS');
    expect(refused.message).not.toMatch(/s[eé]cret|Evil/);
  }
  expect((await wire.call(`List${CONFIG}s`, { taskId }))['configs']).toEqual([]);
});

prove('PUSH-TASK', ['rest-1.0'], async (world) => {
  const wire = world.wire();
  const [one, two] = [await wire.start('ask'), await wire.start('ask')];
  const url = world.hook.url(`/${randomUUID()}`);
  const path = `/a2a/tasks/${one.id}/pushNotificationConfigs`;
  const reply = await wire.http.call('POST', path, { taskId: two.id, id: 'x', url });
  expect([reply.status, reply.text]).toEqual([
    400,
    expect.stringContaining('INVALID_PARAMS') as unknown,
  ]);
  for (const { id: taskId } of [one, two]) {
    expect((await wire.call(`List${CONFIG}s`, { taskId }))['configs']).toEqual([]);
  }
});
