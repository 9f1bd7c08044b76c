import type { Task } from '../domain/a2a.js';
import type { TaskKeys } from '../store/task-ref.js';
import type { FrozenCall } from './frozen-call.js';
import type { BegunEffect } from './run-desk.js';

/** A task of which this instance has become the owner. */
export interface OwnedTask {
  readonly keys: TaskKeys;
  readonly call: FrozenCall;
  readonly turn: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly seq: number;
  readonly task: Task;
  /** By Redis, ms since the epoch. */
  readonly deadline: number;
  /** Writes of a former owner of which nobody knows yet; absent: none. */
  readonly begun?: readonly BegunEffect[];
}
