import { describe, expect, it } from 'vitest';
import type { Artifact, Task } from '../../domain/a2a.js';
import { fileUrl } from '../../domain/file-ref.js';
import { fitsAnswer } from './bounded-answer.js';
import { boundedTask, taskListResult, taskResult } from './task-result.js';

function task(artifacts: readonly Artifact[] = [], over: Partial<Task> = {}): Task {
  return {
    id: 't1',
    contextId: 'c1',
    status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00.000Z' },
    history: [{ messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] }],
    artifacts,
    ...over,
  };
}

const answer = (text: string): Artifact => ({ artifactId: '1-answer', parts: [{ text }] });

describe('taskResult', () => {
  it('should give the whole task, as text and structured', () => {
    const whole = task([answer('all is well')]);
    const result = taskResult(whole, 'https://nj');
    expect(result.structuredContent).toEqual(whole);
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(whole) }]);
    expect(result.isError).toBeUndefined();
  });

  it('should make files links', () => {
    const url = fileUrl({ name: 'a b.png', bytes: 5, mediaType: 'image/png' });
    const shown = taskResult(task([{ artifactId: 'f', parts: [{ url }] }]), 'https://nj');
    expect(JSON.stringify(shown.structuredContent)).toContain(
      'https://nj/a2a/tasks/t1/artifacts/a%20b.png',
    );
  });

  it.each([
    ['TASK_STATE_FAILED', true],
    ['TASK_STATE_REJECTED', true],
    ['TASK_STATE_CANCELED', true],
    ['TASK_STATE_WORKING', undefined],
    ['TASK_STATE_INPUT_REQUIRED', undefined],
  ] as const)('should call %s an error where that is asked for: %s', (state, isError) => {
    const ended = task([], { status: { state, timestamp: '2026-01-01T00:00:00.000Z' } });
    expect(taskResult(ended, '', { failureIsError: true }).isError).toBe(isError);
    expect(taskResult(ended, '').isError).toBeUndefined();
  });
});

describe('boundedTask', () => {
  const thought: Artifact = {
    artifactId: '1-thought-1',
    parts: [{ text: 'x'.repeat(40_000), metadata: { adk_thought: true } }],
  };

  it('should drop history and thoughts first, and say so', () => {
    const shown = boundedTask(task([thought, answer('the answer')]));
    expect(shown.artifacts).toEqual([answer('the answer')]);
    expect(shown.history).toBeUndefined();
    expect(shown.metadata).toEqual({ 'nightjar.shortened': true });
  });

  it.each([
    ['text', answer('长'.repeat(50_000))],
    ['data', { artifactId: 'd', parts: [{ data: { rows: Array(9000).fill('row') } }] }],
    ['bytes', { artifactId: 'b', parts: [{ raw: 'A'.repeat(400_000), mediaType: 'image/png' }] }],
    ['many parts', { artifactId: 'm', parts: Array(5000).fill({ text: 'part of it' }) }],
  ] as const)('should keep a result below the bound of clients: long %s', (_name, long) => {
    const shown = boundedTask(task([answer('short'), long]));
    expect(fitsAnswer(JSON.stringify(shown))).toBe(true);
    expect(shown).toMatchObject({ id: 't1', metadata: { 'nightjar.shortened': true } });
  });

  it('should not cut between the halves of a character', () => {
    const shown = boundedTask(task([answer('😀'.repeat(30_000))]));
    expect(JSON.stringify(shown)).not.toMatch(/\\ud[89ab]/i);
  });
});

describe('taskListResult', () => {
  it('should show tasks without artifacts, and a page of long ones below the bound', () => {
    const status = {
      state: 'TASK_STATE_FAILED' as const,
      timestamp: '2026-01-01T00:00:00.000Z',
      message: {
        messageId: 'm',
        role: 'ROLE_AGENT' as const,
        parts: [{ text: '长'.repeat(5000) }],
      },
    };
    const page = {
      tasks: Array(25).fill(task([answer('x')], { status })) as Task[],
      nextPageToken: 'n',
      totalSize: 99,
    };
    const { structuredContent } = taskListResult(page);
    expect(structuredContent).toMatchObject({ next_page_token: 'n', total_size: 99 });
    const text = JSON.stringify(structuredContent);
    expect(text).not.toMatch(/artifacts|history/);
    expect(fitsAnswer(text)).toBe(true);
  });
});
