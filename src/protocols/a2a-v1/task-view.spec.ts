import { describe, expect, it } from 'vitest';
import type { Message, Task } from '../../domain/a2a.js';
import type { TaskEvent } from '../../domain/event.js';
import type { TaskStream } from '../../tasks/task.types.js';
import { OutputModes } from './output-modes.js';
import { viewStream, viewTask } from './task-view.js';
import { splitTaskRef } from './task-ref.js';

function task(over: Partial<Task> = {}): Task {
  return {
    id: 't',
    contextId: 'c',
    status: { state: 'TASK_STATE_WORKING', timestamp: '2026-11-30T12:00:00.000Z' },
    history: ['1', '2', '3'].map((messageId): Message => ({
      messageId,
      role: 'ROLE_USER',
      parts: [{ text: messageId }],
    })),
    artifacts: [
      { artifactId: 'a', parts: [{ text: 'x' }, { raw: 'aGk=', mediaType: 'image/png' }] },
      { artifactId: 'b', parts: [{ data: {} }] },
    ],
    ...over,
  };
}

const ids = (shown: Task) => shown.history?.map(({ messageId }) => messageId);

describe('viewTask', () => {
  it.each([
    [undefined, ['1', '2', '3']],
    [0, undefined],
    [1, ['3']],
    [2, ['2', '3']],
    [1_000_000, ['1', '2', '3']],
  ])('should show of the history with length %s: %s', (historyLength, shown) => {
    const whole = task();
    const before = JSON.stringify(whole);
    expect(ids(viewTask(whole, { historyLength }))).toEqual(shown);
    expect(JSON.stringify(whole)).toBe(before);
  });

  it('should leave fields out rather than empty them', () => {
    expect(viewTask(task(), { historyLength: 0, artifacts: false })).toEqual({
      id: 't',
      contextId: 'c',
      status: task().status,
    });
    const onlyData = task({ artifacts: [{ artifactId: 'b', parts: [{ data: 1 }] }] });
    const view = { outputModes: OutputModes.of(['text']) };
    expect(viewTask(onlyData, view)).not.toHaveProperty('artifacts');
  });
});

describe('OutputModes', () => {
  it.each([undefined, [], [''], ['*/*'], ['text/plain', '*']])(
    'should drop nothing for %j',
    (modes) => {
      expect(OutputModes.of(modes)).toBeUndefined();
    },
  );

  it.each([
    [['text'], { text: 'x', mediaType: 'application/weird' }, true],
    [['image/png'], { text: 'x' }, true],
    [['text'], { url: 'https://example.org/x.png', mediaType: 'image/png' }, true],
    [['text/plain'], { data: {} }, false],
    [['application/json'], { data: {} }, true],
    [['Application/JSON; charset=utf-8'], { data: null }, true],
    [['application/*'], { data: 0 }, true],
    [['text'], { raw: '', mediaType: 'image/png' }, false],
    [['image/png'], { raw: '', mediaType: 'image/PNG' }, true],
    [['image/*'], { raw: '', mediaType: 'image/png' }, true],
    [['image'], { raw: '', mediaType: 'image/png' }, true],
    [['image/jpeg'], { raw: '', mediaType: 'image/png' }, false],
    [['text'], { raw: '' }, false],
    [['text'], { raw: '', mediaType: 'text/csv' }, true],
    [['text/plain'], { raw: '', mediaType: 'text/csv' }, false],
    [['text/markdown'], { raw: '', mediaType: 'text/plain; charset=utf-8' }, true],
    [
      ['application/json'],
      { url: 'nightjar-file:5/1-1-answer-1.txt', mediaType: 'text/plain; charset=utf-8' },
      true,
    ],
  ])('should with %j keep %j: %s', (modes, part, kept) => {
    const artifact = { artifactId: 'a', parts: [part] };
    expect(OutputModes.of(modes)!.filter(artifact)).toBe(kept ? artifact : undefined);
  });
});

describe('viewStream', () => {
  async function* streamOf(...events: TaskEvent[]): TaskStream {
    await Promise.resolve();
    yield* events;
  }

  it('should be the stream itself without a wish', () => {
    const stream = streamOf();
    expect(viewStream(stream, {})).toBe(stream);
  });

  it('should not touch events that the wish does not concern', async () => {
    // Not parsed: it isn't even JSON.
    const event: TaskEvent = { id: { seq: 2, epoch: 1 }, json: '{"statusUpdate":', settled: true };
    const shown = [];
    for await (const one of viewStream(streamOf(event), { historyLength: 0 })) shown.push(one);
    expect(shown[0]).toBe(event);
  });
});

describe('splitTaskRef', () => {
  const verbs = ['cancel', 'subscribe'] as const;

  it.each([
    ['x:cancel', 'x', 'cancel'],
    ['a:b:subscribe', 'a:b', 'subscribe'],
    ['x', 'x', undefined],
    ['x:other', 'x:other', undefined],
    ['cancel', 'cancel', undefined],
    [':cancel', '', 'cancel'],
  ])('should read %s as %j and %s', (ref, id, verb) => {
    expect(splitTaskRef(ref, verbs)).toEqual({ id, verb });
  });
});
