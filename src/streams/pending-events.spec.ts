import { describe, expect, it } from 'vitest';
import type { StreamResponse } from '../domain/a2a.js';
import { PendingEvents } from './pending-events.js';

const ids = { taskId: 't', contextId: 'c' };

function delta(text: string, append = true, artifactId = 'a'): StreamResponse {
  return { artifactUpdate: { ...ids, artifact: { artifactId, parts: [{ text }] }, append } };
}

function step(): StreamResponse {
  const status = { state: 'TASK_STATE_WORKING', timestamp: '2026-01-01T00:00:00.000Z' } as const;
  return { statusUpdate: { ...ids, status } };
}

describe('PendingEvents', () => {
  it('should join adjacent deltas of one artifact', () => {
    const pending = new PendingEvents();
    pending.add(delta('x', false), undefined);
    pending.add(delta('y'), undefined);
    pending.add(delta('z'), undefined);
    expect(pending.takeBatch()?.events).toEqual([delta('xyz', false)]);
    expect(pending.isEmpty).toBe(true);
    expect(pending.bytes).toBe(0);
  });

  it('should not join over a step, another artifact, or a new start', () => {
    const pending = new PendingEvents();
    const events = [delta('1'), step(), delta('2'), delta('3', true, 'b'), delta('4', false, 'b')];
    events.forEach((event) => {
      pending.add(event, undefined);
    });
    expect(pending.takeBatch()?.events).toEqual(events);
  });

  it('should not join what is in a frozen batch', () => {
    const pending = new PendingEvents();
    pending.add(delta('x'), undefined);
    const batch = pending.takeBatch();
    pending.add(delta('y'), undefined);
    expect(batch?.events).toEqual([delta('x')]);
    expect(pending.takeBatch()?.events).toEqual([delta('y')]);
  });

  it('should keep a batch to 50 events and 64 KiB, a larger event alone', () => {
    const pending = new PendingEvents();
    for (let i = 0; i < 60; i += 1) pending.add(delta('x', false, `a${i}`), undefined);
    expect(pending.fitsOneBatch).toBe(false);
    expect(pending.takeBatch()?.events).toHaveLength(50);
    expect(pending.takeBatch()?.events).toHaveLength(10);
    const large: StreamResponse = {
      artifactUpdate: {
        ...ids,
        artifact: { artifactId: 'd', parts: [{ data: 'x'.repeat(200_000) }] },
      },
    };
    pending.add(delta('x'), undefined);
    pending.add(large, undefined);
    expect(pending.takeBatch()?.events).toEqual([delta('x')]);
    expect(pending.takeBatch()?.events).toEqual([large]);
  });

  it('should know the time of the last status in a batch', () => {
    const pending = new PendingEvents();
    pending.add(step(), 5);
    pending.add(delta('x'), undefined);
    pending.add(step(), 7);
    expect(pending.takeBatch()?.statusTs).toBe(7);
  });
});
