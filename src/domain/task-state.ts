import type { TaskStateName } from './a2a.js';

/**
 * The states with their numbers in the A2A protocol buffer (a2a.proto, enum TaskState). Redis
 * stores the number; scripts address a state's index key by it.
 */
export const STATE_NUMBER: Readonly<Record<TaskStateName, number>> = {
  TASK_STATE_SUBMITTED: 1,
  TASK_STATE_WORKING: 2,
  TASK_STATE_COMPLETED: 3,
  TASK_STATE_FAILED: 4,
  TASK_STATE_CANCELED: 5,
  TASK_STATE_INPUT_REQUIRED: 6,
  TASK_STATE_REJECTED: 7,
  TASK_STATE_AUTH_REQUIRED: 8,
};

export const STATES = Object.keys(STATE_NUMBER) as readonly TaskStateName[];

const BY_NUMBER = new Map(STATES.map((name) => [STATE_NUMBER[name], name]));

/** @throws RangeError for a number that no state has. */
export function stateOf(number: number): TaskStateName {
  const name = BY_NUMBER.get(number);
  if (name === undefined) throw new RangeError(`no task state has the number ${number}`);
  return name;
}

export function isState(value: unknown): value is TaskStateName {
  return typeof value === 'string' && Object.hasOwn(STATE_NUMBER, value);
}

/** Terminal is for ever (design invariant 1). */
export function isTerminal(state: TaskStateName): boolean {
  return (
    state === 'TASK_STATE_COMPLETED' ||
    state === 'TASK_STATE_FAILED' ||
    state === 'TASK_STATE_CANCELED' ||
    state === 'TASK_STATE_REJECTED'
  );
}

/** Parked: the task waits for its user; a stream ends here (spec 11.7). */
export function isInterrupted(state: TaskStateName): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
}

/** A run is over, for good or until its user answers: streams and blocking sends end. */
export function isSettled(state: TaskStateName): boolean {
  return isTerminal(state) || isInterrupted(state);
}
