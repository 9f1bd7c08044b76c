import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../../src/cli/a2a/exit-code.js';
import { Balancer, type CliRun, runA2aCli } from './a2a-cli-process.js';
import { eventually } from '../support/wait.js';
import { FakeTasks, type Script } from './mcp-fake-tasks.js';
import { type McpApp, startMcpApp } from './mcp-harness.js';

const echo: Script = (run, message) => {
  run.thought('a thought');
  run.step('a step');
  run.content('You said: ');
  run.content(message);
  run.status('TASK_STATE_COMPLETED');
};

let tasks: FakeTasks;
let app: McpApp;

beforeEach(async () => {
  tasks = new FakeTasks(echo);
  app = await startMcpApp(tasks);
});
afterEach(() => app.close());

/** A run with server and token. */
function run(...args: readonly string[]): CliRun {
  return runA2aCli(['--server', app.url, '--token', 'alice-token', ...args]);
}

describe('a2a-cli send', () => {
  it('should stream as the seed writes it, and say how to go on', async () => {
    const { code, stdout } = await run('--message', '查看告警').ended;
    const { id, contextId } = tasks.last.task;
    expect(code).toBe(EXIT.ok);
    expect(stdout).toBe(
      'a thought\n→ a step\nYou said: 查看告警\n' +
        `completed  task ${id}  context ${contextId}\n` +
        `go on:  a2a-cli --server ${app.url} --context-id ${contextId} --message '…'\n`,
    );
  });

  it('should go on in a context, and fetch the task again with --get', async () => {
    await run('--message', 'one').ended;
    const { contextId } = tasks.last.task;
    const { code, stdout } = await run('--context-id', contextId, '--message', 'hi', '--get').ended;
    expect(code).toBe(EXIT.ok);
    expect(tasks.last.task.metadata).toMatchObject({ 'n9e.seq_id': 2 });
    // Once as the stream's end, once as what tasks/get answers.
    expect(stdout.match(new RegExp(`completed  task ${tasks.last.task.id}`, 'g'))).toHaveLength(2);
  });

  it.each([
    ['rest', '1.0'],
    ['jsonrpc', '1.0'],
    ['jsonrpc', '0.3'],
  ])('should speak %s %s, streaming and not', async (transport, protocol) => {
    const binding = ['--transport', transport, '--protocol', protocol];
    for (const mode of [[], ['--no-stream']]) {
      const { code, stdout } = await run(...binding, ...mode, '--message', 'hello').ended;
      expect([code, stdout]).toEqual([EXIT.ok, expect.stringContaining('You said: hello\n')]);
    }
  });

  it('should take the token from the environment, and message words of its own command', async () => {
    const result = await runA2aCli(['send', 'two', 'words', '--server', app.url], {
      env: { NIGHTJAR_TOKEN: 'alice-token' },
    }).ended;
    expect(result.stdout).toContain('You said: two words\n');
  });

  it('should send language and time zone as metadata of the request', async () => {
    await run('--message', 'x', '--lang', 'zh_CN', '--timezone', 'Asia/Shanghai').ended;
    expect(tasks.last.submission.metadata).toEqual({ lang: 'zh_CN', timezone: 'Asia/Shanghai' });
  });

  it('should write one JSON document a line with --json, and nothing else', async () => {
    const { stdout, stderr } = await run('--json', '--message', 'x').ended;
    const documents = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(Object.keys(documents[0]!)).toEqual(['task']);
    expect(documents.at(-1)).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
    expect(stderr).toBe('');
  });

  it.each([
    ['TASK_STATE_FAILED', EXIT.failed],
    ['TASK_STATE_REJECTED', EXIT.failed],
    ['TASK_STATE_INPUT_REQUIRED', EXIT.inputRequired],
  ] as const)('should show the text of %s and exit with %d', async (state, exit) => {
    tasks.script = (task) => {
      task.status(state, 'Which group?');
    };
    const { code, stdout } = await run('--message', 'x').ended;
    expect(code).toBe(exit);
    expect(stdout).toContain('Which group?\n');
  });

  it('should answer a question by its task', async () => {
    tasks.script = (task, message) => {
      if (message === 'prod') void echo(task, message);
      else task.status('TASK_STATE_INPUT_REQUIRED', 'Which group?');
    };
    const first = await run('--message', 'x').ended;
    const { id } = tasks.last.task;
    expect(first.stdout).toContain(`--task-id ${id} --message`);
    const second = await run('--task-id', id, '--message', 'prod').ended;
    expect(second.code).toBe(EXIT.ok);
    expect(second.stdout).toContain('You said: prod');
    expect(tasks.runs.size).toBe(1);
  });
});

describe('a2a-cli and broken streams', () => {
  const wasResumed = (): boolean => tasks.calls.some((call) => /^subscribe after \d+$/.test(call));

  /** Fifty numbered deltas, 10 ms apart; the last ones for a client that has come back. */
  const slow: Script = async (task) => {
    for (let delta = 0; delta < 50; delta += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (delta === 40) await eventually('the client comes back', wasResumed, 20_000);
      task.content(`${delta} `);
    }
    task.status('TASK_STATE_COMPLETED');
  };
  const whole = `${Array.from({ length: 50 }, (_, delta) => `${delta} `).join('')}\n`;

  it.each(['rest', 'jsonrpc'])(
    'should go on over %s when its instance dies behind a load balancer',
    async (transport) => {
      tasks.script = slow;
      const other = await startMcpApp(tasks);
      const balancer = new Balancer(app.url);
      const server = await balancer.start();
      const token = { NIGHTJAR_TOKEN: 'alice-token' };
      const client = runA2aCli(
        ['--server', server, '--transport', transport, '--message', 'count'],
        {
          env: token,
        },
      );
      await vi.waitFor(
        () => {
          expect(client.stdout()).toContain(' 9 ');
        },
        { timeout: 20_000, interval: 2 },
      );
      balancer.target = other.url;
      await app.close();
      const { code, stdout, stderr } = await client.ended;
      expect([code, stderr]).toEqual([EXIT.ok, '']);
      expect(stdout.slice(0, whole.length)).toBe(whole);
      expect(wasResumed()).toBe(true);
      expect(tasks.calls.filter((call) => call === 'submit')).toHaveLength(1);
      await balancer.stop();
      app = other;
    },
  );

  it('should detach at Ctrl-C and go on where it was with subscribe', async () => {
    tasks.script = slow;
    const client = run('--message', 'count');
    await vi.waitFor(
      () => {
        expect(client.stdout()).toContain(' 9 ');
      },
      { timeout: 20_000, interval: 2 },
    );
    client.interrupt();
    const { code, stdout, stderr } = await client.ended;
    expect(code).toBe(EXIT.detached);
    const [, command] = /^ {2}a2a-cli (.*)$/m.exec(stderr) ?? [];
    expect(command).toContain(`subscribe ${tasks.last.task.id} --last-event-id `);
    expect(tasks.last.state).not.toBe('TASK_STATE_CANCELED');

    const again = await runA2aCli(command!.split(' '), {
      env: { NIGHTJAR_TOKEN: 'alice-token' },
    }).ended;
    expect(again.code).toBe(EXIT.ok);
    expect(stdout.trimEnd() + ' ' + again.stdout.slice(0, whole.length)).toContain(whole);
  });
});

describe('a2a-cli with tasks', () => {
  it('should get, list and cancel', async () => {
    await run('--message', 'first').ended;
    const done = tasks.last.task;
    tasks.script = () => undefined;
    const running = run('--message', 'second');
    await vi.waitFor(
      () => {
        expect(tasks.runs.size).toBe(2);
      },
      { timeout: 20_000 },
    );
    const { id } = tasks.last.task;

    const got = await run('get', done.id).ended;
    expect([got.code, got.stdout]).toEqual([0, expect.stringContaining('You said: first')]);

    const listed = await run('list').ended;
    expect(listed.stdout).toMatch(new RegExp(`working .*${id}  second\n.*completed .*${done.id}`));

    const json = await run('list', '--json', '--page-size', '1').ended;
    expect((JSON.parse(json.stdout) as { tasks: object[] }).tasks).toHaveLength(1);

    const canceled = await run('cancel', id).ended;
    expect(canceled.code).toBe(EXIT.ok);
    expect(canceled.stdout).toContain('canceled');
    expect((await running.ended).code).toBe(EXIT.failed);
  });

  it('should show the card without a token', async () => {
    const { code, stdout } = await runA2aCli(['card', '--server', app.url]).ended;
    expect(code).toBe(EXIT.ok);
    expect(JSON.parse(stdout)).toMatchObject({ skills: [{ id: 'n9e-assistant' }] });
  });
});

describe('a2a-cli and refusals', () => {
  it.each([
    { args: ['--message', 'x', '--token', 'wrong'], exit: EXIT.auth, says: 'No valid token' },
    { args: ['get', 'no-such-task'], exit: EXIT.refused, says: 'Task not found' },
    { args: ['--transport', 'rest', 'get', 'no-such'], exit: EXIT.refused, says: 'Task not found' },
    { args: ['--message', ' '], exit: EXIT.usage, says: 'a message is needed' },
    { args: [], exit: EXIT.usage, says: 'Usage: a2a-cli' },
    { args: ['--no-such-flag'], exit: EXIT.usage, says: 'unknown option' },
    { args: ['list', '--status', 'asleep'], exit: EXIT.usage, says: 'asleep' },
    { args: ['--server', 'ftp://x', 'list'], exit: EXIT.usage, says: 'http or https' },
    {
      args: ['--server', 'http://127.0.0.1:1', 'list'],
      exit: EXIT.unreachable,
      says: 'Cannot reach',
    },
  ])('should exit $exit for $args', async ({ args, exit, says }) => {
    const { code, stdout, stderr } = await run(...args).ended;
    expect(stderr).toContain(says);
    expect([code, stdout]).toEqual([exit, '']);
  });

  it('should document its exit codes', async () => {
    const { code, stdout } = await runA2aCli(['--help']).ended;
    expect(code).toBe(EXIT.ok);
    expect(stdout).toContain('Exit codes:');
  });

  it('should not take its token to another origin unless it is told to', async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers['x-user-token'] as string | undefined);
      response.writeHead(404).end();
    });
    elsewhere.listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const foreign = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const cards = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(
        JSON.stringify({
          name: 'trap',
          capabilities: { streaming: true },
          supportedInterfaces: [
            { url: foreign, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
          ],
          securitySchemes: {
            key: { apiKeySecurityScheme: { location: 'header', name: 'X-User-Token' } },
          },
        }),
      );
    });
    cards.listen(0, '127.0.0.1');
    await once(cards, 'listening');
    const server = `http://127.0.0.1:${(cards.address() as AddressInfo).port}`;
    const args = ['--server', server, '--token', 'secret-token', '--message', 'x'];

    const refused = await runA2aCli(args).ended;
    expect([refused.code, seen]).toEqual([EXIT.refused, []]);
    expect(refused.stderr).toContain('--follow-card');
    await runA2aCli([...args, '--follow-card']).ended;
    expect(seen).toEqual(['secret-token']);
    elsewhere.close();
    cards.close();
  });
});
