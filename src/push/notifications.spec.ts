import { describe, expect, it } from 'vitest';
import type { StreamResponse, Task, TaskStateName } from '../domain/a2a.js';
import type { EventId, TaskEvent } from '../domain/event.js';
import type { TaskRecord } from '../store/task-record.js';
import { Notifications, type NotificationQuery } from './notifications.js';

const ids = { taskId: 't', contextId: 'c' };
const at = (seq: number): EventId => ({ seq, epoch: 1 });

function taskIn(state: TaskStateName): Task {
  return { id: 't', contextId: 'c', status: { state, timestamp: '2026-11-30T12:00:00.000Z' } };
}

function event(seq: number, what: StreamResponse): TaskEvent {
  return { id: at(seq), json: JSON.stringify(what), settled: false };
}

const status = (seq: number, state: TaskStateName): TaskEvent =>
  event(seq, { statusUpdate: { ...ids, status: taskIn(state).status } });
const delta = (seq: number): TaskEvent =>
  event(seq, {
    artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: 'x' }] }, append: true },
  });

function source(
  events: readonly TaskEvent[] | 'lost' | 'missing',
  head = 9,
  state: TaskStateName = 'TASK_STATE_COMPLETED',
): Notifications {
  return new Notifications({
    read: () => Promise.resolve({ task: taskIn(state), cursor: at(head) } as TaskRecord),
    readLog: () =>
      Promise.resolve(
        typeof events === 'string' ? events : { events, head: { ...at(head), state } },
      ),
  });
}

function ask(over: Partial<NotificationQuery> = {}): NotificationQuery {
  return { tenant: 'acme', taskId: 't', cursor: at(1), frozen: 0, wholeTask: false, ...over };
}

describe('Notifications', () => {
  it('should begin with the task as it is, and come back to it when the log is lost', async () => {
    const snapshot = [{ event: { task: taskIn('TASK_STATE_COMPLETED') }, upTo: at(9) }];
    expect(await source([]).next(ask({ cursor: undefined }))).toEqual(snapshot);
    expect(await source('lost').next(ask())).toEqual(snapshot);
    expect(await source('lost').next(ask({ wholeTask: true }))).toEqual(snapshot);
  });

  it('should say that the task is gone', async () => {
    const gone = new Notifications({
      read: () => Promise.resolve(undefined),
      readLog: () => Promise.resolve('missing'),
    });
    for (const over of [{}, { cursor: undefined }, { wholeTask: true }]) {
      expect(await gone.next(ask(over))).toBe('missing');
    }
  });

  it('should tell 0.3 a whole task with the status of each event, in order', async () => {
    const events = [
      event(2, { task: taskIn('TASK_STATE_SUBMITTED') }),
      status(3, 'TASK_STATE_WORKING'),
      delta(4),
      delta(5),
      status(6, 'TASK_STATE_COMPLETED'),
    ];
    const told = await source(events, 6).next(ask({ wholeTask: true }));
    if (told === 'missing') throw new Error('missing');
    expect(told.map(({ upTo }) => upTo.seq)).toEqual([2, 3, 6]);
    expect(
      told.map((one) => one.event && 'task' in one.event && one.event.task.status.state),
    ).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
  });

  it('should tell 0.3 the artifacts at the head, and skip them before it', async () => {
    const state = 'TASK_STATE_WORKING';
    const atHead = await source([delta(2), delta(3)], 3, state).next(ask({ wholeTask: true }));
    expect(atHead).toEqual([{ event: { task: taskIn(state) }, upTo: at(3) }]);
    const before = await source([delta(2), delta(3)], 9, state).next(ask({ wholeTask: true }));
    expect(before).toEqual([{ event: undefined, upTo: at(3) }]);
  });

  it('should not tell 0.3 what is newer than the task it read', async () => {
    const events = [delta(2), status(3, 'TASK_STATE_COMPLETED')];
    const told = await source(events, 2, 'TASK_STATE_WORKING').next(ask({ wholeTask: true }));
    expect(told).toEqual([{ event: { task: taskIn('TASK_STATE_WORKING') }, upTo: at(2) }]);
  });
});
