import { Injectable } from '@nestjs/common';
import { type EventId, formatEventId, LOG_START, parseEventId } from '../domain/event.js';
import { Keys } from '../redis/keys.js';
import { resend } from '../redis/redis-errors.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { refusalToError } from '../redis/script-code.js';
import { asList, runScript, type ScriptName, type ScriptReply } from '../redis/scripts.js';
import { askPatiently } from './ask.js';

/** A report that comes later than this finds its claim over. */
const REPORT_PATIENCE_MS = 5000;

export interface TaskAddress {
  readonly tenant: string;
  readonly user: string;
  readonly taskId: string;
}

/** What is due: a webhook, or a task whose webhooks have something new. */
export interface DueEntry {
  readonly tenant: string;
  readonly taskId: string;
  readonly hookId: string | undefined;
}

/** One webhook of which this sender alone may tell things, until the claim is over. */
export interface PushClaim {
  readonly tenant: string;
  readonly taskId: string;
  readonly hookId: string;
  readonly token: string;
  readonly sealed: string;
  /** Undefined: nothing was told yet. */
  readonly cursor: EventId | undefined;
  readonly tries: number;
  /** Failing since, ms by Redis; 0 when it does not. */
  readonly since: number;
  /** Up to which seq the failed try told. */
  readonly frozen: number;
  /** Redis' time of the claim, ms. */
  readonly now: number;
}

export type PushReport =
  | { readonly what: 'sent'; readonly cursor: EventId; readonly claimUntil: number }
  | {
      readonly what: 'failed';
      readonly again: number;
      readonly tries: number;
      readonly since: number;
      readonly frozen: number;
    }
  | { readonly what: 'left'; readonly now: number }
  | { readonly what: 'dropped' };

/** Webhooks in Redis: one method a script. */
@Injectable()
export class RedisPushStore {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /**
   * Sets a webhook and makes it due at once.
   * @param from the start of the log, or the task as it is.
   * @throws DomainError TASK_NOT_FOUND, QUOTA, UNAVAILABLE.
   */
  async set(
    task: TaskAddress,
    hook: { readonly id: string; readonly sealed: string },
    from: 'start' | 'now',
    most: number,
  ): Promise<void> {
    const cursor = from === 'start' ? formatEventId(LOG_START) : '';
    const args = [task.user, task.taskId, hook.id, hook.sealed, cursor, most];
    await this.forCaller('set-push', task, this.keysOf(task), args);
  }

  /** @throws DomainError TASK_NOT_FOUND, UNAVAILABLE. */
  async list(task: TaskAddress): Promise<{ readonly id: string; readonly sealed: string }[]> {
    const keys = this.keysOf(task).slice(0, 2);
    const reply = await this.forCaller('read-push', task, keys, [task.user]);
    const flat = asList(reply[1]).map(String);
    return flat.flatMap((id, index) =>
      index % 2 === 0 ? [{ id, sealed: flat[index + 1] ?? '' }] : [],
    );
  }

  /** @throws DomainError TASK_NOT_FOUND, UNAVAILABLE. */
  async remove(task: TaskAddress, hookId: string): Promise<void> {
    const args = [task.user, task.taskId, hookId];
    await this.forCaller('remove-push', task, this.keysOf(task), args);
  }

  /** What is due by `now` (Redis' time, ms), of each tenant at most as much as is asked for. */
  async due(
    tenants: readonly { readonly tenant: string; readonly most: number }[],
    now: number,
  ): Promise<DueEntry[]> {
    const found = await Promise.all(
      tenants.map(async ({ tenant, most }) => {
        const key = this.keys.pushDue(tenant);
        const entries = await this.redis.control.zrangebyscore(key, '-inf', now, 'LIMIT', 0, most);
        return entries.map((entry) => entryOf(tenant, entry));
      }),
    );
    return found.flat();
  }

  /**
   * `spread`: the task's entry became its webhooks'. `nothing`: another has it, or all is told.
   * @throws Error when Redis did not answer; a claim that was made all the same ends by itself.
   */
  async claim(
    { tenant, taskId, hookId }: DueEntry,
    token: string,
    claimMs: number,
  ): Promise<PushClaim | 'spread' | 'nothing'> {
    const keys = this.keysOf({ tenant, taskId });
    const args = [taskId, hookId ?? '', token, claimMs];
    const reply = asList(await runScript(this.redis.control, 'claim-push', keys, args));
    const code = Number(reply[0]);
    if (code === 2) return 'spread';
    if (code !== 1 || hookId === undefined) return 'nothing';
    return {
      tenant,
      taskId,
      hookId,
      token,
      sealed: String(reply[1]),
      cursor: parseEventId(String(reply[2])),
      tries: Number(reply[3]),
      since: Number(reply[4]),
      frozen: Number(reply[5]),
      now: Number(reply[6]),
    };
  }

  /**
   * `more`: there is more to tell; after `sent` under the same claim. `lost`: the claim was over, or
   * the webhook is gone: leave it alone.
   * @throws Error when Redis did not answer for 5 s.
   */
  async report(claim: PushClaim, report: PushReport): Promise<'more' | 'done' | 'lost'> {
    const { taskId, hookId, token } = claim;
    const args = [taskId, hookId, token, report.what, ...detailsOf(report)];
    const keys = this.keysOf(claim);
    const send = (): Promise<ScriptReply> =>
      runScript(this.redis.writes, 'report-push', keys, args);
    const reply = asList(await resend(send, { forMs: REPORT_PATIENCE_MS }));
    if (Number(reply[0]) !== 1) return 'lost';
    return Number(reply[1]) === 1 ? 'more' : 'done';
  }

  private keysOf({ tenant, taskId }: Omit<TaskAddress, 'user'>): readonly string[] {
    return [
      this.keys.task(tenant, taskId),
      this.keys.push(tenant, taskId),
      this.keys.pushDue(tenant),
    ];
  }

  private async forCaller(
    name: ScriptName,
    { taskId }: TaskAddress,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<readonly ScriptReply[]> {
    const send = (): Promise<ScriptReply> => runScript(this.redis.reads, name, keys, args);
    const reply = asList(await askPatiently(send));
    const code = Number(reply[0]);
    if (code < 0) throw refusalToError(code, taskId);
    return reply;
  }
}

/** `<task>` or `<task> <webhook>`: no task id holds a space. */
function entryOf(tenant: string, entry: string): DueEntry {
  const space = entry.indexOf(' ');
  if (space < 0) return { tenant, taskId: entry, hookId: undefined };
  return { tenant, taskId: entry.slice(0, space), hookId: entry.slice(space + 1) };
}

function detailsOf(report: PushReport): readonly (string | number)[] {
  switch (report.what) {
    case 'sent':
      return [formatEventId(report.cursor), report.claimUntil, 0, 0, 0];
    case 'failed':
      return ['', report.again, report.tries, report.since, report.frozen];
    case 'left':
      return ['', report.now, 0, 0, 0];
    case 'dropped':
      return ['', 0, 0, 0, 0];
  }
}
