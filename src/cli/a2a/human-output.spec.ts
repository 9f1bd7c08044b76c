import { describe, expect, it } from 'vitest';
import type { Artifact, Part, StreamResponse, Task, TaskStateName } from '../../domain/a2a.js';
import { HumanOutput } from './human-output.js';

const ids = { taskId: 't', contextId: 'c' };

function screen(colour = false): { output: HumanOutput; text: () => string } {
  let text = '';
  const out = (more: string): void => {
    text += more;
  };
  return { output: new HumanOutput({ out, err: out, colour }), text: () => text };
}

function delta(artifactId: string, part: Part, append: boolean, name?: string): StreamResponse {
  const artifact: Artifact = {
    artifactId,
    parts: [part],
    ...(name === undefined ? {} : { name }),
  };
  return { artifactUpdate: { ...ids, artifact, append } };
}

function status(state: TaskStateName, text?: string): StreamResponse {
  return { statusUpdate: { ...ids, status: taskIn(state, text).status } };
}

function taskIn(state: TaskStateName, text?: string, artifacts: readonly Artifact[] = []): Task {
  return {
    id: 't',
    contextId: 'c',
    status: {
      state,
      timestamp: '2026-11-30T00:00:00.000Z',
      ...(text === undefined
        ? {}
        : { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] } }),
    },
    artifacts,
  };
}

const thought = { metadata: { adk_thought: true } };

describe('HumanOutput', () => {
  it('should show thoughts, steps and the answer apart, as they come', () => {
    const { output, text } = screen();
    output.event({ task: taskIn('TASK_STATE_SUBMITTED') });
    output.event(status('TASK_STATE_WORKING'));
    output.event(delta('1-thought-1', { text: 'let me ', ...thought }, false));
    output.event(delta('1-thought-1', { text: 'see', ...thought }, true));
    output.event(status('TASK_STATE_WORKING', 'query Alertmanager'));
    output.event(delta('1-answer', { text: 'Two ' }, false, 'answer'));
    output.event(delta('1-answer', { text: 'alerts\n' }, true));
    output.event(status('TASK_STATE_COMPLETED'));
    output.end(taskIn('TASK_STATE_COMPLETED'), ['go on: x']);
    expect(text()).toBe(
      'let me see\n→ query Alertmanager\nTwo alerts\ncompleted  task t  context c\ngo on: x\n',
    );
  });

  it('should dim thoughts and steps where colours are wanted', () => {
    const { output, text } = screen(true);
    output.event(delta('1-thought-1', { text: 'hm', ...thought }, false));
    output.event(delta('1-answer', { text: 'yes' }, false));
    expect(text()).toBe('\u001b[2mhm\u001b[0m\nyes');
  });

  it('should not repeat what a snapshot repeats', () => {
    const { output, text } = screen();
    output.event(delta('1-answer', { text: 'one ' }, false));
    const artifacts = [{ artifactId: '1-answer', parts: [{ text: 'one two ' }] }];
    output.event({ task: taskIn('TASK_STATE_WORKING', undefined, artifacts) });
    output.event(delta('1-answer', { text: 'three' }, true));
    expect(text()).toBe('one two three');
  });

  it('should say when a run began again', () => {
    const { output, text } = screen();
    output.event(delta('1-answer', { text: 'one' }, false));
    output.event(delta('1-answer', { text: 'uno' }, false));
    expect(text()).toBe('one\n(started again)\nuno');
  });

  it('should show a question and a failure, not the message of a completed task', () => {
    const { output, text } = screen();
    output.end(taskIn('TASK_STATE_INPUT_REQUIRED', 'Which group?'), []);
    output.end(taskIn('TASK_STATE_FAILED', 'No source'), []);
    expect(text()).toBe(
      'Which group?\ninput-required  task t  context c\nNo source\nfailed  task t  context c\n',
    );
  });

  it('should show data and files, but not the summary for machines', () => {
    const { output, text } = screen();
    output.event(delta('1-artifact-1', { data: { a: 1 } }, false, 'rule'));
    output.event(
      delta('1-artifact-2', { raw: 'AAAA', mediaType: 'image/png', filename: 'c.png' }, false),
    );
    output.event(delta('1-artifact-3', { url: 'https://x/y' }, false, 'report'));
    output.event(delta('1-result', { data: { answer: 'x' } }, false, 'result'));
    expect(text()).toBe('[rule] {"a":1}\n[c.png, image/png, 3 bytes]\n[report, https://x/y]\n');
  });

  it('should leave control characters to nobody', () => {
    const { output, text } = screen();
    output.event(delta('1-answer', { text: 'a\u001b[2J\u0007\u009b31m\tb\n' }, false));
    output.event(status('TASK_STATE_WORKING', 'x\u001b]0;title\u0007'));
    expect(text()).toBe('a[2J31m\tb\n→ x]0;title\n');
  });

  it('should list tasks a line each with the beginning of their question', () => {
    const { output, text } = screen();
    const history = [{ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a\nb' }] }] as const;
    output.list({
      tasks: [{ ...taskIn('TASK_STATE_WORKING'), history }],
      nextPageToken: 'next',
    });
    output.list({ tasks: [], nextPageToken: '' });
    expect(text()).toBe(
      '2026-11-30T00:00:00.000Z  working         t  a b\nmore: --page-token next\nNo tasks\n',
    );
  });
});
