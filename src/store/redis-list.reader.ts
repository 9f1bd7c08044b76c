import { Injectable } from '@nestjs/common';
import type { TaskStateName } from '../domain/a2a.js';
import { STATE_NUMBER } from '../domain/task-state.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { asList, runScript } from '../redis/scripts.js';
import { ask } from './ask.js';

/** Tasks that are looked at in one piece. */
const WALK_CHUNK = 500;

export interface ListArgs {
  readonly tenant: string;
  /** Empty: of every user. */
  readonly user: string;
  readonly contextId?: string;
  readonly state?: TaskStateName;
  /** Lowest time of the last status, ms. */
  readonly since: number;
  /** Tasks whose last status is older than this have expired, ms. */
  readonly expiredBefore: number;
  /** The last task of the page before. */
  readonly after?: { readonly score: string; readonly id: string };
  readonly most: number;
}

/** One page of a list. */
export interface TaskRows {
  readonly total: number;
  readonly more: boolean;
  readonly rows: readonly { readonly id: string; readonly score: string }[];
}

/** Lists of a user's or a tenant's tasks, a page at a time. */
@Injectable()
export class RedisListReader {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** Ids of one page with their scores, newest status first, and the exact total of the filter. */
  async page(args: ListArgs): Promise<TaskRows> {
    const { tenant, user } = args;
    const isFiltered = args.state !== undefined || args.contextId !== undefined;
    if (user === '' && isFiltered) return this.byLooking(args);
    const ofState = args.state && this.keys.userState(tenant, user, args.state);
    const ofContext =
      args.contextId === undefined
        ? undefined
        : this.keys.contextTasks(tenant, user, args.contextId);
    const index = ofContext ?? ofState ?? this.allTasks(tenant, user);
    const also = ofContext !== undefined && ofState !== undefined ? ofState : index;
    const { reads } = this.redis;
    const filter = [args.since, args.after?.score ?? '+inf', args.after?.id ?? '', args.most];
    // What expired is gone from the index before it is counted; the lists are bounded by the TTL.
    const [answer] = await ask(() => {
      const expired = [...new Set([index, also])].map((key) =>
        reads.zremrangebyscore(key, '-inf', `(${args.expiredBefore}`),
      );
      return Promise.all([runScript(reads, 'list-tasks', [index, also], filter), ...expired]);
    });
    const [total, more, flat] = asList(answer);
    const list = asList(flat);
    const rows: { id: string; score: string }[] = [];
    for (let i = 0; i < list.length; i += 2) {
      rows.push({ id: String(list[i]), score: String(list[i + 1]) });
    }
    return { total: Number(total), more: Number(more) === 1, rows };
  }

  /**
   * A tenant has no index by state or context, only its users have: its own is walked, newest first,
   * in pieces that Redis answers at once.
   */
  private async byLooking(args: ListArgs): Promise<TaskRows> {
    const { tenant, since, after, most } = args;
    const state = args.state === undefined ? undefined : String(STATE_NUMBER[args.state]);
    const rows: { id: string; score: string }[] = [];
    let total = 0;
    let more = false;
    for (let offset = 0; ; offset += WALK_CHUNK) {
      const flat = await ask(() =>
        this.redis.reads.zrevrangebyscore(
          this.keys.tenantTasks(tenant),
          '+inf',
          since,
          'WITHSCORES',
          'LIMIT',
          offset,
          WALK_CHUNK,
        ),
      );
      const found = flat.filter((_text, index) => index % 2 === 0);
      const heads = await ask(() =>
        Promise.all(
          found.map((id) =>
            this.redis.reads.hmget(this.keys.task(tenant, id), 'state', 'context_id'),
          ),
        ),
      );
      for (const [index, id] of found.entries()) {
        const [itsState, itsContext] = heads[index] ?? [];
        if (typeof itsState !== 'string' || (state ?? itsState) !== itsState) continue;
        if ((args.contextId ?? itsContext) !== itsContext) continue;
        total += 1;
        const score = String(flat[index * 2 + 1]);
        if (after !== undefined && !isBehind({ id, score }, after)) continue;
        if (rows.length < most) rows.push({ id, score });
        else more = true;
      }
      if (found.length < WALK_CHUNK) return { total, more, rows };
    }
  }

  private allTasks(tenant: string, user: string): string {
    return user === '' ? this.keys.tenantTasks(tenant) : this.keys.userTasks(tenant, user);
  }
}

/** Whether a row comes after another one, newest first, equal times by id descending. */
function isBehind(
  row: { readonly id: string; readonly score: string },
  other: { readonly id: string; readonly score: string },
): boolean {
  const [a, b] = [Number(row.score), Number(other.score)];
  return a < b || (a === b && row.id < other.id);
}
