import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Part, StreamResponse, Task } from './a2a.js';
import { foldEvents, TaskFold } from './fold.js';

const ids = { taskId: 't', contextId: 'c' };
const first: Task = {
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_SUBMITTED', timestamp: '2026-01-01T00:00:00.000Z' },
};

function artifact(artifactId: string, parts: readonly Part[], append: boolean): StreamResponse {
  return { artifactUpdate: { ...ids, artifact: { artifactId, parts }, append } };
}

function status(state: Task['status']['state'], text?: string): StreamResponse {
  return {
    statusUpdate: {
      ...ids,
      status: {
        state,
        timestamp: '2026-01-01T00:00:01.000Z',
        ...(text === undefined
          ? {}
          : { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] } }),
      },
    },
  };
}

describe('TaskFold', () => {
  it('should merge adjacent text of one artifact and nothing else', () => {
    const task = foldEvents([
      { task: first },
      artifact('a', [{ text: 'x' }], false),
      artifact('a', [{ text: 'y' }], true),
      artifact('a', [{ text: 'z', metadata: { adk_thought: true } }], true),
      artifact('a', [{ data: { n: 1 } }], true),
      artifact('a', [{ text: 'w' }], true),
      artifact('b', [{ text: 'q' }], false),
    ]);
    expect(task.artifacts).toEqual([
      {
        artifactId: 'a',
        parts: [
          { text: 'xy' },
          { text: 'z', metadata: { adk_thought: true } },
          { data: { n: 1 } },
          { text: 'w' },
        ],
      },
      { artifactId: 'b', parts: [{ text: 'q' }] },
    ]);
  });

  it('should start an artifact anew when an event does not append', () => {
    const task = foldEvents([
      { task: first },
      artifact('a', [{ text: 'old' }], false),
      artifact('a', [{ text: 'new' }], false),
    ]);
    expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'new' }]);
  });

  it('should keep a question in the history and no step', () => {
    const task = foldEvents([
      { task: first },
      status('TASK_STATE_WORKING', 'a step'),
      status('TASK_STATE_INPUT_REQUIRED', 'which?'),
    ]);
    expect(task.history?.map((message) => message.parts)).toEqual([[{ text: 'which?' }]]);
  });

  it('should not let a later event change a document that was handed out', () => {
    const fold = new TaskFold(first);
    fold.apply(artifact('a', [{ text: 'x' }], false));
    const before = fold.task();
    fold.apply(artifact('a', [{ text: 'y' }], true));
    expect(before.artifacts?.[0]?.parts).toEqual([{ text: 'x' }]);
  });

  const event = fc.oneof(
    fc
      .tuple(fc.constantFrom('a', 'b'), fc.string(), fc.boolean(), fc.boolean())
      .map(([id, text, append, thought]) =>
        artifact(id, [thought ? { text, metadata: { adk_thought: true } } : { text }], append),
      ),
    fc.constantFrom('a', 'b').map((id) => artifact(id, [{ data: { k: [] } }], true)),
    fc.string({ minLength: 1 }).map((text) => status('TASK_STATE_WORKING', text)),
    fc.string({ minLength: 1 }).map((text) => status('TASK_STATE_INPUT_REQUIRED', text)),
  );

  it('fold(snapshot + tail) = fold(whole log), wherever the snapshot was taken', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), fc.nat(30), (events, at) => {
        const cut = Math.min(at, events.length);
        const whole = foldEvents([{ task: first }, ...events]);
        const snapshot = foldEvents([{ task: first }, ...events.slice(0, cut)]);
        const stored = JSON.parse(JSON.stringify(snapshot)) as Task;
        expect(foldEvents([{ task: stored }, ...events.slice(cut)])).toEqual(whole);
      }),
    );
  });
});
