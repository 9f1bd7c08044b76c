import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeTasks } from './mcp-fake-tasks.js';
import { type McpApp, startMcpApp } from './mcp-harness.js';

const examples = resolve(import.meta.dirname, '../../examples');
let app: McpApp;
let tasks: FakeTasks;

beforeEach(async () => {
  tasks = new FakeTasks((run, message) => {
    run.step('a step');
    run.content(`You said: ${message}`);
    run.status('TASK_STATE_COMPLETED');
  });
  app = await startMcpApp(tasks);
});
afterEach(() => app.close());

async function example(name: string, token = 'alice-token'): Promise<string> {
  const { stdout } = await promisify(execFile)(resolve(examples, name), ['什么在告警?'], {
    env: { PATH: process.env['PATH'] ?? '', SERVER: app.url, TOKEN: token },
  });
  return stdout;
}

/** The output of each step, by its heading. */
function steps(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split('== ')
      .slice(1)
      .map((step) => [/^[\w/-]+/.exec(step)?.[0] ?? '', step.slice(step.indexOf('\n') + 1)]),
  );
}

describe('examples/', () => {
  it('should have a 1.0 client that works', async () => {
    const shown = steps(await example('a2a-client-v1.sh'));
    const first = [...tasks.runs.values()][0]!.task;
    expect(shown.get('agent')).toContain('"supportedInterfaces"');
    expect(shown.get('SendMessage')).toContain('You said: 什么在告警?');
    expect(shown.get('SendStreamingMessage')).toMatch(/^id: 1-1$/m);
    expect(JSON.parse(shown.get('GetTask')!)).toMatchObject({ result: { id: first.id } });
    expect(JSON.parse(shown.get('ListTasks')!)).toMatchObject({ result: { totalSize: 2 } });
    expect(shown.get('the')).toContain('"totalSize":3');
  });

  it('should have a 0.3 client that works', async () => {
    const shown = steps(await example('a2a-client-v03.sh'));
    expect(shown.get('agent')).toContain('"protocolVersion":"0.3');
    expect(shown.get('message/send')).toContain('"state":"completed"');
    expect(shown.get('message/stream')).toContain('"kind":"artifact-update"');
    expect(JSON.parse(shown.get('tasks/get')!)).toMatchObject({
      result: { id: tasks.last.task.id, kind: 'task' },
    });
  });

  it('should have an MCP client of both eras that works', async () => {
    const shown = steps(await example('mcp-curl.sh'));
    const [first, second] = [...tasks.runs.values()];
    expect(shown.get('2025-11-25')).toContain('"protocolVersion":"2025-11-25"');
    expect(shown.get('2025-11-25')).toContain('notifications/progress');
    expect(shown.get('2025-11-25')).toContain('You said: 什么在告警?');
    expect(shown.get('2026-07-28')).toContain('"supportedVersions"');
    expect(shown.get('2026-07-28')).toContain('You said: help');
    expect(second!.task.contextId).toBe(first!.task.contextId);
  });

  it.each(['a2a-client-v1.sh', 'a2a-client-v03.sh', 'mcp-curl.sh'])(
    'should have %s end with an error when the token is wrong',
    async (name) => {
      await expect(example(name, 'wrong')).rejects.toMatchObject({ code: 22 });
    },
  );
});
