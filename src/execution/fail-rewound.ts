import type { TenantLimits } from '../config/limits.js';
import type { Task } from '../domain/a2a.js';
import type { TaskFold } from '../domain/fold.js';
import type { Settled } from '../store/redis-log.store.js';
import type { RunStores } from '../store/run-stores.js';
import type { TaskKeys } from '../store/task-ref.js';
import { ENDED } from './end-texts.js';
import { statusOf } from './status-of.js';

interface Rewound {
  readonly keys: TaskKeys;
  readonly owner: string;
  readonly epoch: number;
  /** The task as clients saw it. */
  readonly fold: TaskFold;
}

/**
 * Fails a task of which Redis came back with less than it had acknowledged: what clients saw is not in
 * the log any more, so its run cannot go on. A higher epoch tells every reader to start from a
 * snapshot.
 * @param now by Redis, ms since the epoch.
 * @returns undefined when the task is another instance's by now.
 */
export async function failRewound(
  stores: Pick<RunStores, 'owners' | 'log'>,
  { keys, epoch, owner, fold }: Rewound,
  limits: TenantLimits,
  now: number,
): Promise<{ readonly task: Task; readonly settled: Settled } | undefined> {
  const { tenant, taskId, contextId } = keys.ref;
  const taken = await stores.owners.takeOver(tenant, taskId, epoch, owner, 'end');
  if (!taken.ok) return undefined;
  const state = 'TASK_STATE_FAILED';
  const ids = { taskId, contextId };
  const status = statusOf(state, now, ids, ENDED.rewound);
  fold.apply({ statusUpdate: { ...ids, status } });
  const task = fold.task();
  const settled = await stores.log.settle({
    keys,
    epoch: taken.value.epoch,
    expected: taken.value.seq,
    state,
    ts: Date.parse(status.timestamp),
    task,
    events: [JSON.stringify({ task })],
    turn: '',
    expects: '',
    parkMs: 0,
    limits,
  });
  return settled.ok ? { task, settled: settled.value } : undefined;
}
