import { ConsoleLogger, Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import { RemoteBackend } from '../../src/assistant/remote/remote-backend.js';
import type { TenantRemotes } from '../../src/assistant/remote/tenant-remotes.js';
import { refusedWith, statusOf, streamed, taskOf } from '../support/remote-agent-server.js';
import { answering, FAR_TOKEN, questionIn, RemoteBench } from '../support/remote-bench.js';
import { openai, ScriptedLlm } from '../support/scripted-llm.js';

const FOREIGN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const SECRETS = [FAR_TOKEN, FOREIGN, Buffer.from(FAR_TOKEN).toString('base64').slice(0, 20)];
const LEAK = `I was called with ${FAR_TOKEN} and ${FOREIGN}`;

let bench: RemoteBench;
let llm: ScriptedLlm;
let logged: string[];

beforeEach(async () => {
  logged = [];
  class Captured extends ConsoleLogger {
    protected override printMessages(messages: unknown[]): void {
      logged.push(...messages.map((one) => JSON.stringify(one)));
    }
  }
  Logger.overrideLogger(new Captured({ logLevels: ['verbose', 'debug', 'log', 'warn', 'error'] }));
  llm = await ScriptedLlm.start();
  bench = await RemoteBench.start(llm);
  bench.server.card = bench.server.cardOf({
    skills: [{ id: 'look', name: LEAK, description: LEAK, tags: [], examples: [LEAK] }],
  });
});
afterEach(async () => {
  await bench.stop();
  await llm.close();
  Logger.overrideLogger(false);
});

const piece = (text: string, thought: boolean, append = true): unknown => ({
  artifactUpdate: {
    taskId: 'far-task',
    contextId: 'far-context',
    artifact: {
      artifactId: thought ? 'r' : 'c',
      parts: [{ text, ...(thought ? { metadata: { adk_thought: true } } : {}) }],
    },
    append,
  },
});

/** The same text in pieces of a few letters, as a model on the other side sends it. */
function streamedText(text: string, thought: boolean): unknown[] {
  return (text.match(/[^]{1,5}/g) ?? []).map((one, index) => piece(one, thought, index > 0));
}

const LEAKY_PARTS = [
  { data: { [FAR_TOKEN]: [LEAK], password: 'hunter22' }, metadata: { note: LEAK } },
  {
    raw: Buffer.from(LEAK).toString('base64'),
    filename: `${FAR_TOKEN}.txt`,
    mediaType: 'text/plain',
  },
  { raw: Buffer.concat([Buffer.from([255, 0]), Buffer.from(LEAK)]).toString('base64') },
  { url: `https://elsewhere.example.com/?t=${FAR_TOKEN}`, filename: 'x' },
];

/** It tells all it knows: in steps, thoughts, pieces, files, data, and last in a state with words. */
function tellsAll(state: string): void {
  bench.server.answer = (request, response) => {
    const files = { artifactId: 'f', name: LEAK, parts: LEAKY_PARTS };
    streamed(request, response, [
      { task: taskOf('TASK_STATE_SUBMITTED') },
      statusOf('TASK_STATE_WORKING', LEAK),
      ...streamedText(LEAK, true),
      ...streamedText(`${LEAK}, hidden: ${FAR_TOKEN.split('').join('\u200b')}`, false),
      { artifactUpdate: { taskId: 'far-task', contextId: 'far-context', artifact: files } },
      statusOf(state, LEAK),
    ]);
  };
}

function expectClean(where: string, told: unknown): void {
  const text = JSON.stringify(told).replaceAll('\\u200b', '');
  const files = [...text.matchAll(/"raw":"([^"]*)"/g)].map(([, raw = '']) =>
    Buffer.from(raw, 'base64').toString('latin1'),
  );
  for (const secret of [...SECRETS, 'hunter22']) {
    if ([text, ...files].some((one) => one.includes(secret))) {
      throw new Error(`${where} holds ${secret}: ${text.slice(0, 2000)}`);
    }
  }
}

function expectAllClean(frames: readonly Frame[]): void {
  expectClean('a frame', frames);
  for (const kind of ['content', 'reason'] as const) {
    expectClean(
      `all ${kind}`,
      frames.map((frame) => (frame.kind === kind ? frame.text : '')).join(''),
    );
  }
  expectClean('the log', logged);
  expectClean(
    'the request to a model',
    llm.requests.map(({ text }) => text),
  );
  expectClean('what an operator sees', bench.desk.asked);
}

async function approved(
  remotes: TenantRemotes,
  more: Partial<Turn> = {},
  inner = bench.modelOf(remotes),
): Promise<Frame[]> {
  const frames = await bench.run(remotes, 'ask far: look', more);
  return [
    ...frames,
    ...(await bench.run(remotes, 'yes', { ...more, ...answering(questionIn(frames)) }, inner)),
  ];
}

const ENDS = [
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
] as const;

describe('a secret that a remote agent tells', () => {
  it.each(ENDS)('should reach nobody when its task is %s, on no way', async (state) => {
    tellsAll(state);
    const auto = remotesOf('auto');
    const ways: Record<string, readonly Frame[]> = {
      'by name': await bench.run(auto, 'ask far: look'),
      'as the assistant': await bench.run(
        auto,
        'look',
        {},
        new RemoteBackend({ remotes: auto, agent: 'far' }),
      ),
      'by name, read-only': await bench.run(bench.remotesWith({ readOnly: true }), 'ask far: look'),
      'after a yes': await approved(remotesOf('ask-caller')),
      'after the word of an operator': await bench.run(remotesOf('ask-operator'), 'ask far: look'),
    };
    for (const policy of ['auto', 'ask-operator'] as const) {
      llm.script(
        openai.calls({ id: 'c', name: 'far__look', args: { task: 'look' } }),
        openai.says('that is it'),
      );
      const remotes = remotesOf(policy);
      ways[`of a model, ${policy}`] = await bench.run(remotes, 'look', {}, bench.modelOf(remotes));
    }
    for (const [way, frames] of Object.entries(ways)) {
      // Something of it was told, so that there was something to hide.
      expect([way, JSON.stringify(frames).includes('I was called with [redacted]')]).toEqual([
        way,
        true,
      ]);
      expectAllClean(frames);
    }
    expect(llm.complaints).toEqual([]);
  });

  it('should not come with an answer that an earlier attempt has recorded', async () => {
    for (const before of [
      { kind: 'answer', what: 'look', text: LEAK, isSame: true },
      { kind: 'answer', what: 'look', text: LEAK, isSame: false },
    ] as const) {
      bench.desk.calls.before = before;
      const frames = [
        ...(await bench.run(remotesOf('auto'), 'ask far: look')),
        ...(await approved(remotesOf('ask-caller'))),
      ];
      expect(JSON.stringify(frames)).toContain('[redacted]');
      expectAllClean(frames);
    }
  });

  it('should not come with a refusal of its protocol, nor with one of HTTP', async () => {
    const answers = [
      (...[request, response]: Parameters<typeof bench.server.answer>): void => {
        refusedWith(request, response, -32602, LEAK);
      },
      (...[, response]: Parameters<typeof bench.server.answer>): void => {
        response.writeHead(429, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: LEAK } }));
      },
    ];
    for (const answer of answers) {
      bench.server.answer = answer;
      for (const policy of ['auto', 'ask-operator'] as const) {
        const frames = await bench.run(remotesOf(policy), 'ask far: look');
        expect(JSON.stringify(frames)).toContain('[redacted]');
        expectAllClean(frames);
      }
      expectAllClean(await approved(remotesOf('ask-caller')));
    }
  });

  it('should not come with its card, which a model is told of, nor with why there is none', async () => {
    llm.script(openai.says('hello'));
    const remotes = remotesOf('auto');
    await bench.run(remotes, 'hello', {}, bench.modelOf(remotes));
    expect(llm.requests[0]?.text).toContain('[redacted]');
    bench.server.card = undefined;
    bench.server.answer = (_request, response) => {
      response.writeHead(502, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: LEAK } }));
    };
    const dead = remotesOf('auto');
    const health = await dead.examine();
    expect(health[0]?.text).toContain('[redacted]');
    expect(logged.join('')).toContain('cannot be used');
    expectAllClean(await bench.run(dead, 'ask far: look'));
    expectClean('doctor', health);
  });
});

function remotesOf(policy: 'auto' | 'ask-caller' | 'ask-operator'): TenantRemotes {
  return bench.remotesWith({ policy });
}
