import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/a2a/exit-code.js';
import { registerMcpCommands } from '../../src/cli/mcp-call.js';
import { EXIT_USAGE } from '../../src/config/exit-code.js';
import { DomainError } from '../../src/domain/errors.js';
import { FakeTasks } from './mcp-fake-tasks.js';
import { type McpApp, startMcpApp } from './mcp-harness.js';

let tasks: FakeTasks;
let app: McpApp;

beforeEach(async () => {
  tasks = new FakeTasks((run, message) => {
    run.step('a step');
    run.content(`You said: ${message}`);
    run.status('TASK_STATE_COMPLETED');
  });
  app = await startMcpApp(tasks);
});
afterEach(() => app.close());

interface Ended {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs `nightjar mcp …` in this process. */
async function nightjar(args: readonly string[], token = 'alice-token'): Promise<Ended> {
  let out = '';
  let err = '';
  let code: number | undefined;
  const program = new Command('nightjar').exitOverride();
  registerMcpCommands(program, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env: { NIGHTJAR_TOKEN: token },
    exit: (given) => {
      code = given;
    },
  });
  await program.parseAsync(['mcp', ...args], { from: 'user' });
  return { code, out, err };
}

describe('nightjar mcp', () => {
  it('should call a tool, with progress beside the answer', async () => {
    const { code, out, err } = await nightjar([
      'call',
      app.url,
      'n9e_assistant',
      '{"message":"hi"}',
    ]);
    const { id, contextId } = tasks.last.task;
    expect(code).toBe(EXIT.ok);
    expect(out.split('\n')[0]).toBe('You said: hi');
    expect(err).toBe(`… Started (chat_id ${contextId}, task_id ${id})\n… a step\n`);
  });

  it('should print the whole result as a line of JSON', async () => {
    const args = ['call', `${app.url}/mcp`, 'n9e_assistant', '{"message":"hi"}', '--json'];
    const { out } = await nightjar(args);
    expect(out.trimEnd()).not.toContain('\n');
    expect(JSON.parse(out)).toMatchObject({ structuredContent: { content: 'You said: hi' } });
  });

  it('should list the tools', async () => {
    expect((await nightjar(['tools', app.url])).out).toMatch(/^n9e_assistant\n {4}\w/);
    const { out } = await nightjar(['tools', app.url, '--json']);
    expect(JSON.parse(out)).toMatchObject({ tools: [{ name: 'n9e_assistant' }] });
  });

  it('should take a token by flag before the one of the environment', async () => {
    const args = ['tools', app.url, '--token', 'bob-token'];
    expect((await nightjar(args, 'wrong')).code).toBe(EXIT.ok);
  });

  it.each([
    ['TASK_STATE_FAILED', EXIT.failed],
    ['TASK_STATE_INPUT_REQUIRED', EXIT.inputRequired],
  ] as const)('should exit by the status of the answer: %s', async (state, exit) => {
    tasks.script = (run) => {
      run.status(state, 'Well');
    };
    const { code, out } = await nightjar(['call', app.url, 'n9e_assistant', '{"message":"x"}']);
    expect([code, out.split('\n')[0]]).toEqual([exit, 'Well']);
  });

  it('should exit with the reason of a refusal', async () => {
    const call = ['call', app.url, 'n9e_assistant', '{"message":"x"}'];
    expect((await nightjar(call, 'wrong')).code).toBe(EXIT.auth);
    expect((await nightjar(['call', app.url, 'n9e_assistant', '[1]'])).code).toBe(EXIT_USAGE);
    expect((await nightjar(['call', app.url, 'n9e_assistant', '{'])).code).toBe(EXIT_USAGE);
    expect((await nightjar(['call', 'nowhere', 'n9e_assistant'])).code).toBe(EXIT_USAGE);
    expect((await nightjar(['call', app.url, 'no_such_tool'])).code).toBe(EXIT.refused);
    expect((await nightjar(['tools', 'http://127.0.0.1:1'])).code).toBe(EXIT.unreachable);
    expect((await nightjar(['tools', app.url, '--timeout', 'x'])).code).toBe(EXIT_USAGE);
    tasks.refuse = new DomainError('UNAVAILABLE', 'Redis is away');
    expect((await nightjar(call)).code).toBe(EXIT.unreachable);
    tasks.refuse = new DomainError('QUOTA', 'Too many');
    expect(await nightjar(call)).toMatchObject({ code: EXIT.failed, out: 'Too many.\n' });
  });

  it('should let nothing of the answer act on the terminal, however it is shown', async () => {
    const message = 'red \u001b[31m, C1 \u009b2J, bidi \u202e.';
    const call = ['call', app.url, 'n9e_assistant', JSON.stringify({ message })];
    const shown = await nightjar(call);
    expect(shown.out).toContain('You said: red [31m, C1 2J, bidi .');
    const raw = await nightjar([...call, '--json']);
    for (const text of [shown.out, shown.err, raw.out, raw.err]) {
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    }
    expect(JSON.stringify(JSON.parse(raw.out))).toContain('\u202e');
  });
});
