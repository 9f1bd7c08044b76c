import type { TaskRef } from '../../src/store/task-ref.js';
import { About } from './about.js';
import type { Reply } from './task-model.js';
import type { Hook, ModelTask, World } from './world.js';

export const MOST_HOOKS = 2;

export interface Report {
  readonly what: 'sent' | 'failed' | 'left' | 'dropped';
  readonly cursor: string;
  readonly at: number;
  readonly tries: number;
  readonly since: number;
  readonly upto: number;
}

/** What the scripts of webhooks promise, on a world without Redis. */
export class PushModel {
  constructor(private readonly world: World) {}

  set(ref: TaskRef, user: string, hook: string, sealed: string, cursor: string): Reply {
    const task = this.owned(ref, user);
    if (task === undefined) return [-1];
    const old = task.hooks.get(hook);
    if (old?.sealed === sealed) return [1];
    if (old === undefined && task.hooks.size >= MOST_HOOKS) return [-20];
    task.hooks.set(hook, { sealed, at: cursor });
    task.push = true;
    this.world.due.set(ref.taskId, Date.now());
    this.world.due.delete(entryOf(ref, hook));
    return [1];
  }

  read(ref: TaskRef, user: string): Reply {
    const task = this.owned(ref, user);
    if (task === undefined) return [-1];
    return [1, [...task.hooks].flatMap(([id, { sealed }]) => [id, sealed])];
  }

  remove(ref: TaskRef, user: string, hook: string): Reply {
    const task = this.owned(ref, user);
    if (task === undefined) return [-1];
    task.hooks.delete(hook);
    this.world.due.delete(entryOf(ref, hook));
    if (task.hooks.size === 0) {
      task.push = false;
      this.world.due.delete(ref.taskId);
    }
    return [1];
  }

  claim(ref: TaskRef, hook: string, token: string, holdMs: number): Reply {
    const { due, tasks } = this.world;
    const task = tasks.get(ref.taskId);
    const entry = hook === '' ? ref.taskId : entryOf(ref, hook);
    if (task === undefined || task.hooks.size === 0) {
      due.delete(entry);
      return [-1];
    }
    const now = Date.now();
    if (hook === '') {
      due.delete(entry);
      for (const name of task.hooks.keys()) {
        if (!due.has(entryOf(ref, name))) due.set(entryOf(ref, name), now);
      }
      return [2];
    }
    const found = task.hooks.get(hook);
    if (found === undefined || isTold(found, task)) {
      due.delete(entry);
      return [found === undefined ? -1 : 0];
    }
    const { hold, fail } = found;
    if (hold !== undefined && hold.token !== token && hold.till > now) {
      due.set(entry, hold.till);
      return [0];
    }
    if (fail !== undefined && fail.again > now) {
      due.set(entry, fail.again);
      return [0];
    }
    found.hold = { token, till: now + holdMs };
    due.set(entry, now + holdMs);
    const { tries = 0, since = 0, upto = 0 } = fail ?? {};
    return [1, found.sealed, found.at, tries, since, upto, new About(now)];
  }

  report(ref: TaskRef, hook: string, token: string, report: Report): Reply {
    const { due, tasks } = this.world;
    const task = tasks.get(ref.taskId);
    const found = task?.hooks.get(hook);
    if (task === undefined || found === undefined) return [-1];
    if (found.hold?.token !== token) return [-21];
    const entry = entryOf(ref, hook);
    if (report.what === 'dropped') {
      task.hooks.delete(hook);
      due.delete(entry);
      if (task.hooks.size === 0) task.push = false;
      return [1, 0];
    }
    if (report.what === 'sent') {
      delete found.fail;
      found.at = report.cursor;
    } else if (report.what === 'failed') {
      const { tries, since, upto } = report;
      found.fail = { tries, again: report.at, since, upto };
    }
    const more = !isTold(found, task);
    found.hold = { token, till: more && report.what === 'sent' ? report.at : 0 };
    if (more) due.set(entry, report.at);
    else due.delete(entry);
    return [1, more ? 1 : 0];
  }

  private owned(ref: TaskRef, user: string): ModelTask | undefined {
    const task = this.world.tasks.get(ref.taskId);
    return task?.ref.user === user ? task : undefined;
  }
}

export function entryOf(ref: TaskRef, hook: string): string {
  return `${ref.taskId} ${hook}`;
}

function isTold(hook: Hook, task: ModelTask): boolean {
  return hook.at.split('-')[0] === String(task.seq);
}
