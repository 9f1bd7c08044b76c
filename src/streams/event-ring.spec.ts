import { describe, expect, it } from 'vitest';
import { EventRing, type RingBatch } from './event-ring.js';

function batch(expected: number, count: number, bytes = 100): RingBatch {
  const events = Array.from({ length: count }, (_, n) => `${expected + n + 1}`);
  return { expected, events, statusTs: undefined, bytes };
}

const seqs = (batches: readonly RingBatch[] | undefined): string[] | undefined =>
  batches?.flatMap(({ events }) => events);

describe('EventRing', () => {
  it('should give what follows an event, also from within a batch', () => {
    const ring = new EventRing();
    ring.add(batch(1, 3), 0);
    ring.add(batch(4, 2), 1);
    expect(seqs(ring.after(1))).toEqual(['2', '3', '4', '5', '6']);
    expect(ring.after(3)?.map(({ expected }) => expected)).toEqual([3, 4]);
    expect(seqs(ring.after(3))).toEqual(['4', '5', '6']);
    expect(seqs(ring.after(6))).toEqual([]);
    expect(ring.after(0)).toBeUndefined();
    expect(new EventRing().after(1)).toBeUndefined();
  });

  it('should keep ten seconds, and 256 events however old', () => {
    const ring = new EventRing();
    for (let n = 0; n < 300; n += 1) ring.add(batch(n, 1), n);
    expect(seqs(ring.after(0))).toHaveLength(300);
    ring.add(batch(300, 1), 20_000);
    expect(ring.after(44)).toBeUndefined();
    expect(seqs(ring.after(45))).toHaveLength(256);
  });

  it('should keep no more than its memory', () => {
    const ring = new EventRing();
    for (let n = 0; n < 4; n += 1) ring.add(batch(n, 1, 100 * 1024), n);
    expect(ring.after(1)).toBeUndefined();
    expect(seqs(ring.after(2))).toEqual(['3', '4']);
    ring.add(batch(4, 1, 1024 * 1024), 5);
    expect(ring.after(4)).toBeUndefined();
  });
});
