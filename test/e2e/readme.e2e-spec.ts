import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { freePort } from '../support/free-port.js';
import { OwnedProcess } from '../support/owned-process.js';
import { eventually } from '../support/wait.js';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

let run: OwnedProcess;
let port: number;
let token: string;

function clean(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/' };
}

/** PORT and PORT + 1, and their management ports, have to be free. */
beforeAll(async () => {
  port = await freePort();
  run = await OwnedProcess.start('make', ['run', 'INSTANCES=2', `PORT=${port}`], {
    cwd: ROOT,
    env: clean(),
  });
  await eventually(
    'make run prints the demo token',
    () => {
      if (run.exitCode !== undefined) throw new Error(`make run ended:\n${run.logs}`);
      return /^demo token: nj_\S+$/m.test(run.logs);
    },
    60_000,
  );
  token = /^demo token: (nj_\S+)$/m.exec(run.logs)![1]!;
});
afterAll(async () => {
  await run.stop(20_000);
});

/** The output of each command, in order; a command that fails, or gets an HTTP error, throws. */
async function shell(script: string): Promise<string> {
  const child = await OwnedProcess.start('sh', ['-eu', '-c', script], {
    cwd: ROOT,
    env: { ...clean(), SERVER: `http://127.0.0.1:${port}`, TOKEN: token },
  });
  expect(await child.exited(), child.logs).toBe(0);
  return child.logs;
}

/** Every `curl` of a text fails on an HTTP error and ends its output with a line of its own. */
function strict(script: string): string {
  return `curl() { command curl -sS --fail-with-body "$@"; printf '\\n=====\\n'; }\n${script}`;
}

/** Shell blocks of the README between two headings, without the line that sets the placeholders. */
function blocks(heading: string): string[] {
  const section = README.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) =>
    text!.replace(/^export SERVER=.*$/m, ''),
  );
}

describe('make run INSTANCES=2', () => {
  it('should say where it listens, and serve on both ports', async () => {
    for (const at of [port, port + 1]) {
      expect(run.logs).toContain(`nightjar listening on http://127.0.0.1:${at}`);
      expect((await fetch(`http://127.0.0.1:${at}/readyz`)).status).toBe(200);
      expect((await fetch(`http://127.0.0.1:${at}/livez`)).status).toBe(200);
    }
    const sent = await new A2aClient(`http://127.0.0.1:${port}`, token).send('what is firing?');
    expect(sent.status.state).toBe('TASK_STATE_COMPLETED');
    const other = await new A2aClient(`http://127.0.0.1:${port + 1}`, token).get(sent.id);
    expect(other).toEqual(sent);
  });

  it('should answer every curl of the README', async () => {
    const [curls] = blocks('Ask it');
    const outputs = (await shell(strict(curls!))).split('\n=====\n').map((text) => text.trim());
    const [card, send, stream, retried, rpc, v03, initialize, call, rest] = outputs;
    expect(rest).toBe('');
    expect(JSON.parse(card!)).toMatchObject({ skills: [{ id: 'n9e-assistant' }] });
    expect(JSON.parse(send!)).toMatchObject({
      task: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
    expect(stream).toMatch(/^id: 1-1$/m);
    expect(stream!.trimEnd().split('\n').at(-1)).toContain('TASK_STATE_COMPLETED');
    expect(JSON.parse(retried!)).toMatchObject({
      task: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
    expect(JSON.parse(rpc!)).toMatchObject({
      id: 1,
      result: { task: { contextId: 'demo', status: { state: 'TASK_STATE_COMPLETED' } } },
    });
    expect(JSON.parse(v03!)).toMatchObject({
      id: 1,
      result: { kind: 'task', contextId: 'demo', status: { state: 'completed' } },
    });
    expect(initialize).toContain('"protocolVersion":"2025-11-25"');
    expect(call).toContain('"structuredContent"');
    expect(call).not.toContain('"isError":true');
  });

  it('should answer the command line clients as the README calls them', async () => {
    const [, commands] = blocks('Ask it');
    const output = await shell(commands!.replace('<chat-id>', 'a-chat-of-mine'));
    expect(output.match(/^completed +task /gm)).toHaveLength(4);
    expect(output).toContain('context a-chat-of-mine');
    expect(output).toContain('Demo data');
  });

  it('should answer the curls of n9e’s and NevoFlux’ own guides, which name no version', async () => {
    const output = await shell(
      strict(`
curl $SERVER/.well-known/agent-card.json
curl -X POST $SERVER/a2a/message:send \\
  -H "Content-Type: application/json" \\
  -H "X-User-Token: $TOKEN" \\
  -d '{
    "message": {
      "messageId": "req-0001",
      "role": "ROLE_USER",
      "parts": [{ "text": "查看 prod 业务组当前正在告警的事件" }]
    },
    "metadata": { "lang": "zh_CN" }
  }'
curl -X POST $SERVER/a2a/message:send \\
  -H "Content-Type: application/json" \\
  -H "X-User-Token: $TOKEN" \\
  -d '{
    "message": {
      "messageId": "req-0002",
      "role": "ROLE_USER",
      "contextId": "chat-xxx",
      "parts": [{ "text": "进一步分析其中第一条" }]
    }
  }'
curl -s $SERVER/a2a/v1 -H "Authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{
  "jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{
    "messageId":"m1","role":"ROLE_USER","contextId":"nevo",
    "parts":[{"text":"open example.com and report the title"}]}}}'
curl -s $SERVER/a2a -H "Authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{
  "jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{
    "kind":"message","messageId":"m1","role":"user","contextId":"nevo",
    "parts":[{"kind":"text","text":"open example.com and report the title"}]}}}'
`),
    );
    const [, first, second, v1, v03] = output.split('\n=====\n').map((text) => text.trim());
    for (const text of [first, second]) {
      expect(JSON.parse(text!)).toMatchObject({
        task: { status: { state: 'TASK_STATE_COMPLETED' }, metadata: { 'n9e.seq_id': 1 } },
      });
    }
    expect(JSON.parse(v1!)).toMatchObject({ result: { task: { contextId: 'nevo' } } });
    expect(JSON.parse(v03!)).toMatchObject({ result: { kind: 'task', contextId: 'nevo' } });
  });

  it.each(['a2a-client-v1.sh', 'a2a-client-v03.sh', 'mcp-curl.sh'])(
    'should answer examples/%s',
    async (script) => {
      const output = await shell(`sh examples/${script}`);
      expect(output).not.toContain('"error"');
    },
  );

  it('should end all that it started when it is asked to', async () => {
    expect(await run.stop(20_000)).toBeDefined();
    for (const at of [port, port + 1]) {
      await eventually('the port is closed', () =>
        fetch(`http://127.0.0.1:${at}/livez`).then(
          () => false,
          () => true,
        ),
      );
    }
  });
});
