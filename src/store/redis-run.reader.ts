import type { TaskStateName } from '../domain/a2a.js';
import { stateOf } from '../domain/task-state.js';
import type { Keys } from '../redis/keys.js';
import type { RedisClient } from '../redis/open-redis.js';
import { asList, runScript } from '../redis/scripts.js';
import { member } from './redis-instance.store.js';

/** What an operator sees of a task: nothing that its user or the assistant has said. */
export interface TaskSummary {
  readonly tenant: string;
  readonly id: string;
  readonly user: string;
  readonly contextId: string;
  readonly state: TaskStateName;
  /** The instance that runs it; empty when it waits. */
  readonly owner: string;
  readonly attempt: number;
  readonly epoch: number;
  /** Events so far. */
  readonly seq: number;
  /** Times in ms since the epoch. */
  readonly created: number;
  readonly updated: number;
  /** When its run's budget is used up; 0 for one that waits in a queue. */
  readonly deadline: number;
  /** Who has asked for its end, if somebody has. */
  readonly cancel: string;
  /** Writes outside whose outcome is not known. */
  readonly openEffects: number;
}

const FIELDS = [
  'user',
  'context_id',
  'state',
  'owner',
  'attempt',
  'epoch',
  'seq',
  'created',
  'updated',
  'deadline',
  'cancel',
  'open_effects',
] as const;
/** Tasks of a tenant that one list shows. */
const MOST = 1000;

/**
 * Live tasks of the whole installation, as operators see them, and the way in which they end one
 * from outside an instance. Wants a connection that went through `defineScripts`.
 */
export class RedisRunReader {
  constructor(
    private readonly redis: RedisClient,
    private readonly keys: Keys,
  ) {}

  /** Running, queued and parked tasks, newest status first; at most 1,000 a tenant. */
  async live(tenants: readonly string[], user?: string): Promise<TaskSummary[]> {
    const found: TaskSummary[] = [];
    for (const tenant of tenants) {
      const keys =
        user === undefined
          ? [this.keys.active(tenant), this.keys.parked(tenant)]
          : [this.keys.userActive(tenant, user), this.keys.userParked(tenant, user)];
      const lists = await Promise.all(keys.map((key) => this.redis.zrevrange(key, 0, MOST - 1)));
      const ids = [...new Set(lists.flat())].slice(0, MOST);
      found.push(...(await this.summaries(tenant, ids)));
    }
    const live = found.filter(({ state }) => LIVE.has(state));
    return live.sort((a, b) => b.updated - a.updated || a.id.localeCompare(b.id));
  }

  async find(tenant: string, id: string): Promise<TaskSummary | undefined> {
    const [summary] = await this.summaries(tenant, [id]);
    return summary;
  }

  /**
   * Asks for the end of a task: a mark that lasts, and a word to whoever has to act on it: its owner,
   * or any living instance for one that waits.
   */
  async cancel({ tenant, id, user }: TaskSummary, mark: string): Promise<void> {
    const reply = await runScript(
      this.redis,
      'mark-cancel',
      [this.keys.task(tenant, id)],
      [user, mark],
    );
    const [code, , owner] = asList(reply);
    if (Number(code) !== 1) return;
    const [anyone = ''] = await this.redis.zrevrange(this.keys.instances(), 0, 0);
    const to = owner === '' ? anyone : String(owner);
    await this.redis.publish(this.keys.signals(to), member({ tenant, taskId: id }));
  }

  private async summaries(tenant: string, ids: readonly string[]): Promise<TaskSummary[]> {
    if (ids.length === 0) return [];
    const pipeline = this.redis.pipeline();
    for (const id of ids) pipeline.hmget(this.keys.task(tenant, id), ...FIELDS);
    const replies = (await pipeline.exec()) ?? [];
    return ids.flatMap((id, index) => {
      const [error, values] = replies[index] ?? [];
      if (error) throw error;
      const summary = summaryOf(tenant, id, values as (string | null)[]);
      return summary === undefined ? [] : [summary];
    });
  }
}

const LIVE: ReadonlySet<TaskStateName> = new Set<TaskStateName>([
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
]);

function summaryOf(
  tenant: string,
  id: string,
  values: readonly (string | null)[],
): TaskSummary | undefined {
  const [user, contextId, state, owner, ...rest] = values;
  if (user === null || user === undefined) return undefined;
  const [attempt, epoch, seq, created, updated, deadline, cancel, openEffects] = rest;
  return {
    tenant,
    id,
    user,
    contextId: contextId ?? '',
    state: stateOf(Number(state)),
    owner: owner ?? '',
    attempt: Number(attempt),
    epoch: Number(epoch),
    seq: Number(seq),
    created: Number(created),
    updated: Number(updated),
    deadline: Number(deadline),
    cancel: cancel ?? '',
    openEffects: Number(openEffects ?? 0),
  };
}
