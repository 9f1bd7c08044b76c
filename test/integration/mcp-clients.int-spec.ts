import { afterEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '../../src/domain/errors.js';
import { FakeTasks, type Script } from './mcp-fake-tasks.js';
import { type McpApp, startMcpApp } from './mcp-harness.js';
import { eventually } from '../support/wait.js';
import { type AnyClient, client2025, client2026 } from './mcp-wire.js';

const ERAS = [
  { era: '2025-11-25', connect: client2025 },
  { era: '2026-07-28', connect: client2026 },
];

describe.each(ERAS)('a client of $era', ({ connect }) => {
  let app: McpApp;
  let client: AnyClient;
  let tasks: FakeTasks;

  async function start(script: Script, maxWaitSeconds = 240): Promise<void> {
    tasks = new FakeTasks(script);
    app = await startMcpApp(tasks, { mcp: { enabled: true, maxWaitSeconds, toolsets: [] } });
    client = await connect(app.url, 'alice-token');
  }

  afterEach(async () => {
    await client.close();
    await app.close();
  });

  const echo: Script = (run, message) => {
    run.thought('a thought');
    run.step('a step');
    run.content('You said: ');
    run.content(message);
    run.status('TASK_STATE_COMPLETED');
  };

  it('should find the one tool, its output schema and instructions', async () => {
    await start(echo);
    const tools = await client.tools();
    expect(tools.map((tool) => tool.name)).toEqual(['n9e_assistant']);
    expect(Object.keys((tools[0]!.outputSchema as { properties: object }).properties)).toEqual([
      'content',
      'chat_id',
      'seq_id',
      'task_id',
      'status',
    ]);
    expect(client.instructions()).toContain('chat_id');
  });

  it('should get only the content as text and structured, with the ids', async () => {
    await start(echo);
    const answer = await client.call({ message: 'hello' });
    const { id, contextId } = tasks.last.task;
    const ids = { chat_id: contextId, seq_id: 1, task_id: id, status: 'completed' };
    expect(answer.isError).toBe(false);
    expect(answer.structured).toEqual({ content: 'You said: hello', ...ids });
    expect(answer.texts).toEqual(['You said: hello', JSON.stringify(ids)]);
  });

  it('should go on in the chat it names', async () => {
    await start(echo);
    const first = await client.call({ message: 'one' });
    const second = await client.call({ message: 'two', chat_id: first.structured['chat_id'] });
    expect(second.structured).toMatchObject({ chat_id: first.structured['chat_id'], seq_id: 2 });
  });

  it('should hear the steps as progress, the first with the ids, all before the answer', async () => {
    const heard: { progress: number; message?: string | undefined }[] = [];
    // A client's SDK drops a progress that is read together with the result.
    const known = (n: number) => eventually(`${n} are heard`, () => heard.length === n);
    await start(async (run) => {
      run.step('first step');
      await known(2);
      run.thought('not for the client');
      run.step('second step');
      await known(3);
      run.content('done');
      run.status('TASK_STATE_COMPLETED');
    });
    await client.call({ message: 'go' }, { onprogress: (progress) => heard.push(progress) });
    const { id, contextId } = tasks.last.task;
    expect(heard.map(({ message }) => message)).toEqual([
      `Started (chat_id ${contextId}, task_id ${id})`,
      'first step',
      'second step',
    ]);
    expect(heard.map(({ progress }) => progress)).toEqual([1, 2, 3]);
  });

  it.each([
    ['TASK_STATE_FAILED', 'failed'],
    ['TASK_STATE_REJECTED', 'rejected'],
    ['TASK_STATE_CANCELED', 'canceled'],
  ] as const)('should get %s as an error result with the text', async (state, status) => {
    await start((run) => {
      run.content('partial');
      run.status(state, 'Prometheus did not answer');
    });
    const answer = await client.call({ message: 'go' });
    expect(answer.isError).toBe(true);
    expect(answer.texts[0]).toBe(
      'Prometheus did not answer\n\nWhat there was of the answer:\n\npartial',
    );
    expect(answer.structured['status']).toBe(status);
  });

  it.each([
    ['TASK_STATE_INPUT_REQUIRED', 'input_required'],
    ['TASK_STATE_AUTH_REQUIRED', 'auth_required'],
  ] as const)('should get %s as the question and answer it by chat_id', async (state, status) => {
    await start((run, message) => {
      if (message !== 'prod') {
        run.status(state, 'Which group?');
        return;
      }
      run.content('Nothing fires in prod');
      run.status('TASK_STATE_COMPLETED');
    });
    const question = await client.call({ message: 'what fires?' });
    expect(question.isError).toBe(false);
    expect(question.structured).toMatchObject({ content: 'Which group?', status });

    const answer = await client.call({
      message: 'prod',
      chat_id: question.structured['chat_id'],
    });
    expect(answer.structured).toMatchObject({
      content: 'Nothing fires in prod',
      status: 'completed',
      task_id: question.structured['task_id'],
    });
    expect(tasks.runs.size).toBe(1);
  });

  it('should have "continue" taken as the answer to an open question', async () => {
    await start((run, message) => {
      if (message === 'continue') void echo(run, message);
      else run.status('TASK_STATE_INPUT_REQUIRED', 'Shall I continue?');
    });
    const question = await client.call({ message: 'delete it' });
    const chat = question.structured['chat_id'];
    const answer = await client.call({ message: 'continue', chat_id: chat });
    expect(answer.structured).toMatchObject({
      content: 'You said: continue',
      status: 'completed',
      task_id: question.structured['task_id'],
    });
  });

  it('should get a busy chat as an error result that says how to wait', async () => {
    await start(() => undefined, 0.05);
    const first = await client.call({ message: 'slow' });
    const second = await client.call({ message: 'other', chat_id: first.structured['chat_id'] });
    expect(second.isError).toBe(true);
    expect(second.texts[0]).toBe(
      'This conversation is busy. To wait for the answer that is being worked on, send the message "continue".',
    );
  });

  it.each(['QUOTA', 'RATE', 'INVALID_PARAMS', 'IDEMPOTENCY_CONFLICT'] as const)(
    'should get %s as an error result',
    async (code) => {
      await start(echo);
      tasks.refuse = new DomainError(code, 'Not now', { retryAfter: 3 });
      const answer = await client.call({ message: 'go' });
      expect(answer).toMatchObject({ isError: true, texts: ['Not now. Try again in 3 s.'] });
    },
  );

  it('should get bad arguments as an error result and an unknown tool as -32602', async () => {
    await start(echo);
    expect(await client.call({})).toMatchObject({ isError: true });
    expect(await client.call({ message: 5 })).toMatchObject({ isError: true });
    expect(await client.call({ message: ' \n' })).toMatchObject({
      isError: true,
      texts: ['message must not be blank.'],
    });
    expect(await client.call({ message: 'x', chat_id: '汉'.repeat(86) })).toMatchObject({
      isError: true,
      texts: ['chat_id must not be longer than 256 bytes.'],
    });
    await expect(client.call({ message: 'x' }, {}, 'no_such_tool')).rejects.toMatchObject({
      code: -32602,
    });
    expect(tasks.calls).toEqual([]);
  });

  it('should be told to continue after the longest wait, and join the running task', async () => {
    let finish = (): void => undefined;
    await start((run) => {
      finish = () => {
        run.content('at last');
        run.status('TASK_STATE_COMPLETED');
      };
    }, 0.05);
    const first = await client.call({ message: 'slow' });
    expect(first.isError).toBe(false);
    expect(first.structured['status']).toBe('working');
    expect(first.texts[0]).toContain(
      `the message "continue" and chat_id "${String(first.structured['chat_id'])}"`,
    );
    expect(tasks.last.state).toBe('TASK_STATE_WORKING');

    setTimeout(finish, 10);
    const joined = await client.call({
      message: ' continue\n',
      chat_id: first.structured['chat_id'],
    });
    expect(joined.structured).toEqual({
      content: 'at last',
      chat_id: first.structured['chat_id'],
      seq_id: 1,
      task_id: first.structured['task_id'],
      status: 'completed',
    });
    expect(tasks.calls.filter((call) => call === 'submit')).toHaveLength(1);
  });

  it('should get the answer that outlived its call by 继续', async () => {
    await start(echo);
    const first = await client.call({ message: 'one' });
    const again = await client.call({ message: '继续', chat_id: first.structured['chat_id'] });
    expect(again.structured).toEqual(first.structured);
  });

  it('should have "continue" taken as a message without a chat, and in a sentence', async () => {
    await start(echo);
    const alone = await client.call({ message: 'continue' });
    expect(alone.structured['content']).toBe('You said: continue');
    const chat = alone.structured['chat_id'];
    const sentence = await client.call({ message: 'continue with the second', chat_id: chat });
    expect(sentence.structured).toMatchObject({ seq_id: 2 });
    const empty = await client.call({ message: 'continue', chat_id: 'never-used' });
    expect(empty.structured).toMatchObject({ content: 'You said: continue', seq_id: 1 });
  });

  it('should begin a new chat with an empty chat_id', async () => {
    await start(echo);
    const answer = await client.call({ message: 'x', chat_id: '' });
    expect(answer.structured).toMatchObject({ chat_id: tasks.last.task.contextId, seq_id: 1 });
    expect(tasks.last.submission.message).not.toHaveProperty('contextId');
  });

  it('should not reach the chat of another user', async () => {
    await start(echo);
    const first = await client.call({ message: 'secret' });
    const bob = await connect(app.url, 'bob-token');
    const answer = await bob.call({ message: 'continue', chat_id: first.structured['chat_id'] });
    await bob.close();
    expect(answer.structured['content']).toBe('You said: continue');
    expect(answer.structured['task_id']).not.toBe(first.structured['task_id']);
  });

  it('should get a long answer cut below the bound of MCP clients', async () => {
    await start((run) => {
      for (let line = 0; line < 5000; line += 1) run.content(`alert ${line} fires on host\n`);
      run.status('TASK_STATE_COMPLETED');
    });
    const { texts, structured } = await client.call({ message: 'all' });
    expect(texts[0]!.length).toBeLessThan(31_000);
    expect(texts[0]).toContain('was cut here');
    expect(texts[0]).toContain(tasks.last.task.id);
    expect(structured['content']).toBe(texts[0]);
  });

  it('should get no words of an unexpected error', async () => {
    await start(echo);
    vi.spyOn(tasks, 'waitSettled').mockRejectedValueOnce(new Error('redis://:pw@10.0.0.1'));
    const answer = await client.call({ message: 'go' });
    expect(answer.isError).toBe(true);
    expect(answer.texts.join()).not.toContain('pw@');
    expect(answer.texts[0]).toContain(`task ${tasks.last.task.id}`);
  });
});
