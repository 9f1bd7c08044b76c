import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import { Redactor } from '../../src/assistant/llm/redactor.js';
import { RemoteAgent } from '../../src/assistant/remote/remote-agent.js';
import type { RemoteAnswer } from '../../src/assistant/remote/remote-tool.js';
import type { RemoteAgentConfig } from '../../src/config/config.types.js';
import { FakeDesk } from '../support/fake-desk.js';
import { quietLogger } from '../support/quiet-logger.js';
import {
  answered,
  pieceOf,
  refusedWith,
  RemoteAgentServer,
  statusOf,
  streamed,
  taskOf,
} from '../support/remote-agent-server.js';
import { eventually, sleep } from '../support/wait.js';

vi.mock('node:dns/promises', () => ({
  lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
}));

let server: RemoteAgentServer;
let agents: RemoteAgent[];
let desk: FakeDesk;

quietLogger();
beforeEach(async () => {
  server = await RemoteAgentServer.start();
  agents = [];
  desk = new FakeDesk();
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await server.stop();
});

function agentAt(over: Partial<RemoteAgentConfig> = {}): RemoteAgent {
  const agent = new RemoteAgent(
    {
      name: 'far',
      url: server.url,
      headers: { 'x-user-token': 'our-own-token' },
      allowPrivate: true,
      maxBytes: 1024 * 1024,
      readOnly: false,
      policy: 'auto',
      silenceMs: 5000,
      maxSeconds: 20,
      ...over,
    },
    'acme',
    new Redactor(['our-own-token']),
  );
  agents.push(agent);
  return agent;
}

interface Called {
  readonly frames: readonly Frame[];
  readonly answer: RemoteAnswer;
}

async function ask(
  agent: RemoteAgent,
  over: {
    depth?: number;
    signal?: AbortSignal;
    task?: string;
    answering?: NonNullable<Turn['answering']>;
  } = {},
): Promise<Called> {
  const frames: Frame[] = [];
  const { answering } = over;
  const beside = answering === undefined ? {} : { answering };
  const turn = { tenant: 'acme', taskId: 'task-1', depth: over.depth ?? 0, ...beside };
  const signal = over.signal ?? new AbortController().signal;
  const calling = agent
    .anything()
    .call({ task: over.task ?? 'look' }, { turn, desk: desk.calls, signal });
  for (;;) {
    const step = await calling.next();
    if (step.done === true) return { frames, answer: step.value };
    frames.push(step.value);
  }
}

function textOf(frames: readonly Frame[]): string {
  return frames.map((frame) => (frame.kind === 'content' ? frame.text : '')).join('');
}

describe('a call of a remote agent', () => {
  it('should send the configured credentials, a depth and nothing of the caller', async () => {
    server.answer = (request, response) => {
      streamed(request, response, [{ task: taskOf('TASK_STATE_COMPLETED', [{ text: 'fine' }]) }]);
    };
    const { answer } = await ask(agentAt(), { depth: 1 });
    expect(answer).toEqual({ success: true, certainty: 'done', text: 'fine' });
    const [call] = server.calls;
    expect(call?.headers['x-user-token']).toBe('our-own-token');
    expect(call?.headers['x-agent-depth']).toBe('2');
    expect(call?.headers['a2a-version']).toBe('1.0');
    expect(call?.headers['authorization']).toBeUndefined();
  });

  it('should show steps, thoughts and pieces once, whatever a snapshot repeats', async () => {
    server.answer = (request, response) => {
      if (request.body['method'] === 'SendStreamingMessage') {
        streamed(request, response, [
          { task: taskOf('TASK_STATE_SUBMITTED') },
          statusOf('TASK_STATE_WORKING', 'looking'),
          statusOf('TASK_STATE_WORKING', 'looking'),
          pieceOf('one ', false),
          pieceOf('two '),
        ]);
      } else if (request.body['method'] === 'GetTask') {
        answered(request, response, taskOf('TASK_STATE_WORKING', [{ text: 'one two three ' }]));
      } else {
        streamed(request, response, [
          { task: taskOf('TASK_STATE_WORKING', [{ text: 'one two three ' }]) },
          pieceOf('four'),
          statusOf('TASK_STATE_COMPLETED'),
        ]);
      }
    };
    const { frames, answer } = await ask(agentAt());
    expect(textOf(frames)).toBe('one two three four');
    expect(frames.filter(({ kind }) => kind === 'step')).toEqual([
      { kind: 'step', text: 'looking' },
    ]);
    expect(answer.text).toBe('one two three four');
    expect(server.calls.map(({ body }) => body['method'])).toEqual([
      'SendStreamingMessage',
      'GetTask',
      'SubscribeToTask',
    ]);
    expect(desk.calls.named).toEqual(['far-task']);
    expect(desk.calls.links.get('far')).toEqual({ contextId: 'far-context' });
  });

  it('should poll where the card says that the agent cannot stream', async () => {
    server.card = server.cardOf({ capabilities: { streaming: false } });
    let looks = 0;
    server.answer = (request, response) => {
      if (request.body['method'] === 'SendMessage') {
        answered(request, response, { task: taskOf('TASK_STATE_WORKING') });
        return;
      }
      looks += 1;
      const state = looks < 2 ? 'TASK_STATE_WORKING' : 'TASK_STATE_COMPLETED';
      answered(request, response, taskOf(state, looks < 2 ? [] : [{ text: 'at last' }]));
    };
    const { answer } = await ask(agentAt());
    expect(answer.text).toBe('at last');
    const params = server.calls[0]?.body['params'] as { configuration?: unknown };
    expect(params.configuration).toMatchObject({ returnImmediately: true });
  });

  it('should speak 0.3 with an agent that knows nothing newer', async () => {
    server.card = {
      name: 'old',
      url: `${server.url}/rpc`,
      protocolVersion: '0.3.0',
      capabilities: { streaming: true },
      skills: [{ id: 'look', name: 'Look', description: '' }],
    };
    server.answer = (request, response) => {
      const common = { kind: 'status-update', taskId: 'far-task', contextId: 'far-context' };
      const status = {
        state: 'completed',
        message: {
          kind: 'message',
          messageId: 'm',
          role: 'agent',
          parts: [{ kind: 'text', text: 'old words' }],
        },
      };
      streamed(request, response, [{ ...common, status, final: true }]);
    };
    const { answer } = await ask(agentAt());
    expect(answer.text).toBe('old words');
    expect(server.calls[0]?.body['method']).toBe('message/stream');
  });

  it('should bring files, from its own origin with its credentials, and leave other links alone', async () => {
    server.answer = (request, response) => {
      if (request.path === '/file') {
        response.writeHead(200, { 'content-type': 'image/png' }).end('pixels');
        return;
      }
      streamed(request, response, [
        {
          task: taskOf('TASK_STATE_COMPLETED', [
            { raw: Buffer.from('raw').toString('base64'), filename: 'a.bin' },
            { url: `${server.url}/file`, filename: 'b.png' },
            { url: 'https://elsewhere.example.com/c' },
            { url: 'nightjar-file:5/1-1-secret' },
          ]),
        },
      ]);
    };
    const { frames } = await ask(agentAt());
    const parts = frames.flatMap((frame) => (frame.kind === 'artifact' ? frame.parts : []));
    expect(parts[0]).toMatchObject({ filename: 'a.bin' });
    expect(Buffer.from(parts[1]?.raw ?? '', 'base64').toString()).toBe('pixels');
    expect(parts[1]?.mediaType).toBe('image/png');
    expect(parts[2]).toMatchObject({ url: 'https://elsewhere.example.com/c' });
    expect(parts[3]).toEqual({ text: '[artifact: its address cannot be used]' });
    expect(server.calls.find(({ path }) => path === '/file')?.headers['x-user-token']).toBe(
      'our-own-token',
    );
  });

  it('should withdraw a question that nobody can answer', async () => {
    server.answer = (request, response) => {
      if (request.body['method'] === 'CancelTask') {
        answered(request, response, taskOf('TASK_STATE_CANCELED'));
        return;
      }
      streamed(request, response, [
        { task: taskOf('TASK_STATE_WORKING') },
        statusOf('TASK_STATE_INPUT_REQUIRED', 'Which one?'),
      ]);
    };
    const turn = { tenant: 'acme', taskId: 'task-1' };
    const { signal } = new AbortController();
    const calling = agentAt().anything().call({ task: 'look' }, { turn, desk: undefined, signal });
    expect((await calling.next()).value).toMatchObject({ asks: { question: 'Which one?' } });
    expect(server.calls.map(({ body }) => body['method'])).toEqual([
      'SendStreamingMessage',
      'CancelTask',
    ]);
  });

  it('should keep the open question, and answer it with the next call', async () => {
    server.answer = (request, response) => {
      streamed(request, response, [
        { task: taskOf('TASK_STATE_WORKING') },
        statusOf('TASK_STATE_INPUT_REQUIRED', 'Which one?'),
      ]);
    };
    const agent = agentAt();
    const { answer } = await ask(agent);
    expect(answer.asks).toEqual({ kind: 'text', question: 'Which one?' });
    expect(desk.calls.links.get('far')).toEqual({ contextId: 'far-context', taskId: 'far-task' });
    server.answer = (request, response) => {
      streamed(request, response, [
        { task: taskOf('TASK_STATE_COMPLETED', [{ text: 'the blue' }]) },
      ]);
    };
    await ask(agent, { task: 'the blue one' });
    const params = server.calls.at(-1)?.body['params'] as { message: Record<string, unknown> };
    expect(params.message).toMatchObject({ contextId: 'far-context', taskId: 'far-task' });
    expect(desk.calls.links.get('far')).toEqual({ contextId: 'far-context' });
  });

  it('should say so when the question is not open any more, and not send the answer alone', async () => {
    desk.calls.links.set('far', { contextId: 'far-context', taskId: 'far-task' });
    server.answer = (request, response) => {
      refusedWith(request, response, -32001, 'Task not found');
    };
    const { answer } = await ask(agentAt());
    expect(answer).toMatchObject({ success: false, certainty: 'refused' });
    expect(answer.text).toContain('its question is not open any more');
    expect(server.calls.map(({ body }) => body['method'])).toEqual([
      'SendStreamingMessage',
      'GetTask',
    ]);
    expect(desk.calls.links.get('far')).toEqual({ contextId: 'far-context' });
  });

  it('should ask anew, in the same conversation, once its question was withdrawn with our task', async () => {
    desk.calls.links.set('far', { contextId: 'far-context', taskId: 'far-task' });
    server.answer = (request, response) => {
      const { method, params } = request.body as { method: string; params: object };
      if (method === 'GetTask') answered(request, response, taskOf('TASK_STATE_CANCELED'));
      else if (JSON.stringify(params).includes('"taskId":"far-task"')) {
        refusedWith(request, response, -32004, 'The task has ended');
      } else {
        const done = taskOf('TASK_STATE_COMPLETED', [{ text: 'new words' }], { id: 'far-2' });
        streamed(request, response, [{ task: done }]);
      }
    };
    expect((await ask(agentAt())).answer.text).toBe('new words');
    const { message } = server.calls.at(-1)?.body['params'] as { message: object };
    expect(message).toMatchObject({ contextId: 'far-context' });
    expect(message).not.toHaveProperty('taskId');

    // Whoever answers that very question must not be taken for somebody who asks.
    desk.calls.links.set('far', { contextId: 'far-context', taskId: 'far-task' });
    const answering = { question: 'Which one?', expects: 'text' } as const;
    const { answer } = await ask(agentAt(), { answering });
    expect(answer.text).toContain('its question is not open any more');
  });

  it('should follow the task of an earlier attempt instead of asking', async () => {
    desk.calls.before = { kind: 'task', what: 'ask', taskId: 'far-task', isSame: true };
    server.answer = (request, response) => {
      answered(request, response, taskOf('TASK_STATE_COMPLETED', [{ text: 'done before' }]));
    };
    const { answer } = await ask(agentAt());
    expect(answer.text).toBe('done before');
    expect(server.calls.map(({ body }) => body['method'])).toEqual(['GetTask']);
  });

  it('should cancel the far task when ours is canceled, also before it has a name', async () => {
    server.answer = async (request, response) => {
      if (request.body['method'] === 'CancelTask') {
        answered(request, response, taskOf('TASK_STATE_CANCELED'));
        return;
      }
      await sleep(300);
      streamed(request, response, [{ task: taskOf('TASK_STATE_WORKING') }], true);
    };
    const stop = new AbortController();
    const asking = ask(agentAt(), { signal: stop.signal });
    asking.catch(() => undefined);
    await eventually('it was asked', () => server.calls.length > 0);
    stop.abort({ kind: 'cancel', mark: 'user' });
    await expect(asking).rejects.toMatchObject({ kind: 'cancel' });
    expect(server.calls.map(({ body }) => body['method'])).toEqual([
      'SendStreamingMessage',
      'CancelTask',
    ]);
  });

  it('should leave the far task alone when another instance goes on with ours', async () => {
    server.answer = (request, response) => {
      streamed(request, response, [{ task: taskOf('TASK_STATE_WORKING') }], true);
    };
    const stop = new AbortController();
    const asking = ask(agentAt(), { signal: stop.signal });
    asking.catch(() => undefined);
    await eventually('its task has a name', () => desk.calls.named.length > 0);
    stop.abort({ kind: 'leave' });
    await expect(asking).rejects.toMatchObject({ kind: 'leave' });
    expect(server.calls.map(({ body }) => body['method'])).toEqual(['SendStreamingMessage']);
  });
});

describe('the assistant of n9e as a remote', () => {
  /** As n9e answers: REST alone, an id of its own for each event, subscribing only where a task runs. */
  function playN9e(events: readonly unknown[], later: Record<string, unknown>): void {
    server.card = server.cardOf({
      supportedInterfaces: [
        { url: `${server.url}/a2a`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      ],
    });
    server.answer = ({ path }, response) => {
      const isStream = path.endsWith(':stream') || path.endsWith(':subscribe');
      response.writeHead(200, {
        'content-type': isStream ? 'text/event-stream' : 'application/json',
      });
      if (path === '/a2a/message:stream') {
        for (const event of events) {
          response.write(`id: ${randomUUID()}\ndata: ${JSON.stringify(event)}\n\n`);
        }
        response.end();
      } else if (path.endsWith(':subscribe')) {
        const details = [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_NOT_FOUND',
            domain: 'a2a-protocol.org',
          },
        ];
        const error = { code: 404, status: 'NOT_FOUND', message: 'no active execution', details };
        response.end(`event: error\ndata: ${JSON.stringify({ error })}\n\n`);
      } else response.end(JSON.stringify(later));
    };
  }

  it('should read its thoughts, steps, pieces and cards, with its own token alone', async () => {
    const thought = { text: 'hm', metadata: { adk_thought: true } };
    const rule = { text: '{"name":"cpu"}', metadata: { n9e_content_type: 'alert_rule' } };
    const artifact = (artifactId: string, part: unknown, append = false): unknown => ({
      artifactUpdate: {
        taskId: 'far-task',
        contextId: 'far-context',
        artifact: { artifactId, parts: [part] },
        append,
      },
    });
    playN9e(
      [
        { task: taskOf('TASK_STATE_SUBMITTED') },
        statusOf('TASK_STATE_WORKING'),
        artifact('r', thought),
        statusOf('TASK_STATE_WORKING', 'tool_result:search_active_alerts'),
        artifact('c', { text: 'two ' }),
        artifact('c', { text: 'alerts' }, true),
        artifact('x', rule),
        statusOf('TASK_STATE_COMPLETED'),
      ],
      {},
    );
    const { frames, answer } = await ask(agentAt());
    expect(answer).toMatchObject({ success: true, text: 'two alerts' });
    expect(frames).toEqual([
      { kind: 'reason', text: 'hm' },
      { kind: 'step', text: 'tool_result:search_active_alerts' },
      { kind: 'content', text: 'two ' },
      { kind: 'content', text: 'alerts' },
      { kind: 'artifact', name: 'artifact', parts: [rule], contentType: 'alert_rule' },
    ]);
    expect(server.calls[0]?.path).toBe('/a2a/message:stream');
    expect(server.calls[0]?.headers['x-user-token']).toBe('our-own-token');
  });

  it('should poll a task whose stream broke, where another of its instances cannot be subscribed to', async () => {
    playN9e(
      [{ task: taskOf('TASK_STATE_SUBMITTED') }, pieceOf('two ', false)],
      taskOf('TASK_STATE_WORKING', [{ text: 'two ' }]),
    );
    const play = server.answer;
    let looks = 0;
    server.answer = (request, response) => {
      if (request.path === '/a2a/tasks/far-task' && (looks += 1) > 2) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(taskOf('TASK_STATE_COMPLETED', [{ text: 'two alerts' }])));
      } else void play(request, response);
    };
    const { frames, answer } = await ask(agentAt());
    expect(answer.text).toBe('two alerts');
    expect(textOf(frames)).toBe('two alerts');
    expect(server.calls.filter(({ path }) => path.endsWith(':subscribe'))).toHaveLength(1);
  });
});

describe('the guards of a remote agent', () => {
  async function failed(agent: RemoteAgent, depth = 0): Promise<string> {
    const { answer } = await ask(agent, { depth });
    expect(answer.success).toBe(false);
    return answer.text;
  }

  it('should follow no redirect, and send the credentials nowhere else', async () => {
    const thief = await RemoteAgentServer.start();
    server.answer = (_request, response) => {
      response.writeHead(307, { location: `${thief.url}/rpc` }).end();
    };
    expect(await failed(agentAt())).toBe(
      'far answered with a redirect (HTTP 307), which is not followed',
    );
    expect(thief.seen).toEqual([]);
    await thief.stop();
  });

  it('should refuse a card that names another origin', async () => {
    const thief = await RemoteAgentServer.start();
    server.card = thief.cardOf({});
    expect(await failed(agentAt())).toContain('names an address of another origin');
    expect(thief.seen).toEqual([]);
    await thief.stop();
  });

  it('should refuse private addresses and plain HTTP unless they are allowed', async () => {
    expect(await failed(agentAt({ allowPrivate: false }))).toContain('must be https');
    const literal = { allowPrivate: false, url: 'https://127.0.0.1:1/' };
    expect(await failed(agentAt(literal))).toContain('must be at a public address');
    expect(
      await failed(agentAt({ allowPrivate: false, url: 'https://agent.internal/' })),
    ).toContain('must name a host of the public internet');
    // What the name leads to is judged when it is connected to.
    const { port } = new URL(server.url);
    const named = { allowPrivate: false, url: `https://agent.example.com:${port}/` };
    expect(await failed(agentAt(named))).toContain('must be at a public address');
    expect(server.seen).toEqual([]);
  });

  it('should end a loop', async () => {
    expect(await failed(agentAt(), 4)).toContain('agents have called each other 4 times already');
    expect(server.calls).toEqual([]);
  });

  it('should bound the size of an answer', async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (): void => {
        if (response.destroyed) return;
        response.write(`: ${'x'.repeat(64 * 1024)}\n\n`, send);
      };
      send();
    };
    expect(await failed(agentAt())).toBe('far sent more than the 1048576 bytes allowed');
  });

  it('should bound the size of a file, and send the credentials to no other host for one', async () => {
    const thief = await RemoteAgentServer.start();
    server.answer = (request, response) => {
      if (request.path === '/file') {
        response.writeHead(200, { 'content-length': String(9 * 1024 * 1024) }).end('x');
        return;
      }
      const files = [
        { url: `${server.url}/file`, filename: 'big.bin' },
        { url: `${thief.url}/file`, filename: 'else.bin' },
      ];
      streamed(request, response, [{ task: taskOf('TASK_STATE_COMPLETED', files) }]);
    };
    const { frames } = await ask(agentAt({ maxBytes: 64 * 1024 * 1024 }));
    const parts = frames.flatMap((frame) => (frame.kind === 'artifact' ? frame.parts : []));
    expect(parts[0]?.text).toBe(
      '[big.bin could not be fetched: far sent more than the 8388608 bytes allowed]',
    );
    expect(parts[1]).toMatchObject({ url: `${thief.url}/file` });
    expect(thief.seen).toEqual([]);
    await thief.stop();
  });

  it('should bound the silence, and tell that the outcome is not known', async () => {
    server.answer = () => undefined;
    const { answer } = await ask(agentAt({ silenceMs: 300 }));
    expect(answer).toMatchObject({ success: false, certainty: 'unknown' });
    expect(answer.text).toBe('far said nothing for 0.3 s');
  });

  it('should bound the time of a call, and cancel what it leaves', async () => {
    server.answer = (request, response) => {
      if (request.body['method'] === 'CancelTask') {
        answered(request, response, taskOf('TASK_STATE_CANCELED'));
        return;
      }
      streamed(request, response, [{ task: taskOf('TASK_STATE_WORKING') }], true);
    };
    expect(await failed(agentAt({ maxSeconds: 1 }))).toBe('far did not finish within 1 s');
    expect(server.calls.at(-1)?.body['method']).toBe('CancelTask');
  });

  it('should read no card that is too large, none that is no card, and none from a dead host', async () => {
    server.card = server.cardOf({ description: 'x'.repeat(600 * 1024) });
    expect(await failed(agentAt())).toBe('far sent more than the 524288 bytes allowed');
    server.card = [1, 2];
    expect(await failed(agentAt())).toContain('has no usable agent card');
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const { answer } = await ask(agentAt({ url: `http://127.0.0.1:${port}` }));
    expect(answer).toEqual({
      success: false,
      certainty: 'refused',
      text: 'far could not be reached (ECONNREFUSED)',
    });
  });

  it('should take what is no answer of A2A for one, whatever it is', async () => {
    const wrong: readonly [number, string, string][] = [
      [200, 'text/html', '<html>login</html>'],
      [200, 'application/json', '[1,2]'],
      [500, 'text/plain', 'boom at redis://u:p@host'],
      [200, 'text/event-stream', 'data: {"jsonrpc":"2.0","id":999,"result":{}}\n\n'],
      [200, 'text/event-stream', 'data: nonsense\n\n'],
    ];
    for (const [status, type, body] of wrong) {
      server.answer = (_request, response) => {
        response.writeHead(status, { 'content-type': type }).end(body);
      };
      const text = await failed(agentAt());
      expect(text).toMatch(/^far (answered|could not)/);
      expect(text).not.toContain('u:p');
    }
  });

  it('should offer the skills that the config names, and no other', async () => {
    server.card = server.cardOf({ skills: [{ id: 'look' }, { id: 'reboot' }] });
    const agent = agentAt({ skills: ['look', 'gone'] });
    expect((await agent.health()).text).toBe('A2A 1.0 (JSONRPC), 1 skills');
    expect(agent.tools().map(({ name }) => name)).toEqual(['far__look']);
  });

  it('should take the address of its card as well as its own', async () => {
    const agent = agentAt({ url: `${server.url}/.well-known/agent-card.json` });
    expect((await agent.health()).ok).toBe(true);
    expect(agent.tools().map(({ name }) => name)).toEqual(['far__look']);
    expect(server.seen.at(-1)?.path).toBe('/.well-known/agent-card.json');
  });

  it('should ask for a card only when it is another one, by its ETag', async () => {
    const asked = (): unknown => server.seen.at(-1)?.headers['if-none-match'];
    server.etag = '"one"';
    const agent = agentAt();
    await agent.health();
    expect(asked()).toBeUndefined();
    // With the same tag the double sends none, so what is known must stay.
    server.card = server.cardOf({ skills: [{ id: 'other' }] });
    expect(await agent.health()).toMatchObject({ ok: true });
    expect(asked()).toBe('"one"');
    expect(agent.tools().map(({ name }) => name)).toEqual(['far__look']);
    server.etag = '"two"';
    await agent.health();
    expect(agent.tools().map(({ name }) => name)).toEqual(['far__other']);
    await agent.health();
    expect(asked()).toBe('"two"');
    expect(agent.tools().map(({ name }) => name)).toEqual(['far__other']);
  });

  it('should see a new card, and keep the old one while the server is away', async () => {
    const agent = agentAt();
    await agent.health();
    expect(agent.tools().map(({ name }) => name)).toEqual(['far__look']);
    server.card = server.cardOf({ skills: [{ id: 'other' }, { id: 'ö' }, { name: 'no id' }] });
    await agent.health();
    expect(agent.tools().map(({ name }) => name)).toEqual([
      'far__other',
      expect.stringMatching(/^far__[0-9a-f]{8}$/),
    ]);
    server.card = undefined;
    expect(await agent.health()).toEqual({ ok: false, text: 'far answered HTTP 404' });
    expect(agent.tools()).toHaveLength(2);
  });
});
