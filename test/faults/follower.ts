import type { TaskStateName } from '../../src/domain/a2a.js';
import { type EventId, formatEventId } from '../../src/domain/event.js';
import { isSettled } from '../../src/domain/task-state.js';
import type { A2aClient, SseEvent } from '../support/a2a-client.js';
import type { LogEntry } from '../support/task-log.js';
import { sleep } from '../support/wait.js';

const PATIENCE_MS = 240_000;

/**
 * A client as it should be: it follows a task to its end, and whenever its stream ends or breaks it
 * goes on with `Last-Event-ID`, on whichever instance it is given.
 */
export class Follower {
  /** What came, in order; heartbeats, which have no id, left out. */
  readonly events: SseEvent[] = [];
  connects = 0;
  refusals = 0;
  /** Snapshots in place of events: what a failover lost, or a log no longer holds. */
  snapshots = 0;

  constructor(
    private readonly taskId: string,
    private readonly pick: () => A2aClient,
    /** Called with each stream; may cut it whenever it likes. */
    private readonly onStream: (disconnect: () => void) => void = () => undefined,
  ) {}

  /** @throws Error when the task has not ended for this client within four minutes. */
  toTheEnd(): Promise<TaskStateName> {
    const ended = this.read();
    // Whoever waits hears of it; a test that has failed before does not.
    ended.catch(() => undefined);
    return ended;
  }

  private async read(): Promise<TaskStateName> {
    const until = performance.now() + PATIENCE_MS;
    while (performance.now() < until) {
      await this.oneStream();
      const state = this.state;
      if (state !== undefined && isSettled(state)) return state;
      await sleep(20);
    }
    throw new Error(`task ${this.taskId}: no end, last ${this.last ?? 'nothing'}`);
  }

  get last(): string | undefined {
    const id = this.events.at(-1)?.id;
    return id === undefined ? undefined : formatEventId(id);
  }

  /**
   * What is wrong with what came: an event twice, one that the log does not hold, or one that is
   * missing where no snapshot says so. Undefined: nothing.
   */
  fault(log: readonly LogEntry[]): string | undefined {
    const known = new Map(log.map(({ id }) => [id.seq, id.epoch]));
    let before: EventId | undefined;
    for (const [index, { id, data }] of this.events.entries()) {
      if (id === undefined) continue;
      const snapshot = 'task' in data;
      const behind = before !== undefined && id.seq <= before.seq && id.epoch <= before.epoch;
      if (before !== undefined && behind && !snapshot) {
        return `${formatEventId(id)} after ${formatEventId(before)}`;
      }
      const gap = before === undefined || id.seq !== before.seq + 1;
      if (gap && !snapshot) return `event ${index} ${formatEventId(id)} leaves a gap`;
      before = id;
    }
    if (before === undefined) return 'nothing came';
    const head = log.at(-1)?.id;
    if (head !== undefined && known.get(before.seq) !== before.epoch) {
      return `it ends at ${formatEventId(before)}, the log at ${formatEventId(head)}`;
    }
    return before.seq === head?.seq ? undefined : `it ends before the log, at ${before.seq}`;
  }

  /** The longest time between two events, ms. */
  get longestSilence(): number {
    let longest = 0;
    for (let i = 1; i < this.events.length; i += 1) {
      longest = Math.max(longest, this.events[i]!.at - this.events[i - 1]!.at);
    }
    return longest;
  }

  private get state(): TaskStateName | undefined {
    const data = this.events.at(-1)?.data;
    if (data === undefined) return undefined;
    if ('task' in data) return data.task.status.state;
    return 'statusUpdate' in data ? data.statusUpdate.status.state : undefined;
  }

  private async oneStream(): Promise<void> {
    let stream;
    try {
      stream = await this.pick().subscribe(this.taskId, this.last);
    } catch {
      this.refusals += 1;
      await sleep(100);
      return;
    }
    this.connects += 1;
    this.onStream(() => {
      stream.disconnect();
    });
    await stream.ended.catch(() => undefined);
    const came = stream.events.filter(({ id }) => id !== undefined);
    if (this.events.length > 0) this.snapshots += came.filter(({ data }) => 'task' in data).length;
    this.events.push(...came);
  }
}
