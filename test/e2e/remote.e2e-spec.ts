import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../src/domain/a2a.js';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway, LEASE_MS } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf } from '../support/task-log.js';
import { eventually } from '../support/wait.js';

const far = caller('far', 'near-gateway');
const asker = caller('asks', 'ann');
const relay = caller('relay', 'ann');
const reader = caller('reads', 'ann');
const ADMIN = `adm_${randomBytes(32).toString('base64url')}`;
let remote: Record<string, unknown>;
let redis: RedisServer;
let there: Fleet;
let here: Fleet;
let a: Gateway;
let b: Gateway;

beforeAll(async () => {
  redis = await RedisServer.start();
  there = await Fleet.start(1, {
    redisUrl: redis.url,
    tenants: [{ id: 'far' }],
    callers: [far],
    config: { redis: { prefix: 'there:' } },
  });
  remote = {
    name: 'far',
    url: there.gateways[0]!.baseUrl,
    auth: { kind: 'bearer', token: { env: 'FAR_TOKEN' } },
    allowPrivate: true,
  };
  here = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [
      { id: 'asks', assistant: { backend: 'builtin' }, remotes: [remote] },
      { id: 'relay', assistant: { backend: 'remote', agent: 'far' }, remotes: [remote] },
      {
        id: 'reads',
        assistant: { backend: 'builtin' },
        remotes: [{ ...remote, readOnly: true }],
        mcp: { toolsets: ['assistant', 'remote'] },
      },
    ],
    callers: [asker, relay, reader],
    env: { FAR_TOKEN: far.token, NIGHTJAR_ADMIN_TOKEN: ADMIN },
    config: { admin: { secretEnv: ['FAR_TOKEN'] } },
  });
  [a, b] = here.gateways as [Gateway, Gateway];
});
afterAll(async () => {
  await here.stop();
  await there.stop();
  await redis.stop();
});

interface Started {
  readonly taskId: string;
  readonly attempt: number;
  readonly contextId: string;
}

/** What the far gateway has begun to run, in order. */
async function startsThere(): Promise<Started[]> {
  const text = await readFile(there.journal, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Started);
}

function farState(taskId: string): Promise<string> {
  return new A2aClient(there.gateways[0]!.baseUrl, far.token).state(taskId);
}

function fileOf(task: Task): Buffer {
  const part = task.artifacts?.flatMap(({ parts }) => parts).find(({ raw }) => raw !== undefined);
  return Buffer.from(part?.raw ?? '', 'base64');
}

describe('a second Nightjar as the assistant', () => {
  it('should pass on text, steps and thoughts as they come, and files', async () => {
    const stream = await new A2aClient(a.baseUrl, relay.token).stream('steps');
    await stream.ended;
    const seen = JSON.stringify(stream.events.map(({ data }) => data));
    expect(seen).toContain('"adk_thought":true');
    expect(seen).toContain('thinking');
    expect(seen).toContain('looking');
    expect(seen).toContain('"text":"seen"');
    expect(seen).toContain('TASK_STATE_COMPLETED');

    const task = await new A2aClient(a.baseUrl, relay.token).send('files 5 300000');
    expect(fileOf(task).toString()).toBe('aaaaa');
    const large = task.artifacts?.find(({ name }) => name === 'file 1')?.parts[0];
    const url = new URL(large?.url ?? '');
    expect(url.origin).toBe(a.baseUrl);
    const bytes = await fetch(url, { headers: { 'x-user-token': relay.token } });
    expect((await bytes.arrayBuffer()).byteLength).toBe(300_000);
  });

  it('should go on in the same conversation on another instance, also after a question', async () => {
    const first = await new A2aClient(a.baseUrl, relay.token).send('ask');
    expect(first.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(first.status.message?.parts[0]?.text).toBe('Which one?');
    const second = await new A2aClient(b.baseUrl, relay.token).send('the blue one', {
      contextId: first.contextId,
      taskId: first.id,
    });
    expect(second.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answerOf(second)).toContain('you said the blue one');
    const third = await new A2aClient(a.baseUrl, relay.token).send('instant', {
      contextId: first.contextId,
    });
    expect(third.status.state).toBe('TASK_STATE_COMPLETED');
    const [one, two, three] = (await startsThere()).slice(-3);
    expect(two?.taskId).toBe(one?.taskId);
    expect(new Set([one?.contextId, two?.contextId, three?.contextId]).size).toBe(1);
  });

  it('should say why the other one failed or refused', async () => {
    const failed = await new A2aClient(a.baseUrl, relay.token).send('fail');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(failed.status.message?.parts[0]?.text).toContain('the reason for the user');
    const refused = await new A2aClient(a.baseUrl, relay.token).send('reject');
    expect(refused.status.state).toBe('TASK_STATE_REJECTED');
  });

  it('should cancel the far task, from another instance', async () => {
    const before = (await startsThere()).length;
    const task = await new A2aClient(a.baseUrl, relay.token).start('hang');
    const begun = await eventually('it runs there', async () => (await startsThere())[before]);
    const canceled = await new A2aClient(b.baseUrl, relay.token).cancel(task.id);
    expect(canceled.body.status.state).toBe('TASK_STATE_CANCELED');
    await eventually(
      'the far task is canceled',
      async () => (await farState(begun.taskId)) === 'TASK_STATE_CANCELED',
    );
  });
});

describe('a second Nightjar that is asked by name', () => {
  it('should answer with its words marked, in English and Chinese', async () => {
    const client = new A2aClient(a.baseUrl, asker.token);
    expect(answerOf(await client.send('ask far: instant'))).toBe('**far** says:\n\n> done');
    expect(answerOf(await client.send('问 far instant'))).toBe('**far** 的回答：\n\n> done');
  });

  it('should follow the far task when the asking instance is killed, without asking again', async () => {
    const doomed = await here.add();
    const before = (await startsThere()).length;
    const task = await new A2aClient(doomed.baseUrl, asker.token).start(
      'ask far: deltas count=30 every=100',
    );
    await eventually('some of it is here', async () =>
      /1\.5 /.test(JSON.stringify(await new A2aClient(a.baseUrl, asker.token).get(task.id))),
    );
    await doomed.kill9();
    const done = await eventually(
      'another instance completes it',
      async () => {
        const now = await new A2aClient(a.baseUrl, asker.token).get(task.id);
        return now.status.state === 'TASK_STATE_WORKING' ? undefined : now;
      },
      LEASE_MS + 20_000,
    );
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    const numbers = Array.from({ length: 30 }, (_, n) => `1.${n + 1} `).join('');
    expect(answerOf(done)).toBe(`**far** says:\n\n> ${numbers}`);
    expect(await startsThere()).toHaveLength(before + 1);
  });

  it('should be a tool over MCP, where it only reads', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const headers = { authorization: `Bearer ${reader.token}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${b.baseUrl}/mcp`), { requestInit: { headers } }),
    );
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['n9e_assistant', 'far__n9e-assistant']);
      const direct = await client.callTool({
        name: 'far__n9e-assistant',
        arguments: { task: 'instant' },
      });
      expect(direct.content).toEqual([{ type: 'text', text: '**far** says:\n\n> done' }]);
      expect(direct._meta).toMatchObject({
        'nightjar/source': { name: 'far', type: 'agent', tool: 'far__n9e-assistant' },
      });
      const asked = await client.callTool({
        name: 'n9e_assistant',
        arguments: { message: 'ask far: instant' },
      });
      expect(JSON.stringify(asked.content)).toContain('**far** says');
    } finally {
      await client.close();
    }
  });
});

describe('remotes that an administrator changes', () => {
  let version: string | undefined;
  const admin = (method: string, path: string, body: unknown, match?: string) =>
    new A2aClient(a.managementUrl, ADMIN).call<{ token: string }>(
      method,
      `/admin/v1${path}`,
      JSON.stringify(body),
      match === undefined ? {} : { 'if-match': match },
    );
  const change = async (remotes: readonly Record<string, unknown>[]): Promise<void> => {
    const document = { assistant: { backend: 'builtin' }, remotes };
    const changed = await admin('PUT', '/tenants/moves', document, version);
    expect(changed.status).toBe(200);
    version = String(changed.headers.etag);
  };

  it('should come, change and go on both instances, and end what was open clearly', async () => {
    await change([{ ...remote, policy: 'ask-caller' }]);
    const made = await admin('POST', '/tokens', { tenant: 'moves', user: 'mo' });
    const { token } = made.body;
    const [onA, onB] = [new A2aClient(a.baseUrl, token), new A2aClient(b.baseUrl, token)];
    const ask = async (client: A2aClient): Promise<Task | undefined> => {
      const reply = await client.sendRaw('ask far: instant');
      return reply.status === 200 ? reply.body.task : undefined;
    };
    const everywhere = async (what: string, is: (task: Task) => boolean): Promise<Task[]> =>
      Promise.all(
        [onA, onB].map((client) =>
          eventually(what, async () => {
            const task = await ask(client);
            if (task === undefined || is(task)) return task;
            // A user has so many open questions only: the one that is looked at later must stay.
            if (task.status.state === 'TASK_STATE_INPUT_REQUIRED') await client.cancel(task.id);
            return undefined;
          }),
        ),
      );
    const isAnswered = (task: Task): boolean => answerOf(task).startsWith('**far** says');
    const [proposal] = await everywhere(
      'its user is asked',
      ({ status }) => status.state === 'TASK_STATE_INPUT_REQUIRED',
    );
    await change([remote]);
    await everywhere('it is asked at once', isAnswered);
    const question = await onA.send('ask far: ask');
    expect(question.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const before = (await startsThere()).length;
    const running = await onB.start('ask far: deltas count=25 every=100');
    await eventually('it runs there', async () => (await startsThere()).length > before);

    await change([]);
    await everywhere('it is there no more', (task) => !isAnswered(task));
    const asked = (await startsThere()).length;
    const yes = await onB.send('yes', {
      contextId: proposal?.contextId ?? '',
      taskId: proposal?.id ?? '',
    });
    expect(answerOf(yes)).toContain('is not offered here any more');
    const { contextId, id: taskId } = question;
    const answer = await onB.send('the blue one', { contextId, taskId });
    expect(answerOf(answer)).toContain('none of the agents here any more');
    expect(await startsThere()).toHaveLength(asked);
    const done = await eventually('what was under way has ended', async () => {
      const task = await onA.get(running.id);
      return task.status.state === 'TASK_STATE_WORKING' ? undefined : task;
    });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answerOf(done)).toContain('1.25 ');
  });
});
