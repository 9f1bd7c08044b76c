import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';

const ann = caller('acme', 'ann');
const bob = caller('acme', 'bob');
let redis: RedisServer;
let fleet: Fleet;
let onA: A2aClient;
let onB: A2aClient;
let bobs: A2aClient;

beforeAll(async () => {
  redis = await RedisServer.start();
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }],
    callers: [ann, bob],
  });
  const [a, b] = fleet.gateways;
  onA = new A2aClient(a!.baseUrl, ann.token);
  onB = new A2aClient(b!.baseUrl, ann.token);
  bobs = new A2aClient(b!.baseUrl, bob.token);
});
afterAll(async () => {
  await fleet.stop();
  await redis.stop();
});

describe('DELETE /a2a/tasks/{id}', () => {
  it('should delete an own task that has ended, from any instance', async () => {
    const task = await onA.send('instant');
    const foreign = await bobs.call('DELETE', `/a2a/tasks/${task.id}`);
    const unknown = await bobs.call('DELETE', '/a2a/tasks/no-such-task');
    expect(foreign.status).toBe(404);
    expect(foreign.text.replaceAll(task.id, 'no-such-task')).toBe(unknown.text);
    const deleted = await onB.call('DELETE', `/a2a/acme/tasks/${task.id}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await onA.call('GET', `/a2a/tasks/${task.id}`)).status).toBe(404);
    expect((await onA.call('DELETE', `/a2a/tasks/${task.id}`)).status).toBe(404);
  });

  it('should be 400 for one that runs', async () => {
    const task = await onA.start('hang');
    const reply = await onB.call('DELETE', `/a2a/tasks/${task.id}`);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('"reason":"UNSUPPORTED_OPERATION"');
    await onA.cancel(task.id);
  });
});

describe('/a2a/contexts', () => {
  it('should list, show and close what is the caller’s own', async () => {
    const task = await onA.send('instant', { contextId: 'chat: 1/2' });
    const path = `/a2a/contexts/${encodeURIComponent('chat: 1/2')}`;
    const list = await onB.call<{ contexts: { contextId: string }[] }>('GET', '/a2a/contexts');
    expect(list.body.contexts.map(({ contextId }) => contextId)).toContain('chat: 1/2');
    const shown = await onB.call('GET', path);
    expect(shown.body).toMatchObject({ contextId: 'chat: 1/2', turns: 1 });
    for (const method of ['GET', 'DELETE']) {
      const foreign = await bobs.call(method, path);
      expect(foreign.status).toBe(404);
      expect(foreign.text).toContain('"reason":"CONTEXT_NOT_FOUND"');
    }
    expect((await onB.call('DELETE', path)).status).toBe(204);
    expect((await onA.call('GET', path)).status).toBe(404);
    expect((await onA.call('POST', `${path}:close`, {})).status).toBe(404);
    expect((await onA.get(task.id)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('should cancel an open question by :close, and be busy while a task runs', async () => {
    const parked = await onA.send('ask', { contextId: 'closing' });
    expect((await onB.call('POST', '/a2a/contexts/closing:close', {})).status).toBe(200);
    expect(await onA.state(parked.id)).toBe('TASK_STATE_CANCELED');
    const running = await onA.start('hang', { contextId: 'closing' });
    const busy = await onB.call('DELETE', '/a2a/contexts/closing');
    expect(busy.status).toBe(409);
    expect(busy.text).toContain('"reason":"CONTEXT_BUSY"');
    await onA.cancel(running.id);
  });

  it('should refuse bad pages and other methods', async () => {
    for (const query of ['pageSize=0', 'pageSize=101', 'pageSize=x', 'pageToken=nonsense']) {
      expect((await onA.call('GET', `/a2a/contexts?${query}`)).status, query).toBe(400);
    }
    expect((await onA.call('POST', '/a2a/contexts/closing', {})).status).toBe(405);
    expect((await onA.call('GET', '/a2a/other/contexts')).status).toBe(404);
  });
});
