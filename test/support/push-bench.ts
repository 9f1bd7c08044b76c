import { Keys } from '../../src/redis/keys.js';
import { asList, runScript, type ScriptName, type ScriptReply } from '../../src/redis/scripts.js';
import type { TaskRef } from '../../src/store/task-ref.js';
import type { ScriptBench } from './script-bench.js';

const keys = new Keys();

export interface ReportOverrides {
  readonly what?: 'sent' | 'failed' | 'left' | 'dropped';
  readonly cursor?: string;
  readonly at?: number;
  readonly tries?: number;
  readonly since?: number;
  readonly frozen?: number;
}

/** The scripts of webhooks by hand, with defaults that succeed. */
export class PushBench {
  constructor(private readonly bench: ScriptBench) {}

  set(
    ref: TaskRef,
    hook = 'h',
    over: { user?: string; sealed?: string; cursor?: string; most?: number } = {},
  ): Promise<ScriptReply> {
    return this.run('set-push', ref, [
      ...[over.user ?? ref.user, ref.taskId, hook, over.sealed ?? `sealed-${hook}`],
      ...[over.cursor ?? '', over.most ?? 10],
    ]);
  }

  read(ref: TaskRef, user = ref.user): Promise<ScriptReply> {
    return this.run('read-push', ref, [user], 2);
  }

  remove(ref: TaskRef, hook = 'h', user = ref.user): Promise<ScriptReply> {
    return this.run('remove-push', ref, [user, ref.taskId, hook]);
  }

  claim(ref: TaskRef, hook = 'h', token = 'c1', holdMs = 60_000): Promise<ScriptReply> {
    return this.run('claim-push', ref, [ref.taskId, hook, token, holdMs]);
  }

  report(ref: TaskRef, over: ReportOverrides = {}, hook = 'h', token = 'c1'): Promise<ScriptReply> {
    return this.run('report-push', ref, [
      ...[ref.taskId, hook, token, over.what ?? 'sent', over.cursor ?? '1-1'],
      ...[over.at ?? 9e12, over.tries ?? 0, over.since ?? 0, over.frozen ?? 0],
    ]);
  }

  /** What is due, entry and time. */
  async due(ref: TaskRef): Promise<Record<string, number>> {
    const key = keys.pushDue(ref.tenant);
    const flat = await this.bench.redis.call('ZRANGE', key, '0', '-1', 'WITHSCORES');
    const pairs = (flat as unknown[]).flat().map(String);
    return Object.fromEntries(
      pairs.flatMap((entry, at) => (at % 2 === 0 ? [[entry, Number(pairs[at + 1])]] : [])),
    );
  }

  async fields(ref: TaskRef): Promise<Record<string, string>> {
    return this.bench.redis.hgetall(keys.push(ref.tenant, ref.taskId));
  }

  /** Whether the task's writes mark it as due. */
  async marked(ref: TaskRef): Promise<boolean> {
    return (await this.bench.redis.hexists(keys.task(ref.tenant, ref.taskId), 'push')) === 1;
  }

  ttl(ref: TaskRef): Promise<number> {
    return this.bench.redis.pttl(keys.push(ref.tenant, ref.taskId));
  }

  private run(
    name: ScriptName,
    ref: TaskRef,
    args: readonly (string | number)[],
    count = 3,
  ): Promise<ScriptReply> {
    const all = [
      keys.task(ref.tenant, ref.taskId),
      keys.push(ref.tenant, ref.taskId),
      keys.pushDue(ref.tenant),
    ];
    return runScript(this.bench.redis, name, all.slice(0, count), args);
  }
}

/** Webhook ids of a read-push answer. */
export function hookIds(reply: ScriptReply): string[] {
  return asList(asList(reply)[1])
    .map(String)
    .filter((_entry, at) => at % 2 === 0)
    .sort();
}
