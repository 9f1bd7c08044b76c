import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Keys } from '../../src/redis/keys.js';
import { defineScripts, runScript, type ScriptReply } from '../../src/redis/scripts.js';
import { TaskKeys, type TaskRef } from '../../src/store/task-ref.js';
import { RedisServer } from './redis-server.js';

const keys = new Keys();
export const TTL_MS = 24 * 3_600_000;
const IDLE_MS = 2 * 3_600_000;

export interface CreateOverrides {
  readonly idempotencyKey?: string;
  readonly whenBusy?: 'reject' | 'queue';
  readonly generation?: number;
  readonly nonce?: string;
  readonly owner?: string;
  readonly ts?: number;
  readonly budgetMs?: number;
  readonly userQuota?: number;
  readonly tenantQuota?: number;
  readonly fingerprint?: string;
  readonly token?: string;
  readonly tokenQuota?: number;
  /** Most of the token, the user and the tenant. */
  readonly tasksADay?: readonly [number, number, number];
  readonly day?: string;
}

export interface Batch {
  readonly epoch?: number;
  readonly expected?: number;
  readonly events?: readonly string[];
  readonly ts?: number;
}

export interface SettleOverrides extends Batch {
  /** False: the subscribers hear nothing of it, as when pub/sub loses the last message. */
  readonly told?: boolean;
  readonly state?: number;
  /** '' takes what is staged. */
  readonly snapshot?: string;
  readonly turn?: string;
  readonly parkMs?: number;
  readonly parkedQuota?: number;
  readonly keep?: number;
  readonly historyTurns?: number;
  readonly retainedTasks?: number;
  readonly retainedBytes?: number;
}

export interface ContinueOverrides {
  readonly ts?: number;
  readonly call?: string;
  readonly event?: string;
  readonly idempotencyKey?: string;
  readonly epoch?: number;
  readonly expected?: number;
  readonly nonce?: string;
  readonly owner?: string;
  readonly userQuota?: number;
  readonly tenantQuota?: number;
  readonly token?: string;
  readonly tokenQuota?: number;
  readonly snapshot?: string;
}

/** Calls the scripts of lua/ by hand on a private Redis, with defaults that succeed. */
export class ScriptBench {
  private constructor(
    private readonly server: RedisServer,
    readonly redis: Redis,
  ) {}

  static async start(): Promise<ScriptBench> {
    const server = await RedisServer.start();
    const redis = new Redis(server.url);
    redis.on('error', () => undefined);
    defineScripts(redis);
    return new ScriptBench(server, redis);
  }

  get port(): number {
    return this.server.port;
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    await this.server.stop();
  }

  keysOf(ref: TaskRef): TaskKeys {
    return new TaskKeys(keys, ref);
  }

  create(ref: TaskRef, over: CreateOverrides = {}): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    const ts = over.ts ?? 1_000;
    return runScript(
      this.redis,
      'create-task',
      [
        k.meta,
        k.task,
        k.log,
        k.snapshot,
        k.context,
        k.message,
        ...k.active,
        ...k.indexes,
        k.states[0]!,
        k.idempotency(over.idempotencyKey),
        k.contexts,
        k.queue,
        k.spent(over.day ?? '2026-11-30'),
        k.holders,
      ],
      [
        ref.taskId,
        ref.user,
        ref.contextId,
        over.nonce ?? `nonce-${ref.taskId}`,
        over.owner ?? 'i1',
        ts,
        over.budgetMs ?? 900_000,
        over.userQuota ?? 64,
        over.tenantQuota ?? 1_024,
        over.fingerprint ?? 'f1',
        `{"id":"${ref.taskId}","metadata":{"n9e.seq_id":`,
        '}}',
        '{}',
        TTL_MS,
        IDLE_MS,
        over.idempotencyKey === undefined ? '' : (over.fingerprint ?? 'f1'),
        over.whenBusy ?? 'reject',
        over.generation ?? 0,
        over.token ?? '',
        over.tokenQuota ?? 0,
        ...(over.tasksADay ?? [0, 0, 0]),
      ],
    );
  }

  append(ref: TaskRef, batch: Batch = {}): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    return runScript(
      this.redis,
      'append-events',
      [k.task, k.log, k.snapshot, k.channel, k.pushDue],
      [batch.epoch ?? 1, batch.expected ?? 1, TTL_MS, ref.taskId, ...(batch.events ?? ['{"e":1}'])],
    );
  }

  status(ref: TaskRef, batch: Batch = {}): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    return runScript(
      this.redis,
      'append-status',
      [k.task, k.log, k.snapshot, k.channel, ...k.indexes, ...k.states, k.pushDue],
      [
        ...[batch.epoch ?? 1, batch.expected ?? 1, TTL_MS, ref.taskId, 2, batch.ts ?? 2_000],
        ...(batch.events ?? ['{"status":"working"}']),
      ],
    );
  }

  settle(ref: TaskRef, over: SettleOverrides = {}): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    const expected = over.expected ?? 1;
    const epoch = over.epoch ?? 1;
    const events = over.events ?? ['{"status":"end"}'];
    return runScript(
      this.redis,
      'settle-task',
      [
        ...[k.task, k.log, k.snapshot, k.stage('s'), over.told === false ? 'nobody' : k.channel],
        ...[k.context, k.history, k.message],
        ...[...k.active, ...k.parked, ...k.indexes, ...k.states, k.pushDue],
        ...[k.queue, k.handed, ...k.kept],
      ],
      [
        ...[epoch, expected, TTL_MS, ref.taskId, over.state ?? 3, over.ts ?? 3_000],
        over.snapshot ?? `${expected + events.length}-${epoch}\n{"id":"${ref.taskId}"}`,
        over.turn ?? '{"turn":1}',
        ...[over.historyTurns ?? 20, over.parkMs ?? 60_000, over.parkedQuota ?? 16, 'text'],
        ...[IDLE_MS, over.keep ?? 1_000],
        ...[over.retainedTasks ?? 10_000, over.retainedBytes ?? 67_108_864],
        ...events,
      ],
    );
  }

  continueTask(ref: TaskRef, over: ContinueOverrides = {}): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    const expected = over.expected ?? 2;
    const epoch = over.epoch ?? 1;
    return runScript(
      this.redis,
      'continue-task',
      [
        ...[k.meta, k.task, k.log, k.snapshot, k.stage('c'), k.channel, k.context],
        ...[...k.active, ...k.parked, ...k.indexes, ...k.states],
        ...[k.idempotency(over.idempotencyKey), k.pushDue, k.holders],
      ],
      [
        ...[ref.taskId, expected, epoch, over.nonce ?? 'again', over.owner ?? 'i2'],
        ...[over.ts ?? 4_000, 900_000],
        ...[over.userQuota ?? 64, over.tenantQuota ?? 1_024, TTL_MS, IDLE_MS],
        over.snapshot ?? `${expected + 1}-${epoch + 1}\n{"id":"${ref.taskId}"}`,
        ...[over.call ?? '{"call":2}', over.idempotencyKey === undefined ? '' : 'f1'],
        ...[over.token ?? '', over.tokenQuota ?? 0],
        over.event ?? '{"task":"again"}',
      ],
    );
  }

  takeOver(
    ref: TaskRef,
    over: { epoch?: number; owner?: string; why?: string } = {},
  ): Promise<ScriptReply> {
    return runScript(
      this.redis,
      'take-over-task',
      [this.keysOf(ref).task],
      [over.epoch ?? 1, over.owner ?? 'i2', over.why ?? 'death'],
    );
  }

  startQueued(ref: TaskRef, over: { epoch?: number; owner?: string } = {}): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    return runScript(
      this.redis,
      'start-queued',
      [k.task, k.context, ...k.active, k.handed],
      [ref.taskId, over.epoch ?? 1, over.owner ?? 'i2', 900_000],
    );
  }

  deleteTask(ref: TaskRef, user = ref.user, nonce = 'd'): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    return runScript(
      this.redis,
      'delete-task',
      [
        ...[k.task, k.log, k.snapshot, keys.push(ref.tenant, ref.taskId), k.pushDue],
        ...[...k.indexes, ...k.states, k.stage(nonce), ...k.kept.slice(0, 2)],
      ],
      [ref.taskId, user],
    );
  }

  findSurplus(
    ref: TaskRef,
    over: { tasks?: number; bytes?: number; ttlMs?: number; most?: number; gone?: string } = {},
  ): Promise<ScriptReply> {
    return runScript(
      this.redis,
      'find-surplus',
      [...this.keysOf(ref).kept],
      [
        ...[ref.user, over.tasks ?? 10_000, over.bytes ?? 67_108_864, over.ttlMs ?? TTL_MS],
        ...[over.most ?? 20, 10_000, over.gone ?? ''],
      ],
    );
  }

  keepFile(
    ref: TaskRef,
    over: { epoch?: number; line?: string; bytes?: number; most?: number; key?: string } = {},
  ): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    return runScript(
      this.redis,
      'keep-file',
      [k.task, over.key ?? k.file('f')],
      [over.epoch ?? 1, over.line ?? 'f 10 text%2Fplain', over.bytes ?? 10, over.most ?? 100],
    );
  }

  closeContext(ref: TaskRef, voidTask = '', nonce = 'x'): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    return runScript(
      this.redis,
      'close-context',
      [k.context, k.history, k.contexts, k.queue, k.stage(nonce)],
      [ref.contextId, voidTask],
    );
  }

  markCancel(ref: TaskRef, user = ref.user, mark = 'by user'): Promise<ScriptReply> {
    return runScript(this.redis, 'mark-cancel', [this.keysOf(ref).task], [user, mark]);
  }

  markEffect(
    ref: TaskRef,
    over: {
      epoch?: number;
      id?: string;
      phase?: string;
      text?: string;
      owner?: string;
      plan?: string;
    } = {},
  ): Promise<ScriptReply> {
    return runScript(
      this.redis,
      'mark-effect',
      [this.keysOf(ref).task],
      [
        over.epoch ?? 1,
        over.id ?? 'e1',
        over.phase ?? 'intent',
        over.text ?? 'will do',
        over.owner ?? 'i1',
        over.plan ?? '',
      ],
    );
  }

  keepLink(ref: TaskRef, over: { epoch?: number; link?: string } = {}): Promise<ScriptReply> {
    const { task, context } = this.keysOf(ref);
    const args = [over.epoch ?? 1, 'far', over.link ?? '{"contextId":"c"}'];
    return runScript(this.redis, 'keep-link', [task, context], args);
  }

  openApproval(
    ref: TaskRef,
    id: string,
    over: { epoch?: number; ms?: number; most?: number } = {},
  ): Promise<ScriptReply> {
    return runScript(this.redis, 'open-approval', this.approvalKeys(ref, id), [
      id,
      over.epoch ?? 1,
      over.ms ?? 60_000,
      over.most ?? 8,
      600_000,
      JSON.stringify({ tenant: ref.tenant, taskId: ref.taskId }),
    ]);
  }

  decideApproval(ref: TaskRef, id: string, decision: string, by = 'olga'): Promise<ScriptReply> {
    return runScript(this.redis, 'decide-approval', this.approvalKeys(ref, id), [id, decision, by]);
  }

  approvalsKey({ tenant }: TaskRef): string {
    return keys.approvals(tenant);
  }

  private approvalKeys({ tenant, taskId }: TaskRef, id: string): string[] {
    return [keys.approvals(tenant), keys.approval(tenant, id), keys.task(tenant, taskId)];
  }

  saveSnapshot(
    ref: TaskRef,
    over: { epoch?: number; seq?: number; snapshot?: string; keep?: number } = {},
  ): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    const seq = over.seq ?? 2;
    const epoch = over.epoch ?? 1;
    return runScript(
      this.redis,
      'save-snapshot',
      [k.task, k.log, k.snapshot, k.stage('p')],
      [epoch, seq, TTL_MS, over.snapshot ?? `${seq}-${epoch}\n{"id":"new"}`, over.keep ?? 1_000],
    );
  }

  restartLog(
    ref: TaskRef,
    over: {
      epoch?: number;
      found?: number;
      before?: number;
      ts?: number;
      snapshot?: string;
      event?: string;
    } = {},
  ): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    const epoch = over.epoch ?? 1;
    const before = over.before ?? 5;
    return runScript(
      this.redis,
      'restart-log',
      [
        ...[k.task, k.log, k.snapshot, k.stage('r'), k.channel],
        ...[...k.indexes, ...k.states, k.pushDue],
      ],
      [
        ...[epoch, over.found ?? 1, TTL_MS, ref.taskId, before, over.ts ?? 2_500],
        over.snapshot ?? `${before + 1}-${epoch}\n{"id":"whole"}`,
        over.event ?? '{"task":"whole"}',
      ],
    );
  }

  readTask(ref: TaskRef, user = ref.user): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    return runScript(this.redis, 'read-task', [k.task, k.log], [user]);
  }

  readLog(
    ref: TaskRef,
    cursor: { seq: number; epoch: number },
    over: { user?: string; most?: number } = {},
  ): Promise<ScriptReply> {
    const k = this.keysOf(ref);
    return runScript(
      this.redis,
      'read-log',
      [k.task, k.log],
      [over.user ?? ref.user, cursor.seq, cursor.epoch, over.most ?? 100],
    );
  }

  listTasks(
    index: string,
    over: {
      also?: string;
      since?: number | string;
      score?: number | string;
      id?: string;
      most?: number;
    } = {},
  ): Promise<ScriptReply> {
    return runScript(
      this.redis,
      'list-tasks',
      [index, over.also ?? index],
      [over.since ?? '-inf', over.score ?? '+inf', over.id ?? '', over.most ?? 50],
    );
  }

  beat(instance: string, leaseMs: number): Promise<ScriptReply> {
    return runScript(this.redis, 'beat-instance', [keys.instances()], [instance, leaseMs]);
  }

  /** Everything that Redis holds, but for times to live: what a second send must leave as it is. */
  async dump(): Promise<Record<string, unknown>> {
    const all: Record<string, unknown> = {};
    for (const key of (await this.redis.keys('*')).map(String).sort()) {
      const type = await this.redis.type(key);
      if (type === 'hash') all[key] = await this.redis.hgetall(key);
      else if (type === 'zset') {
        all[key] = await this.redis.call('ZRANGE', key, '0', '-1', 'WITHSCORES');
      } else if (type === 'stream') all[key] = await this.redis.call('XRANGE', key, '-', '+');
      else if (type === 'list') all[key] = await this.redis.lrange(key, 0, -1);
      else if (type === 'set') all[key] = (await this.redis.smembers(key)).map(String).sort();
      else all[key] = await this.redis.get(key);
    }
    return all;
  }

  /**
   * Sends a command twice, as a connection cut after execution makes ioredis do, and returns both
   * replies; fails when the second one changed anything or told the subscribers anything.
   */
  async twice(
    ref: TaskRef,
    send: () => Promise<ScriptReply>,
  ): Promise<readonly [ScriptReply, ScriptReply]> {
    const first = await send();
    const before = await this.dump();
    const told = await this.listen(ref);
    const second = await send();
    const after = await this.dump();
    const messages = await told();
    if (JSON.stringify(after) !== JSON.stringify(before)) {
      throw new Error(`the second send changed what is stored: ${difference(before, after)}`);
    }
    if (messages.length > 0) throw new Error(`the second send told: ${messages.join(' | ')}`);
    return [first, second];
  }

  /**
   * Listens to a task's channel; the function returned ends it and gives what was heard, with `now`
   * for each time that is within a minute of ours.
   */
  async listen(ref: TaskRef): Promise<() => Promise<string[]>> {
    const subscriber = this.redis.duplicate();
    const heard: string[] = [];
    subscriber.on('message', (_channel, text: string) => heard.push(withoutTime(text)));
    await subscriber.subscribe(this.keysOf(ref).channel);
    return async () => {
      await subscriber.ping();
      subscriber.disconnect();
      return heard;
    };
  }

  async logOf(ref: TaskRef): Promise<[string, string][]> {
    const entries = await this.redis.xrange(this.keysOf(ref).log, '-', '+');
    return entries.map(([id, fields]) => [id, fields[1]!]);
  }
}

function withoutTime(message: string): string {
  return message.replace(/^(\S+ \S+ \S+) (\d+)\n/, (whole, head: string, at: string) =>
    Math.abs(Date.now() - Number(at)) < 60_000 ? `${head} now\n` : whole,
  );
}

/** A task address of its own tenant, so that tests do not meet in Redis. */
export function newTask(over: Partial<TaskRef> = {}): TaskRef {
  const id = randomUUID().slice(0, 8);
  return {
    tenant: `t-${id}`,
    user: 'u1',
    taskId: `task-${id}`,
    contextId: `ctx-${id}`,
    messageId: `msg-${id}`,
    ...over,
  };
}

function difference(before: Record<string, unknown>, after: Record<string, unknown>): string {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `${name}: ${JSON.stringify(before[name])} → ${JSON.stringify(after[name])}`)
    .join('; ');
}

/** For `toEqual`: a reply that begins with these values, whatever follows. */
export function beginning(...values: readonly unknown[]): unknown {
  return {
    asymmetricMatch: (reply: unknown): boolean =>
      Array.isArray(reply) &&
      JSON.stringify(reply.slice(0, values.length)) === JSON.stringify(values),
    toString: (): string => `a reply that begins with ${JSON.stringify(values)}`,
  };
}
