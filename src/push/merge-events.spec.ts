import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Part, StreamResponse, Task, TaskStateName } from '../domain/a2a.js';
import type { TaskEvent } from '../domain/event.js';
import { foldEvents } from '../domain/fold.js';
import { mergeEvents } from './merge-events.js';

const ids = { taskId: 't', contextId: 'c' };

function delta(
  artifactId: string,
  parts: Part[],
  append = true,
  rest: object = {},
): StreamResponse {
  return { artifactUpdate: { ...ids, artifact: { artifactId, parts }, append, ...rest } };
}

function status(state: TaskStateName = 'TASK_STATE_WORKING'): StreamResponse {
  return { statusUpdate: { ...ids, status: { state, timestamp: '2026-11-30T12:00:00.000Z' } } };
}

function log(...events: StreamResponse[]): TaskEvent[] {
  return events.map((event, at) => ({
    id: { seq: at + 1, epoch: 1 },
    json: JSON.stringify(event),
    settled: false,
  }));
}

const FIRST: StreamResponse = {
  task: {
    id: 't',
    contextId: 'c',
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: '2026-11-30T12:00:00.000Z' },
  } satisfies Task,
};

describe('mergeEvents', () => {
  it('should make one of adjacent deltas of an artifact, told up to the last', () => {
    const merged = mergeEvents(
      log(
        delta('a', [{ text: '1' }], false),
        delta('a', [{ text: '2' }]),
        delta('a', [{ text: '3' }]),
      ),
    );
    expect(merged).toEqual([
      { event: delta('a', [{ text: '123' }], false), upTo: { seq: 3, epoch: 1 } },
    ]);
  });

  it('should not merge across a status, a Task or another artifact', () => {
    const events = log(
      FIRST,
      status(),
      status(),
      delta('a', [{ text: '1' }], false),
      delta('b', [{ text: '2' }], false),
      delta('a', [{ text: '3' }]),
      status('TASK_STATE_COMPLETED'),
    );
    const merged = mergeEvents(events);
    expect(merged.map(({ upTo }) => upTo.seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(merged.map(({ event }) => JSON.stringify(event))).toEqual(
      events.map(({ json }) => json),
    );
  });

  it('should keep only what replaces an artifact, and how the first one began', () => {
    const replaced = mergeEvents(
      log(delta('a', [{ text: 'old' }]), delta('a', [{ text: 'new' }], false)),
    );
    expect(replaced).toMatchObject([{ event: delta('a', [{ text: 'new' }], false) }]);
    const appended = mergeEvents(log(delta('a', [{ text: '1' }]), delta('a', [{ text: '2' }])));
    expect(appended).toMatchObject([{ event: delta('a', [{ text: '12' }], true) }]);
  });

  it('should join texts only where nothing else differs, and take the newer metadata', () => {
    const merged = mergeEvents(
      log(
        delta('a', [{ text: '1' }], false, { metadata: { x: 1, y: 1 } }),
        delta('a', [{ text: '2', metadata: { thought: true } }], true, { metadata: { y: 2 } }),
        delta('a', [{ text: '3' }, { data: {} }, { text: '4' }], true, { lastChunk: true }),
      ),
    );
    expect(merged).toMatchObject([
      {
        event: {
          artifactUpdate: {
            metadata: { x: 1, y: 2 },
            lastChunk: true,
            artifact: {
              parts: [
                { text: '1' },
                { text: '2', metadata: { thought: true } },
                { text: '3' },
                { data: {} },
                { text: '4' },
              ],
            },
          },
        },
      },
    ]);
  });

  it('should tell what a failed try told as it was', () => {
    const events = log(...'12345'.split('').map((text) => delta('a', [{ text }])));
    const first = mergeEvents(events.slice(0, 3));
    const again = mergeEvents(events, 3);
    expect(again[0]).toEqual(first[0]);
    expect(again.map(({ upTo }) => upTo.seq)).toEqual([3, 5]);
  });

  it('should not grow without bound', () => {
    const events = log(
      ...Array.from({ length: 10 }, () => delta('a', [{ text: 'x'.repeat(2e5) }])),
    );
    expect(mergeEvents(events)).toHaveLength(5);
  });

  it('should leave a receiver with the same task', () => {
    const part = fc.oneof(
      fc.record({ text: fc.string() }),
      fc.record({ text: fc.string(), mediaType: fc.constant('text/markdown') }),
      fc.record({ data: fc.constantFrom(null, 1, 'x') }),
    );
    const event = fc.oneof(
      fc
        .tuple(
          fc.constantFrom('a', 'b'),
          fc.array(part, { minLength: 1, maxLength: 3 }),
          fc.boolean(),
        )
        .map(([id, parts, append]) => delta(id, parts, append)),
      fc.constant(status()),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), fc.nat(20), (events, frozen) => {
        const whole = log(FIRST, ...events);
        const merged = mergeEvents(whole, frozen);
        expect(foldEvents(merged.map((one) => one.event))).toEqual(foldEvents([FIRST, ...events]));
        expect(merged.at(-1)?.upTo.seq).toBe(whole.length);
        const statuses = (all: readonly StreamResponse[]): number =>
          all.filter((one) => 'statusUpdate' in one).length;
        expect(statuses(merged.map((one) => one.event))).toBe(statuses(events));
      }),
    );
  });
});
