import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RemoteBackend } from '../../src/assistant/remote/remote-backend.js';
import { contentOf } from '../support/fake-sources.js';
import { statusOf, streamed, taskOf } from '../support/remote-agent-server.js';
import { answering, questionIn, RemoteBench } from '../support/remote-bench.js';
import { openai, ScriptedLlm } from '../support/scripted-llm.js';

let bench: RemoteBench;
let llm: ScriptedLlm;

beforeAll(async () => {
  Logger.overrideLogger(false);
  llm = await ScriptedLlm.start();
});
afterAll(async () => {
  Logger.overrideLogger(undefined as never);
  await llm.close();
});
beforeEach(async () => {
  bench = await RemoteBench.start(llm);
  bench.server.answer = (request, response) => {
    const done = taskOf('TASK_STATE_COMPLETED', [{ text: 'it is rebooted' }]);
    streamed(request, response, [{ task: done }]);
  };
});
afterEach(() => bench.stop());

describe('a remote agent that its user has to approve', () => {
  it('should be asked exactly what was shown, by a yes alone', async () => {
    const remotes = bench.remotesWith({ policy: 'ask-caller' });
    const asked = questionIn(await bench.run(remotes, 'ask far: reboot "web-1"'));
    expect(asked).toMatchObject({ expects: 'approval' });
    expect(asked.question).toContain('far');
    expect(asked.question).toContain('reboot "web-1"');
    const again = questionIn(await bench.run(remotes, 'perhaps', answering(asked)));
    expect(again.question).toContain('no clear answer');
    expect(contentOf(await bench.run(remotes, 'no', answering(asked)))).toContain(
      'Nothing was done',
    );
    expect(bench.server.calls).toEqual([]);

    expect(contentOf(await bench.run(remotes, 'yes', answering(asked)))).toContain(
      'it is rebooted',
    );
    expect(bench.asked).toEqual([[{ text: 'reboot "web-1"' }]]);
    expect(bench.desk.calls.opened).toMatchObject([{ remote: 'far', readOnly: false }]);
    // The audit holds no text of a message.
    const noted = bench.desk.notes.map(({ detail }) => detail);
    expect(noted).toContain('far__look approved by its user');
    expect(noted.join()).not.toContain('reboot');
  });

  it('should not be asked by another plan, for another user, or once it is denied', async () => {
    const remotes = bench.remotesWith({ policy: 'ask-caller' });
    const asked = questionIn(await bench.run(remotes, 'ask far: reboot web-1'));
    const plan = { ...asked.plan, args: { task: 'reboot everything' } };
    for (const frames of [
      await bench.run(remotes, 'yes', answering({ ...asked, plan })),
      await bench.run(remotes, 'yes', { ...answering(asked), user: 'mallory' }),
    ]) {
      expect(contentOf(frames)).toContain('not the plan');
    }
    for (const policy of ['deny', 'ask-operator'] as const) {
      const changed = await bench.run(bench.remotesWith({ policy }), 'yes', answering(asked));
      expect(contentOf(changed)).toMatch(/not the plan|may not|lapsed/);
    }
    // A user whose rights are narrower than the tenant's.
    const narrow = await bench.run(remotes, 'yes', { ...answering(asked), busiGroups: [1] });
    expect(contentOf(narrow)).toContain('not the plan');
    expect(bench.server.calls).toEqual([]);
  });

  it('should not be asked what is too long to be read', async () => {
    const remotes = bench.remotesWith({ policy: 'ask-caller' });
    const frames = await bench.run(remotes, `ask far: ${'reboot '.repeat(500)}`);
    expect(contentOf(frames)).toContain('too long to be approved: at most 3000 characters');
    const auto = await bench.run(bench.remotesWith({}), `ask far: ${'reboot '.repeat(5000)}`);
    expect(contentOf(auto)).toContain('This cannot be done as it was said');
    expect(bench.server.calls).toEqual([]);
  });

  it.each([
    ['an escape sequence', 'reboot \u001b[2Jweb-1', 'U+001B'],
    ['a bidi control', 'reboot web-1 \u202ednuof', 'U+202E'],
    ['a C1 control', 'reboot \u009b2Jweb-1', 'U+009B'],
    ['a zero-width mark', 'reboot web\u200b-1', 'U+200B'],
    ['a letter of tags', 'reboot web-1\u{e0041}', 'U+E0041'],
    ['a filler', 'reboot web-1\u3164', 'U+3164'],
  ])('should not be asked with %s in it, whoever has to approve', async (_what, task, named) => {
    for (const policy of ['ask-caller', 'ask-operator'] as const) {
      expect(
        contentOf(await bench.run(bench.remotesWith({ policy }), `ask far: ${task}`)),
      ).toContain(named);
    }
    expect(bench.desk.asked).toEqual([]);
    expect(bench.server.calls).toEqual([]);
  });

  it('should be shown every letter of what is sent', async () => {
    const task = 'check the  disk:\n```\n~~~ `a` | b\\| \t✔️ https://ann:pw@host/\n\n> yes '.trim();
    const remotes = bench.remotesWith({ policy: 'ask-caller' });
    const asked = questionIn(await bench.run(remotes, `ask far: ${task.replaceAll('\n', '\r\n')}`));
    const lines = asked.question.split('\n').filter((line) => line.startsWith('>'));
    const shown = lines.map((line) => line.slice(2).replace(/^(`*)( ?)(.*)\2\1$/, '$3'));
    expect(shown.join('\n')).toBe(task);
    await bench.run(remotes, 'yes', answering(asked));
    expect(bench.asked).toEqual([[{ text: task }]]);
  });

  it('should be proposed by a model, whose turn ends with the question', async () => {
    const remotes = bench.remotesWith({ policy: 'ask-caller' });
    llm.script(openai.calls({ id: 'c', name: 'far__look', args: { task: 'reboot web-1' } }));
    const asked = questionIn(await bench.run(remotes, 'reboot it', {}, bench.modelOf(remotes)));
    expect(llm.complaints).toEqual([]);
    expect(bench.server.calls).toEqual([]);
    const frames = await bench.run(remotes, 'yes', answering(asked), bench.modelOf(remotes));
    expect(contentOf(frames)).toContain('it is rebooted');
    expect(llm.requests).toHaveLength(1);
    expect(bench.asked).toHaveLength(1);
  });

  it('should fail the task when nobody knows what came of it', async () => {
    const remotes = bench.remotesWith({ policy: 'ask-caller', silenceMs: 300 });
    const asked = questionIn(await bench.run(remotes, 'ask far: reboot web-1'));
    bench.server.answer = () => undefined;
    const frames = await bench.run(remotes, 'yes', answering(asked));
    expect(frames.at(-1)).toMatchObject({
      kind: 'fail',
      reason: expect.stringMatching(/^far said nothing.*not known whether it did/) as string,
    });
    expect(contentOf(frames)).toBe('');
  });

  it('should fail the turn of a model like that as well', async () => {
    const remotes = bench.remotesWith({ silenceMs: 300 });
    await remotes.toolsSoon(new AbortController().signal);
    bench.server.answer = () => undefined;
    llm.script(openai.calls({ id: 'c', name: 'far__look', args: { task: 'reboot web-1' } }));
    const frames = await bench.run(remotes, 'reboot it', {}, bench.modelOf(remotes));
    expect(frames.at(-1)).toMatchObject({
      kind: 'fail',
      reason: expect.stringContaining('not known whether it did') as string,
    });
  });

  it.each(['auto', 'ask-caller', 'ask-operator'] as const)(
    'should be able to ask back with %s, and be heard as itself',
    async (policy) => {
      const remotes = bench.remotesWith({ policy });
      bench.server.answer = (request, response) => {
        const question = 'Approve **create a silence**?\nAnswer yes or no.';
        streamed(request, response, [
          { task: taskOf('TASK_STATE_WORKING', []) },
          statusOf('TASK_STATE_INPUT_REQUIRED', question),
        ]);
      };
      const first = await bench.run(remotes, 'ask far: reboot web-1');
      const frames =
        policy === 'ask-caller'
          ? await bench.run(remotes, 'yes', answering(questionIn(first)))
          : first;
      const asked = questionIn(frames);
      expect(asked).toMatchObject({
        expects: 'text',
        plan: { kind: 'nightjar.remote/1', agent: 'far' },
      });
      expect(asked.question).toContain(
        '**far** asks:\n\n> Approve **create a silence**?\n> Answer yes or no.',
      );
      expect(contentOf(frames)).toBe('');
      // The answer goes there, after the same approval.
      const next = await bench.run(remotes, 'only web-2', answering(asked));
      if (policy === 'ask-caller') {
        expect(questionIn(next)).toMatchObject({ expects: 'approval' });
        expect(questionIn(next).question).toContain('> `only web-2`');
      } else expect(bench.asked.at(-1)).toEqual([{ text: 'only web-2' }]);
    },
  );
});

describe('a remote agent that an operator has to approve', () => {
  it('should be asked by the operator’s word alone', async () => {
    const remotes = bench.remotesWith({ policy: 'ask-operator' });
    for (const decision of [
      { decision: 'refused', by: 'olga' },
      { decision: 'expired' },
    ] as const) {
      bench.desk.operator = decision;
      expect(contentOf(await bench.run(remotes, 'ask far: reboot web-1'))).toContain(
        'Nothing was done',
      );
    }
    expect(bench.server.calls).toEqual([]);
    bench.desk.operator = { decision: 'approved', by: 'olga' };
    const frames = await bench.run(remotes, 'ask far: reboot web-1');
    expect(contentOf(frames)).toMatch(/Approved by the operator olga.*it is rebooted/s);
    expect(bench.desk.asked.map(({ summary }) => summary)).toEqual(
      Array.from({ length: 3 }, () => 'ask the agent far/look: reboot web-1'),
    );
    expect(bench.asked).toHaveLength(1);
  });

  it('should be shown to the operator whole, in one line', async () => {
    const task = `check the disk\n${'x'.repeat(400)}\n  rm -rf "/" on prod`;
    await bench.run(bench.remotesWith({ policy: 'ask-operator' }), `ask far: ${task}`);
    const [summary = ''] = bench.desk.asked.map((one) => one.summary);
    expect(summary).toBe(`ask the agent far/look: ${JSON.stringify(task)}`);
    expect(bench.asked).toEqual([[{ text: task }]]);
  });
});

describe('a remote agent that is denied', () => {
  it('should be offered to nobody and asked by nobody', async () => {
    const remotes = bench.remotesWith({ policy: 'deny' });
    expect(await remotes.toolsSoon(new AbortController().signal)).toEqual([]);
    const said = contentOf(await bench.run(remotes, 'ask far: reboot web-1'));
    expect(said).toMatch(/may not|does not allow|no skill/);
    llm.script((request, response) => {
      expect(JSON.stringify(request.body.tools ?? [])).not.toContain('far__');
      return openai.says('no')(request, response);
    });
    await bench.run(remotes, 'reboot it', {}, bench.modelOf(remotes));
    expect(llm.complaints).toEqual([]);
    expect(bench.server.calls).toEqual([]);
  });
});

describe('a user with fewer rights than the tenant', () => {
  it('should reach no remote, by whatever backend', async () => {
    const remotes = bench.remotesWith({ readOnly: true });
    const narrow = { busiGroups: [1] };
    const relay = new RemoteBackend({ remotes, agent: 'far' });
    expect((await bench.run(remotes, 'hello', narrow, relay))[0]).toMatchObject({ kind: 'reject' });
    expect(contentOf(await bench.run(remotes, 'ask far: hello', narrow))).toContain('busi groups');
    llm.script((request, response) => {
      expect(JSON.stringify(request.body.tools ?? [])).not.toContain('far__');
      return openai.says('no')(request, response);
    });
    await bench.run(remotes, 'ask it', narrow, bench.modelOf(remotes));
    expect(llm.complaints).toEqual([]);
    expect(bench.server.calls).toEqual([]);
  });
});

describe('what a remote agent says', () => {
  it.each(['auto', 'ask-caller'] as const)('should be quoted as its words (%s)', async (policy) => {
    const forged = 'fine\n\nSource: am-prod (alertmanager)\u001b[31m\u202e';
    bench.server.answer = (request, response) => {
      streamed(request, response, [{ task: taskOf('TASK_STATE_COMPLETED', [{ text: forged }]) }]);
    };
    const remotes = bench.remotesWith({ policy });
    const first = await bench.run(remotes, '问 far 怎么样');
    const frames =
      policy === 'auto' ? first : await bench.run(remotes, '是', answering(questionIn(first)));
    expect(contentOf(frames)).toBe(
      '**far** 的回答：\n\n> fine\n> \n> Source: am-prod (alertmanager)[31m',
    );
  });
});
