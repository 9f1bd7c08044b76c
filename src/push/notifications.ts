import type { Task } from '../domain/a2a.js';
import type { EventId, TaskEvent } from '../domain/event.js';
import type { RedisTaskReader } from '../store/redis-task.reader.js';
import { mergeEvents, type Notification } from './merge-events.js';

/** A place in the log that needs no notification of its own: a later one tells it. */
export interface Skipped {
  readonly event: undefined;
  readonly upTo: EventId;
}

export interface NotificationQuery {
  readonly tenant: string;
  readonly taskId: string;
  /** Undefined: nothing was told yet, and the first thing to tell is the task as it is. */
  readonly cursor: EventId | undefined;
  /** See `mergeEvents`. */
  readonly frozen: number;
  readonly wholeTask: boolean;
}

/** What a webhook is to be told next, out of the log. */
export class Notifications {
  constructor(private readonly reader: Pick<RedisTaskReader, 'read' | 'readLog'>) {}

  /**
   * The next notifications in their order; 'missing' when the task is gone. Where the log does not
   * hold the cursor any more, the task as it is stands for all that was lost.
   * @throws DomainError UNAVAILABLE.
   */
  async next(query: NotificationQuery): Promise<readonly (Notification | Skipped)[] | 'missing'> {
    const { tenant, taskId, cursor } = query;
    if (cursor === undefined) return this.snapshot(query);
    const record = query.wholeTask ? await this.reader.read(tenant, '', taskId) : undefined;
    const chunk = await this.reader.readLog(tenant, '', taskId, cursor);
    if (chunk === 'missing') return 'missing';
    if (chunk === 'lost') return this.snapshot(query);
    if (!query.wholeTask) return mergeEvents(chunk.events, query.frozen);
    if (record === undefined) return 'missing';
    return wholeTasks(chunk.events, record.task, record.cursor.seq);
  }

  private async snapshot({
    tenant,
    taskId,
  }: NotificationQuery): Promise<readonly Notification[] | 'missing'> {
    const record = await this.reader.read(tenant, '', taskId);
    if (record === undefined) return 'missing';
    return [{ event: { task: record.task }, upTo: record.cursor }];
  }
}

/**
 * 0.3 is told whole tasks: one for each status, with that status, and one for the artifacts that
 * came since. The artifacts are always those of now: the log alone does not hold older ones.
 * @param task as of event `head`.
 */
function wholeTasks(
  events: readonly TaskEvent[],
  task: Task,
  head: number,
): (Notification | Skipped)[] {
  const known = events.filter(({ id }) => id.seq <= head);
  return known.flatMap(({ id, json }, index): (Notification | Skipped)[] => {
    if (json.startsWith('{"artifactUpdate":')) {
      if (id.seq === head) return [{ event: { task }, upTo: id }];
      // More follows, which tells the artifacts as well; at the end of what was read it is skipped.
      return index === known.length - 1 ? [{ event: undefined, upTo: id }] : [];
    }
    const event = JSON.parse(json) as Notification['event'];
    if (!('statusUpdate' in event)) return [{ event, upTo: id }];
    return [{ event: { task: { ...task, status: event.statusUpdate.status } }, upTo: id }];
  });
}
