import type { TaskStateName } from '../domain/a2a.js';
import type { EndSignal } from '../domain/end-signal.js';
import { type EventId, LOG_START, type TaskEvent } from '../domain/event.js';
import { isSettled } from '../domain/task-state.js';
import { resend } from '../redis/redis-errors.js';
import type { LogChunk } from '../store/redis-task.reader.js';
import type { TaskRecord } from '../store/task-record.js';

/** What a message on a task's channel says: events base … base+n-1 of one epoch. */
export interface Announcement {
  readonly base: number;
  readonly epoch: number;
  readonly settled: boolean;
  /** When it was appended, by Redis, ms since the epoch. */
  readonly at?: number;
  readonly lines: readonly string[];
}

/** Reads of one task, as the hub makes them for its readers. */
export interface LogSource {
  /** Undefined: no such task for this user. */
  snapshot(): Promise<TaskRecord | undefined>;
  after(cursor: EventId): Promise<LogChunk | 'lost' | 'missing'>;
}

/** How long a reader waits for a Redis that is away, as long as a run does. */
const OUTAGE_MS = 30_000;
/** Bytes that a client may leave unread before its reader stops following live. */
const LIVE_BYTES = 1024 * 1024;

/**
 * One reader of one task: a cursor, and either live (channel messages are handed on as they come)
 * or catching up (the log is read from the cursor; messages meanwhile only say that there is more).
 * Messages are never trusted: a gap, a reconnect, another epoch or a full buffer all lead back to
 * the log, which alone decides what comes next (design invariant 5). There is no await between the
 * last read and going live.
 */
export class LogReader implements AsyncIterable<TaskEvent> {
  private cursor: EventId = LOG_START;
  private live = false;
  /** A read is on its way. Also before `begin`: a reconnect must not read ahead of the first read. */
  private catching = true;
  /** Something was announced or lost while the log was being read. */
  private again = false;
  private readonly queue: TaskEvent[] = [];
  private queued = 0;
  private ended = false;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;
  private cleanup: (() => void) | undefined;
  /** The state in the snapshot that it began with; undefined when it began with the log. */
  begunIn: TaskStateName | undefined;
  /** When the last message came, for the stall check; performance.now(). */
  heardAt = performance.now();

  constructor(
    private readonly source: LogSource,
    private readonly onEnd: () => void,
  ) {}

  get position(): EventId {
    return this.cursor;
  }

  /**
   * Reads up to the present; called once the channel is confirmed.
   * @returns 'missing' when there is no such task for this user.
   */
  async begin(start: EventId | 'snapshot'): Promise<'ok' | 'missing'> {
    try {
      const found = start === 'snapshot' ? await this.readSnapshot() : await this.readFrom(start);
      if (!found) return 'missing';
      if (!this.live) await this.readToHead();
    } finally {
      this.catching = false;
    }
    return 'ok';
  }

  /** A message of the task's channel. */
  announce(message: Announcement): void {
    this.heardAt = performance.now();
    if (this.ended) return;
    if (!this.live) {
      this.again = true;
      return;
    }
    const last = message.base + message.lines.length - 1;
    const { seq, epoch } = this.cursor;
    if (message.epoch < epoch || (message.epoch === epoch && last <= seq)) return;
    // Another epoch may have rewritten what this reader has seen (fail-over): only the log can tell.
    const follows = message.epoch === epoch && message.base <= seq + 1;
    if (!follows || this.queued > LIVE_BYTES) {
      this.reread();
      return;
    }
    for (let at = seq + 1; at <= last; at += 1) {
      const json = message.lines[at - message.base] ?? '';
      const settled = message.settled && at === last;
      this.deliver({ id: { seq: at, epoch: message.epoch }, json, settled });
    }
  }

  /** Goes back to the log: after a reconnect, a gap, or a silence that hides something. */
  reread(): void {
    if (this.ended) return;
    this.live = false;
    this.again = true;
    void this.catchUp();
  }

  /** Ends the reader, never the run. */
  close(failure?: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.failure = failure;
    this.cleanup?.();
    this.onEnd();
    this.wake?.();
  }

  /** Closes the reader when the signal aborts; the listener goes with the reader. */
  closeOn(signal: EndSignal): void {
    const close = (): void => {
      this.close();
    };
    signal.addEventListener('abort', close, { once: true });
    this.cleanup = () => {
      signal.removeEventListener('abort', close);
    };
    if (this.ended) this.cleanup();
    else if (signal.aborted) close();
  }

  /** Whoever iterates has it to himself; ending the iteration closes the reader. */
  [Symbol.asyncIterator](): AsyncIterator<TaskEvent, undefined> {
    return {
      next: () => this.next(),
      return: () => {
        this.close();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  // By hand, and not a generator: a thousand subscribers step through it for every event.
  private next(): Promise<IteratorResult<TaskEvent, undefined>> {
    const waits = this.queue.length === 0 && !this.ended;
    if (waits && !this.live && !this.catching) void this.catchUp();
    return new Promise((resolve, reject) => {
      const answer = (): void => {
        this.wake = undefined;
        const event = this.queue.shift();
        if (event !== undefined) {
          this.queued -= event.json.length;
          resolve({ done: false, value: event });
        } else if (this.failure !== undefined) reject(this.failure);
        else resolve({ done: true, value: undefined });
      };
      if (waits) this.wake = answer;
      else answer();
    });
  }

  private async catchUp(): Promise<void> {
    // A client that does not read is not worth a read: its next pull comes back here.
    if (this.catching || this.ended || this.queued > LIVE_BYTES) return;
    this.catching = true;
    try {
      // The client keeps its stream over an outage, and reads on where it was.
      await resend(() => this.readToHead(), { forMs: OUTAGE_MS });
    } catch (error) {
      this.close(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.catching = false;
    }
  }

  private async readToHead(): Promise<void> {
    while (!this.ended) {
      this.again = false;
      const chunk = await this.source.after(this.cursor);
      if (chunk === 'missing') {
        this.close();
        return;
      }
      if (chunk === 'lost') {
        if (!(await this.readSnapshot())) this.close();
      } else {
        this.take(chunk);
      }
      if (this.live || this.queued > LIVE_BYTES) return;
    }
  }

  /** Hands on what was read, and goes live when it was all there is and nothing came meanwhile. */
  private take(chunk: LogChunk): void {
    chunk.events.forEach((event) => {
      this.deliver(event);
    });
    const atHead = this.cursor.seq >= chunk.head.seq;
    // Settled with nothing left to tell: no further event will come.
    if (atHead && isSettled(chunk.head.state)) this.close();
    this.live = atHead && !this.again;
  }

  private async readFrom(start: EventId): Promise<boolean> {
    this.cursor = start;
    const chunk = await this.source.after(start);
    if (chunk === 'missing') return false;
    if (chunk === 'lost') return this.readSnapshot();
    this.take(chunk);
    return true;
  }

  private async readSnapshot(): Promise<boolean> {
    this.again = false;
    const record = await this.source.snapshot();
    if (record === undefined) return false;
    const settled = isSettled(record.head.state);
    if (this.cursor === LOG_START) this.begunIn = record.head.state;
    this.deliver({ id: record.cursor, json: taskEvent(record), settled });
    this.live = !this.again;
    return true;
  }

  private deliver(event: TaskEvent): void {
    if (this.ended) return;
    this.cursor = event.id;
    this.queue.push(event);
    this.queued += event.json.length;
    if (event.settled) this.close();
    else this.wake?.();
  }
}

function taskEvent({ task, text }: TaskRecord): string {
  return `{"task":${text ?? JSON.stringify(task)}}`;
}
