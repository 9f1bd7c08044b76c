import { describe, expect, it, vi } from 'vitest';
import type { TaskStateName } from '../domain/a2a.js';
import { type EventId, LOG_START, type TaskEvent } from '../domain/event.js';
import { unavailable } from '../domain/errors.js';
import { TaskFold } from '../domain/fold.js';
import type { LogChunk } from '../store/redis-task.reader.js';
import type { TaskRecord } from '../store/task-record.js';
import { LogReader } from './log-reader.js';

/** A log that a test writes by hand: what is announced and what is only stored are two things. */
class Log {
  readonly entries: { id: EventId; json: string }[] = [];
  state: TaskStateName = 'TASK_STATE_WORKING';
  reads = 0;
  beforeAnswer: () => void = () => undefined;

  constructor(n: number) {
    for (let i = 0; i < n; i += 1) this.add();
  }

  add(epoch = 1): void {
    const seq = (this.entries.at(-1)?.id.seq ?? 0) + 1;
    this.entries.push({ id: { seq, epoch }, json: `e${seq}.${epoch}` });
  }

  get head(): EventId {
    return this.entries.at(-1)?.id ?? { seq: 0, epoch: 1 };
  }

  reader(): LogReader {
    return new LogReader(
      {
        snapshot: () => Promise.resolve(this.record()),
        after: (cursor) => Promise.resolve().then(() => this.after(cursor)),
      },
      () => undefined,
    );
  }

  private after(cursor: EventId): LogChunk | 'lost' {
    this.reads += 1;
    const head = { ...this.head, state: this.state };
    const known = this.entries.some(({ id }) => id.seq === cursor.seq && id.epoch === cursor.epoch);
    if (cursor.seq > 0 && !known) return 'lost';
    const settled = this.state === 'TASK_STATE_COMPLETED';
    const events: TaskEvent[] = this.entries
      .filter(({ id }) => id.seq > cursor.seq)
      .map((entry) => ({ ...entry, settled: settled && entry.id.seq === head.seq }));
    this.beforeAnswer();
    return { head, events };
  }

  private record(): TaskRecord {
    const task = {
      id: 't',
      contextId: 'c',
      status: { state: this.state, timestamp: '2026-01-01T00:00:00.000Z' },
    };
    const head = { state: this.state, user: 'u' } as TaskRecord['head'];
    return { head, fold: new TaskFold(task), task, cursor: this.head };
  }
}

function message(
  base: number,
  n: number,
  epoch = 1,
  settled = false,
): Parameters<LogReader['announce']>[0] {
  const lines = Array.from({ length: n }, (_, i) => `e${base + i}.${epoch}`);
  return { base, epoch, settled, lines };
}

async function take(reader: LogReader, n: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of reader) {
    seen.push(event.json);
    if (seen.length === n) break;
  }
  return seen;
}

describe('LogReader', () => {
  it('should go live and follow announcements', async () => {
    const log = new Log(2);
    const reader = log.reader();
    await reader.begin({ seq: 0, epoch: 0 });
    reader.announce(message(3, 2));
    expect(await take(reader, 4)).toEqual(['e1.1', 'e2.1', 'e3.1', 'e4.1']);
    expect(log.reads).toBe(1);
  });

  it('should drop what it has, also the part of a message', async () => {
    const log = new Log(3);
    const reader = log.reader();
    await reader.begin({ seq: 0, epoch: 0 });
    reader.announce(message(1, 2));
    reader.announce(message(2, 3));
    expect(await take(reader, 4)).toEqual(['e1.1', 'e2.1', 'e3.1', 'e4.1']);
  });

  it('should read the log over a gap', async () => {
    const log = new Log(1);
    const reader = log.reader();
    await reader.begin({ seq: 0, epoch: 0 });
    log.add();
    log.add();
    reader.announce(message(3, 1));
    expect(await take(reader, 3)).toEqual(['e1.1', 'e2.1', 'e3.1']);
  });

  it('should not read twice when it is told to look again before its first read', async () => {
    const log = new Log(1);
    const reader = log.reader();
    // A reconnect of the subscriber, while this reader still waits for its channel.
    reader.reread();
    await reader.begin('snapshot');
    log.add();
    await Promise.resolve();
    reader.announce(message(2, 1, 1, true));
    const seen = [];
    for await (const { id } of reader) seen.push(id.seq);
    expect(seen).toEqual([1, 2]);
    expect(log.reads).toBe(0);
  });

  it('should not lose what is announced while it reads', async () => {
    const log = new Log(1);
    const reader = log.reader();
    log.beforeAnswer = () => {
      log.beforeAnswer = () => undefined;
      log.add();
      reader.announce(message(2, 1));
    };
    await reader.begin({ seq: 0, epoch: 0 });
    expect(await take(reader, 2)).toEqual(['e1.1', 'e2.1']);
  });

  it('should start from a snapshot when the log was rewritten under another epoch', async () => {
    const log = new Log(3);
    const reader = log.reader();
    await reader.begin({ seq: 0, epoch: 0 });
    log.entries.splice(2, 1);
    log.add(2);
    log.add(2);
    reader.announce(message(4, 1, 2));
    const seen = await take(reader, 4);
    expect(seen.slice(0, 3)).toEqual(['e1.1', 'e2.1', 'e3.1']);
    expect(seen[3]).toContain('"task"');
    expect(reader.position).toEqual({ seq: 4, epoch: 2 });
  });

  it('should ignore a stale epoch', async () => {
    const log = new Log(1);
    log.add(2);
    const reader = log.reader();
    await reader.begin({ seq: 0, epoch: 0 });
    reader.announce(message(3, 1, 1));
    reader.announce(message(3, 1, 2));
    expect(await take(reader, 3)).toEqual(['e1.1', 'e2.2', 'e3.2']);
  });

  it('should end after the settling event', async () => {
    const log = new Log(1);
    const reader = log.reader();
    await reader.begin({ seq: 0, epoch: 0 });
    reader.announce(message(2, 1, 1, true));
    expect(await take(reader, 99)).toEqual(['e1.1', 'e2.1']);
  });

  it('should end at once at the head of a settled log', async () => {
    const log = new Log(2);
    log.state = 'TASK_STATE_COMPLETED';
    const reader = log.reader();
    await reader.begin({ seq: 2, epoch: 1 });
    expect(await take(reader, 99)).toEqual([]);
  });

  it('should find a lost last event when told to look again', async () => {
    const log = new Log(1);
    const reader = log.reader();
    await reader.begin({ seq: 0, epoch: 0 });
    log.add();
    log.state = 'TASK_STATE_COMPLETED';
    reader.reread();
    expect(await take(reader, 99)).toEqual(['e1.1', 'e2.1']);
  });

  it('should stop following a client that does not read, and lose nothing', async () => {
    const log = new Log(1);
    const reader = log.reader();
    await reader.begin({ seq: 0, epoch: 0 });
    const big = 'x'.repeat(400_000);
    for (let i = 0; i < 10; i += 1) {
      log.add();
      const entry = log.entries.at(-1);
      if (entry === undefined) throw new Error('no entry');
      entry.json = big + String(i);
      reader.announce({ base: entry.id.seq, epoch: 1, settled: false, lines: [entry.json] });
    }
    const seen = await take(reader, 11);
    expect(seen.slice(1)).toEqual(Array.from({ length: 10 }, (_, i) => big + String(i)));
    expect(log.reads).toBeGreaterThan(1);
  });

  it('should outlive reads that fail: Redis is away, and comes back', async () => {
    const log = new Log(2);
    const reader = log.reader();
    await reader.begin(LOG_START);
    const seen = take(reader, 4);
    let failures = 2;
    log.beforeAnswer = () => {
      if (failures-- > 0) throw unavailable('The task store does not answer');
    };
    log.add();
    reader.reread();
    await vi.waitFor(() => {
      expect(failures).toBeLessThan(0);
    });
    log.add();
    reader.announce(message(4, 1));
    expect(await seen).toEqual(['e1.1', 'e2.1', 'e3.1', 'e4.1']);
  });

  it('should tell the caller at once when its first read fails', async () => {
    const log = new Log(2);
    log.beforeAnswer = () => {
      throw unavailable('The task store does not answer');
    };
    await expect(log.reader().begin(LOG_START)).rejects.toThrow('does not answer');
    expect(log.reads).toBe(1);
  });
});
