import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, StreamResponse, Task } from '../../src/domain/a2a.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { ranBy } from '../support/task-log.js';

const ann = caller('acme', 'ann');
let redis: RedisServer;
let fleet: Fleet;
let gateways: readonly Gateway[];

beforeAll(async () => {
  redis = await RedisServer.start();
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }],
    callers: [ann],
  });
  gateways = fleet.gateways;
});
afterAll(async () => {
  await fleet.stop();
  await redis.stop();
});

/** As a client that retries: each time a new message id, the same key. */
async function post(
  gateway: Gateway,
  path: string,
  key: string,
  document: (messageId: string) => JsonObject,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${gateway.baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'x-user-token': ann.token,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(document(randomUUID())),
  });
  return { status: response.status, text: await response.text() };
}

function v1(text: string): (messageId: string) => JsonObject {
  return (messageId) => ({ message: { messageId, role: 'ROLE_USER', parts: [{ text }] } });
}

function v03(text: string): (messageId: string) => JsonObject {
  return (messageId) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'message/send',
    params: {
      message: { messageId, kind: 'message', role: 'user', parts: [{ kind: 'text', text }] },
    },
  });
}

function at(index: number): Gateway {
  return gateways[index % gateways.length]!;
}

describe('twins under one Idempotency-Key on two instances', () => {
  it('should be one task and one run, and all get its answer', async () => {
    const twins = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        post(at(i), '/a2a/message:send', 'twins', v1('deltas count=5 every=20')),
      ),
    );
    expect(twins.map((twin) => twin.status)).toEqual(twins.map(() => 200));
    const tasks = twins.map((twin) => (JSON.parse(twin.text) as { task: Task }).task);
    const [first] = tasks as [Task];
    expect(first.status.state).toBe('TASK_STATE_COMPLETED');
    tasks.forEach((task) => {
      expect(task).toEqual(first);
    });
    expect(ranBy(fleet.journal, first.id)).toHaveLength(1);
  });

  it('should be one task over both versions', async () => {
    const [one, other] = await Promise.all([
      post(at(0), '/a2a/message:send', 'versions', v1('instant')),
      post(at(1), '/a2a', 'versions', v03('instant')),
    ]);
    const { task } = JSON.parse(one.text) as { task: Task };
    expect(JSON.parse(other.text)).toMatchObject({ result: { kind: 'task', id: task.id } });
    expect(ranBy(fleet.journal, task.id)).toHaveLength(1);
  });

  it('should be 409 with other content', async () => {
    await post(at(0), '/a2a/message:send', 'conflict', v1('instant'));
    const rest = await post(at(1), '/a2a/message:send', 'conflict', v1('instant other'));
    expect(rest.status).toBe(409);
    expect(rest.text).toContain('"reason":"IDEMPOTENCY_CONFLICT"');
    const rpc = await post(at(1), '/a2a', 'conflict', v03('instant other'));
    expect(rpc.status).toBe(409);
    expect(JSON.parse(rpc.text)).toMatchObject({ error: { code: -32062 } });
  });

  it('should stream the final task when the run has ended', async () => {
    const sent = await post(at(0), '/a2a/message:send', 'stream', v1('instant'));
    const { task } = JSON.parse(sent.text) as { task: Task };
    const stream = await post(at(1), '/a2a/message:stream', 'stream', v1('instant'));
    const events = stream.text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as StreamResponse);
    expect(events).toEqual([{ task }]);
  });

  it('should be 400 when the key is no key', async () => {
    const { status } = await post(at(0), '/a2a/message:send', 'x'.repeat(257), v1('instant'));
    expect(status).toBe(400);
  });
});
