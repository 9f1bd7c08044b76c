import { randomUUID } from 'node:crypto';
import { Role, TaskState, type Message, type StreamResponse } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import * as sdk03 from 'a2a-sdk-03/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type A2aApp, startA2aApp } from './a2a-harness.js';

let gateway: A2aApp;

beforeAll(async () => {
  // Comments between the events, as on a stream that lives for long.
  gateway = await startA2aApp({
    execution: {
      leaseMs: 8000,
      heartbeatMs: 2000,
      sweepMs: 1000,
      maxRunsPerInstance: 500,
      drainSeconds: 25,
      maxBlockingSeconds: 2,
      streamHeartbeatMs: 30_000,
      sseCommentMs: 10,
      sseStallMs: 30_000,
    },
  });
});
afterAll(async () => {
  await gateway.close();
});

/** Adds the token to each call, as a client of the SDK has to do itself. */
const withToken: typeof fetch = (input, init) =>
  fetch(input, {
    ...init,
    headers: { ...(init?.headers as Record<string, string>), 'X-User-Token': 'alice-token' },
  });

function message(text: string, extra: Partial<Message> = {}): Message {
  return {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [
      { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...extra,
  };
}

function request(text: string, extra: Partial<Message> = {}, returnImmediately = false) {
  return {
    tenant: '',
    message: message(text, extra),
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      historyLength: undefined,
      returnImmediately,
    },
    metadata: undefined,
  };
}

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

function clientOf(transport: 'JSONRPC' | 'HTTP+JSON', legacy = false): Promise<Client> {
  const legacyCompat = { enabled: legacy };
  const options = { fetchImpl: withToken, legacyCompat };
  const transports =
    transport === 'JSONRPC'
      ? [new JsonRpcTransportFactory(options)]
      : [new RestTransportFactory(options)];
  const factory = new ClientFactory({
    transports,
    cardResolver: new DefaultAgentCardResolver({ fetchImpl: withToken, legacyCompat }),
  });
  return factory.createFromUrl(`${gateway.url}/`);
}

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('the SDK’s client 1.3 over %s', (transport) => {
  let client: Client;
  beforeAll(async () => {
    client = await clientOf(transport);
  });

  it('should send, get and list', async () => {
    const task = await client.sendMessage(request('hello'));
    if (!('status' in task)) throw new Error('not a task');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts[0]?.parts[0]?.content).toEqual({ $case: 'text', value: 'Hello world' });
    const got = await client.getTask({ tenant: '', id: task.id, historyLength: 1 });
    expect(got).toEqual(task);
    const list = await client.listTasks({
      tenant: '',
      contextId: '',
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageSize: undefined,
      pageToken: '',
      historyLength: undefined,
      statusTimestampAfter: undefined,
      includeArtifacts: true,
    });
    expect(list.tasks.map(({ id }) => id)).toContain(task.id);
    expect(list.totalSize).toBe(list.tasks.length);
  });

  it('should stream through comments and the retry hint', async () => {
    const stream = client.sendMessageStream(request('slow'));
    const events: StreamResponse[] = [];
    for await (const event of stream) {
      events.push(event);
      if (events.length === 3) {
        const first = events[0]?.payload;
        if (first?.$case !== 'task') throw new Error('the first event is no task');
        setTimeout(() => {
          gateway.tasks.release(first.value.id);
        }, 60);
      }
    }
    expect(events.map(({ payload }) => payload?.$case)).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
  });

  it('should subscribe to a running task and cancel it', async () => {
    const task = await client.sendMessage(request('slow', {}, true));
    if (!('status' in task)) throw new Error('not a task');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_WORKING);
    const reading = collect(client.resubscribeTask({ tenant: '', id: task.id }));
    setTimeout(() => {
      void client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    }, 50);
    const events = await reading;
    expect(events[0]?.payload?.$case).toBe('task');
    const last = events.at(-1)?.payload;
    expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(
      TaskState.TASK_STATE_CANCELED,
    );
  });

  it('should get typed errors', async () => {
    const missing = client.getTask({ tenant: '', id: 'nope', historyLength: undefined });
    await expect(missing).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    const task = await client.sendMessage(request('hello'));
    if (!('status' in task)) throw new Error('not a task');
    const late = client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    await expect(late).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
    const over = collect(client.resubscribeTask({ tenant: '', id: task.id }));
    await expect(over).rejects.toMatchObject({ name: 'UnsupportedOperationError' });
  });

  it('should read the card as one without gaps', async () => {
    const card = await client.getAgentCard();
    expect(card.capabilities).toMatchObject({ streaming: true, pushNotifications: false });
    expect(Object.keys(card.securitySchemes)).toEqual(['x-user-token', 'bearer']);
  });
});

describe('the SDK’s client 0.3.14', () => {
  let client: sdk03.Client;
  beforeAll(async () => {
    const factory = new sdk03.ClientFactory({
      transports: [new sdk03.JsonRpcTransportFactory({ fetchImpl: withToken })],
      cardResolver: new sdk03.DefaultAgentCardResolver({ fetchImpl: withToken }),
    });
    client = await factory.createFromUrl(gateway.url);
  });

  function params(text: string, extra: object = {}) {
    return {
      message: {
        kind: 'message' as const,
        messageId: randomUUID(),
        role: 'user' as const,
        parts: [{ kind: 'text' as const, text }],
        ...extra,
      },
    };
  }

  async function startTask(text: string): Promise<string> {
    const sent = await client.sendMessage({ ...params(text), configuration: { blocking: false } });
    if (sent.kind !== 'task') throw new Error('not a task');
    return sent.id;
  }

  it('should send and get', async () => {
    const sent = await client.sendMessage(params('hello'));
    if (sent.kind !== 'task') throw new Error('not a task');
    expect(sent.status.state).toBe('completed');
    expect(await client.getTask({ id: sent.id })).toEqual(sent);
  });

  it('should stream to the final status', async () => {
    const events = await collect(client.sendMessageStream(params('hello')));
    expect(events.map(({ kind }) => kind)).toEqual([
      'task',
      'status-update',
      'artifact-update',
      'artifact-update',
      'status-update',
    ]);
    expect(events.at(-1)).toMatchObject({ final: true, status: { state: 'completed' } });
  });

  it('should be asked a question and continue', async () => {
    const events = await collect(client.sendMessageStream(params('ask')));
    const last = events.at(-1)!;
    expect(last).toMatchObject({ final: true, status: { state: 'input-required' } });
    if (last.kind !== 'status-update') throw new Error('not a status');
    const { taskId, contextId } = last;
    const sent = await client.sendMessage(params('prod', { taskId, contextId }));
    expect(sent).toMatchObject({ id: taskId, status: { state: 'completed' } });
  });

  it('should resubscribe, and read the error of a finished task', async () => {
    const id = await startTask('slow');
    setTimeout(() => {
      gateway.tasks.release(id);
    }, 50);
    const events = await collect(client.resubscribeTask({ id }));
    expect(events[0]).toMatchObject({ kind: 'task' });
    expect(events.at(-1)).toMatchObject({ final: true });
    await expect(collect(client.resubscribeTask({ id }))).rejects.toThrow('-32004');
  });

  it('should cancel, and see a typed error the second time', async () => {
    const id = await startTask('slow');
    expect(await client.cancelTask({ id })).toMatchObject({ status: { state: 'canceled' } });
    await expect(client.cancelTask({ id })).rejects.toBeInstanceOf(sdk03.TaskNotCancelableError);
    await expect(client.getTask({ id: 'nope' })).rejects.toBeInstanceOf(sdk03.TaskNotFoundError);
  });
});

describe('the SDK’s client 1.3 in its 0.3 mode', () => {
  it('should find the 0.3 interface and speak it', async () => {
    const factory = new ClientFactory({
      transports: [
        new JsonRpcTransportFactory({ fetchImpl: withToken, legacyCompat: { enabled: true } }),
      ],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl: withToken }),
    });
    const card = await (await clientOf('JSONRPC', true)).getAgentCard();
    const client = await factory.createFromAgentCard({
      ...card,
      supportedInterfaces: card.supportedInterfaces.filter(
        ({ protocolVersion }) => protocolVersion === '0.3',
      ),
    });
    const events = await collect(client.sendMessageStream(request('hello')));
    expect(events.map(({ payload }) => payload?.$case)).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
  });
});
