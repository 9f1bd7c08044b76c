import { describe, expect, it } from 'vitest';
import type { Artifact, Message, Task, TaskStateName } from '../../domain/a2a.js';
import { assistantResult, refusal } from './assistant-result.js';

function task(
  state: TaskStateName,
  { artifacts = [], said }: { artifacts?: readonly Artifact[]; said?: string } = {},
): Task {
  const message: Message | undefined =
    said === undefined
      ? undefined
      : { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: said }] };
  return {
    id: 't1',
    contextId: 'c1',
    status: {
      state,
      timestamp: '2026-11-30T00:00:00.000Z',
      ...(message === undefined ? {} : { message }),
    },
    artifacts,
    metadata: { 'n9e.chat_id': 'c1', 'n9e.seq_id': 4 },
  };
}

const CONTENT: Artifact = {
  artifactId: '1-answer',
  name: 'answer',
  parts: [{ text: 'An' }, { text: 'swer' }],
};

function firstText(of: Task): string {
  const [block] = assistantResult(of, 1).content;
  return block?.type === 'text' ? block.text : '';
}

describe('assistantResult', () => {
  it('should leave out thoughts, named artifacts, data and files', () => {
    const artifacts: readonly Artifact[] = [
      {
        artifactId: '1-thought-1',
        name: 'thought-1',
        parts: [{ text: 'thought', metadata: { adk_thought: true } }],
      },
      CONTENT,
      { artifactId: '1-artifact-1', name: 'answer', parts: [{ text: 'beside' }] },
      { artifactId: '1-result', name: 'result', parts: [{ data: { a: 1 } }] },
    ];
    expect(firstText(task('TASK_STATE_COMPLETED', { artifacts }))).toBe('Answer');
  });

  it('should take the turn from the metadata, else the one given', () => {
    const bare: Task = { ...task('TASK_STATE_COMPLETED'), metadata: {} };
    expect(assistantResult(task('TASK_STATE_COMPLETED'), 9).structuredContent).toMatchObject({
      seq_id: 4,
    });
    expect(assistantResult(bare, 9).structuredContent).toMatchObject({ seq_id: 9 });
  });

  it('should answer with the newest run of a task that was continued', () => {
    const later = (leg: number): Artifact => ({
      artifactId: `${leg}-answer`,
      parts: [{ text: `answer ${leg}` }],
    });
    const artifacts = [CONTENT, later(10), later(9)];
    expect(firstText(task('TASK_STATE_COMPLETED', { artifacts }))).toBe('answer 10');
  });

  it('should say so when there is no answer', () => {
    expect(firstText(task('TASK_STATE_COMPLETED'))).toBe(
      'The assistant finished without a text answer.',
    );
  });

  it('should put what was said before a question in front of it', () => {
    const asked = task('TASK_STATE_INPUT_REQUIRED', { artifacts: [CONTENT], said: 'Sure?' });
    expect(firstText(asked)).toBe('Answer\n\nSure?');
  });

  it.each(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'] as const)(
    'should not show part of an answer for %s',
    (state) => {
      const result = assistantResult(task(state, { artifacts: [CONTENT], said: 'a step' }), 1);
      expect(JSON.stringify(result)).not.toContain('Answer');
      expect(JSON.stringify(result)).not.toContain('a step');
      expect(result.structuredContent).toMatchObject({ status: 'working' });
    },
  );

  it.each([
    ['TASK_STATE_FAILED', 'The task failed.'],
    ['TASK_STATE_REJECTED', 'The assistant declined this request.'],
    ['TASK_STATE_CANCELED', 'The task was canceled.'],
  ] as const)('should have words for %s without a message', (state, words) => {
    expect(firstText(task(state))).toBe(words);
    expect(assistantResult(task(state), 1).isError).toBe(true);
  });
});

describe('refusal', () => {
  it('should be an error for the model to read', () => {
    expect(refusal('No.')).toEqual({ content: [{ type: 'text', text: 'No.' }], isError: true });
  });
});
