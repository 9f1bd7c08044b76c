import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Role, TaskState, type StreamResponse } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import * as sdk03 from 'a2a-sdk-03/client';
import { OwnedProcess } from './owned-process.js';

const ROOT = join(import.meta.dirname, '../..');

/** One of other people's A2A clients, with the words of this test: states are `completed`, … */
export interface Peer {
  /** Waits for the end. */
  send(text: string): Promise<{ id: string; state: string }>;
  /** Returns the id while the task runs. */
  start(text: string): Promise<string>;
  /** Reads the stream of a new task to its end; each state it shows, in order, without repeats. */
  stream(text: string): Promise<readonly string[]>;
  /** The same of a task that runs. */
  subscribe(id: string): Promise<readonly string[]>;
  cancel(id: string): Promise<string>;
  /** Has the URL told what happens to the task. */
  hook(id: string, url: string): Promise<void>;
}

export const PEERS: Readonly<Record<string, (url: string, token: string) => Promise<Peer>>> = {
  'a2a-cli, 1.0': (url, token) => Promise.resolve(a2aCli(url, token, '1.0')),
  'a2a-cli, 0.3': (url, token) => Promise.resolve(a2aCli(url, token, '0.3')),
  '@a2a-js/sdk 1.3, 1.0 over REST': (url, token) => sdk1(url, token, 'REST'),
  '@a2a-js/sdk 1.3, 1.0 over JSON-RPC': (url, token) => sdk1(url, token, 'RPC'),
  '@a2a-js/sdk 0.3, JSON-RPC': sdk0,
};

function withToken(token: string): typeof fetch {
  return (input, init) =>
    fetch(input, {
      ...init,
      headers: { ...(init?.headers as Record<string, string>), 'X-User-Token': token },
    });
}

function distinct(states: readonly string[]): string[] {
  return states.filter((state, index) => state !== states[index - 1]);
}

function a2aCli(url: string, token: string, protocol: '1.0' | '0.3'): Peer {
  const run = async (...args: readonly string[]): Promise<Record<string, unknown>[]> => {
    const script = join(ROOT, 'dist/cli/a2a-cli.js');
    const child = await OwnedProcess.start(
      process.execPath,
      [script, '--server', url, '--protocol', protocol, '--json', ...args],
      { cwd: ROOT, env: { PATH: process.env['PATH'] ?? '', NIGHTJAR_TOKEN: token } },
    );
    await child.exited();
    const lines = child.logs.split('\n').filter((line) => line.startsWith('{'));
    if (lines.length === 0) throw new Error(`a2a-cli ${args.join(' ')}: ${child.logs}`);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const states = (events: readonly Record<string, unknown>[]): string[] =>
    distinct(
      events.flatMap((event) => {
        const holder = event['task'] ?? event['statusUpdate'] ?? event;
        const { status } = holder as { status?: { state: string } };
        return status === undefined ? [] : [named(status.state)];
      }),
    );
  const taskOf = (events: readonly Record<string, unknown>[]): { id: string } =>
    (events[0]?.['task'] ?? events[0]) as { id: string };
  return {
    send: async (text) => {
      const events = await run('--message', text, '--no-stream');
      return { id: taskOf(events).id, state: states(events).at(-1) ?? '' };
    },
    start: async (text) => {
      const task = await sdk1(url, token, 'REST');
      return task.start(text);
    },
    stream: async (text) => states(await run('--message', text)),
    subscribe: async (id) => states(await run('subscribe', id)),
    cancel: async (id) => states(await run('cancel', id)).at(-1) ?? '',
    hook: async (id, hookUrl) => {
      const [added] = await run('webhook', 'add', id, hookUrl);
      if (added?.['url'] !== hookUrl) throw new Error(`not added: ${JSON.stringify(added)}`);
    },
  };
}

async function sdk1(url: string, token: string, binding: 'REST' | 'RPC'): Promise<Peer> {
  const fetchImpl = withToken(token);
  const factory =
    binding === 'REST'
      ? new RestTransportFactory({ fetchImpl })
      : new JsonRpcTransportFactory({ fetchImpl });
  const client: Client = await new ClientFactory({
    transports: [factory],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(`${url}/`);
  const request = (text: string, returnImmediately = false) => ({
    tenant: '',
    message: {
      ...{ messageId: randomUUID(), contextId: '', taskId: '', role: Role.ROLE_USER },
      parts: [
        {
          content: { $case: 'text' as const, value: text },
          ...{ metadata: undefined, filename: '', mediaType: '' },
        },
      ],
      ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
    },
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      historyLength: undefined,
      returnImmediately,
    },
    metadata: undefined,
  });
  const send = async (text: string, now: boolean): Promise<{ id: string; state: string }> => {
    const task = await client.sendMessage(request(text, now));
    if (!('status' in task)) throw new Error('not a task');
    return { id: task.id, state: named(TaskState[task.status?.state ?? 0] ?? '') };
  };
  const read = async (stream: AsyncIterable<StreamResponse>): Promise<readonly string[]> => {
    const states: string[] = [];
    for await (const { payload } of stream) {
      const status =
        payload?.$case === 'task' || payload?.$case === 'statusUpdate'
          ? payload.value.status
          : undefined;
      if (status !== undefined) states.push(named(TaskState[status.state]));
    }
    return distinct(states);
  };
  return {
    send: (text) => send(text, false),
    start: async (text) => (await send(text, true)).id,
    stream: (text) => read(client.sendMessageStream(request(text))),
    subscribe: (id) => read(client.resubscribeTask({ tenant: '', id })),
    cancel: async (id) => {
      const task = await client.cancelTask({ tenant: '', id, metadata: undefined });
      return named(TaskState[task.status?.state ?? 0] ?? '');
    },
    hook: async (taskId, hookUrl) => {
      await client.createTaskPushNotificationConfig({
        ...{ tenant: '', taskId, id: 'h1', url: hookUrl, token: '', authentication: undefined },
      });
    },
  };
}

async function sdk0(url: string, token: string): Promise<Peer> {
  const fetchImpl = withToken(token);
  const client = await new sdk03.ClientFactory({
    transports: [new sdk03.JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new sdk03.DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(url);
  const params = (text: string) => ({
    message: {
      kind: 'message' as const,
      messageId: randomUUID(),
      role: 'user' as const,
      parts: [{ kind: 'text' as const, text }],
    },
  });
  const read = async (
    stream: ReturnType<typeof client.sendMessageStream>,
  ): Promise<readonly string[]> => {
    const states: string[] = [];
    for await (const event of stream) {
      if (event.kind === 'task' || event.kind === 'status-update') states.push(event.status.state);
    }
    return distinct(states);
  };
  const send = async (text: string, blocking: boolean): Promise<{ id: string; state: string }> => {
    const task = await client.sendMessage({ ...params(text), configuration: { blocking } });
    if (task.kind !== 'task') throw new Error('not a task');
    return { id: task.id, state: task.status.state };
  };
  return {
    send: (text) => send(text, true),
    start: async (text) => (await send(text, false)).id,
    stream: (text) => read(client.sendMessageStream(params(text))),
    subscribe: (id) => read(client.resubscribeTask({ id })),
    cancel: async (id) => (await client.cancelTask({ id })).status.state,
    hook: async (taskId, hookUrl) => {
      await client.setTaskPushNotificationConfig({
        taskId,
        pushNotificationConfig: { url: hookUrl },
      });
    },
  };
}

/** `TASK_STATE_INPUT_REQUIRED` → `input-required`, as 0.3 writes it. */
function named(state: string): string {
  return state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
}
