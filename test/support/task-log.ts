import { readFileSync } from 'node:fs';
import type { StreamResponse, Task } from '../../src/domain/a2a.js';
import { formatEventId, parseEventId, type EventId } from '../../src/domain/event.js';
import { foldEvents } from '../../src/domain/fold.js';
import { isSettled } from '../../src/domain/task-state.js';
import { Keys } from '../../src/redis/keys.js';
import { openRedis, type RedisClient } from '../../src/redis/open-redis.js';
import type { EventStream } from './a2a-client.js';
import { sortedJson } from './sorted-json.js';

const keys = new Keys();

export interface LogEntry {
  readonly id: EventId;
  readonly data: StreamResponse;
}

/** What Redis itself holds, read past every gateway: the truth that a stream is compared with. */
export class Truth {
  private constructor(readonly redis: RedisClient) {}

  static open(url: string): Truth {
    const settings = { url, prefix: 'nj:', allowEviction: false };
    return new Truth(openRedis(settings, { name: 'truth', waits: true, reconnects: true }));
  }

  close(): void {
    this.redis.disconnect();
  }

  async log(tenant: string, taskId: string): Promise<LogEntry[]> {
    const entries = await this.redis.xrange(keys.log(tenant, taskId), '-', '+');
    return entries.map(([id, fields]) => ({
      id: parseEventId(id)!,
      data: JSON.parse(fields[1]!) as StreamResponse,
    }));
  }

  /** Places taken in the quota of a user and of the tenant. */
  async active(tenant: string, user: string): Promise<{ user: number; tenant: number }> {
    return {
      user: await this.redis.zcard(keys.userActive(tenant, user)),
      tenant: await this.redis.zcard(keys.active(tenant)),
    };
  }

  /** Tasks that the user's index counts in SUBMITTED and WORKING. */
  async unfinished(tenant: string, user: string): Promise<number> {
    const submitted = keys.userState(tenant, user, 'TASK_STATE_SUBMITTED');
    const working = keys.userState(tenant, user, 'TASK_STATE_WORKING');
    return (await this.redis.zcard(submitted)) + (await this.redis.zcard(working));
  }

  async epoch(tenant: string, taskId: string): Promise<number> {
    return Number(await this.redis.hget(keys.task(tenant, taskId), 'epoch'));
  }
}

/** Text of the answer artifact of a task. */
export function answerOf(task: Task): string {
  const answer = (task.artifacts ?? []).filter(({ name }) => name === 'answer');
  return answer.flatMap(({ parts }) => parts.map(({ text }) => text ?? '')).join('');
}

/** `<attempt>.<n>` of every delta in a text of the scripted backend, in order. */
export function deltasIn(text: string): string[] {
  return [...text.matchAll(/(\d+\.\d+)\.* /g)].map((match) => match[1]!);
}

/** `1.1 … 1.count` of an attempt. */
export function numbered(attempt: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${attempt}.${i + 1}`);
}

/** The deltas of one attempt in the order in which the log holds them. */
export function deltasOfLog(log: readonly LogEntry[], attempt: number): string[] {
  const text = log
    .flatMap(({ data }) =>
      'artifactUpdate' in data && data.artifactUpdate.artifact.artifactId.endsWith('answer')
        ? data.artifactUpdate.artifact.parts.map((part) => part.text ?? '')
        : [],
    )
    .join('');
  return deltasIn(text).filter((delta) => delta.startsWith(`${attempt}.`));
}

/**
 * What is wrong with a stream that started with a snapshot or with the log, compared with the whole
 * log: a gap, a duplicate, a foreign event, a different end. Undefined: it is exact, which is to
 * say that fold(snapshot + tail) = fold(log) (design invariant 5).
 */
export function faultOf(stream: EventStream, log: readonly LogEntry[]): string | undefined {
  const events = stream.events.filter(({ id }) => id !== undefined);
  const first = events[0];
  if (first?.id === undefined) return 'no event at all';
  if (!('task' in first.data)) return 'it does not start with a Task';
  const start = log.findIndex(({ id }) => formatEventId(id) === formatEventId(first.id!));
  if (start < 0) return `it starts at ${formatEventId(first.id)}, which the log does not hold`;
  const expected = log.slice(start).map(({ id }) => formatEventId(id));
  const got = events.map(({ id }) => formatEventId(id!));
  const at = expected.findIndex((id, index) => id !== got[index]);
  if (at >= 0) return `event ${at}: ${expected[at]!} expected, ${got[at] ?? 'nothing'} came`;
  if (got.length > expected.length) return `${got.length - expected.length} events too many`;
  for (const [index, event] of events.entries()) {
    if (index > 0 && !same(event.data, log[start + index]!.data)) {
      return `event ${got[index]!} is not the one in the log`;
    }
  }
  const whole = foldEvents(log.map(({ data }) => data));
  if (!same(foldEvents(events.map(({ data }) => data)), whole)) {
    return 'fold(snapshot + tail) is not fold(log)';
  }
  return isSettled(whole.status.state) ? undefined : 'the log has no end';
}

function same(a: unknown, b: unknown): boolean {
  return sortedJson(a) === sortedJson(b);
}

export interface JournalLine {
  readonly event: 'start' | 'effect';
  readonly taskId: string;
  readonly attempt: number;
  readonly pid: number;
  readonly at: number;
}

/** What the scripted backends of all processes wrote down. */
export function readJournal(path: string): JournalLine[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalLine);
}

/** The processes that ever ran a task, in the order of its attempts. */
export function ranBy(journal: string, taskId: string): number[] {
  return readJournal(journal)
    .filter((line) => line.event === 'start' && line.taskId === taskId)
    .map(({ pid }) => pid);
}
