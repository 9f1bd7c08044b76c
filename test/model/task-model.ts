import type { TaskRef } from '../../src/store/task-ref.js';
import { About } from './about.js';
import { keptEntry, type ModelTask, type World, TENANT } from './world.js';

export type Reply = readonly unknown[];

/** What the bench is set to; times in ms. */
export const SET = {
  ttl: 24 * 3_600_000,
  idle: 2 * 3_600_000,
  budget: 900_000,
  parkMs: 26 * 3_600_000,
  userQuota: 3,
  tenantQuota: 4,
  parkedQuota: 2,
  historyTurns: 3,
  keep: 3,
  fileBytes: 25,
  retainedTasks: 2,
  /** About three small tasks. */
  retainedBytes: 4_000,
} as const;

const OVER = 60_000;
const WORKING = 2;
const isParked = (state: number): boolean => state === 6 || state === 8;
const isTerminal = (state: number): boolean => state > 2 && !isParked(state);

export interface Create {
  readonly ref: TaskRef;
  readonly nonce: string;
  readonly owner: string;
  readonly ts: number;
  readonly fingerprint: string;
  readonly idempotencyKey: string | undefined;
  readonly whenBusy: 'reject' | 'queue';
}

export interface Append {
  readonly ref: TaskRef;
  readonly epoch: number;
  readonly expected: number;
  readonly events: readonly string[];
  /** Of the status in the batch, if it holds one. */
  readonly ts: number | undefined;
}

export interface Settle extends Append {
  readonly ts: number;
  readonly state: number;
  readonly snapshot: string;
  /** False: what was staged is gone. */
  readonly staged: boolean;
  readonly turn: string;
}

export interface Restart {
  readonly ref: TaskRef;
  readonly epoch: number;
  readonly found: number;
  readonly before: number;
  readonly ts: number;
  readonly snapshot: string;
  readonly staged: boolean;
  readonly event: string;
}

export interface Continue {
  readonly ref: TaskRef;
  readonly expected: number;
  readonly epoch: number;
  readonly nonce: string;
  readonly owner: string;
  readonly ts: number;
  readonly snapshot: string;
  readonly staged: boolean;
  readonly call: string;
  readonly idempotencyKey: string | undefined;
  readonly event: string;
}

/** What the scripts of tasks promise, on a world without Redis. */
export class TaskModel {
  constructor(private readonly world: World) {}

  create(args: Create): Reply {
    const { world } = this;
    const { ref, ts } = args;
    if ((world.tenantState ?? 'active') !== 'active') return [-9];
    const known = world.tasks.get(ref.taskId);
    if (known !== undefined) {
      if (known.nonce !== args.nonce) return [-13];
      const deadline = known.deadline === 0 ? 0 : new About(known.deadline);
      return [known.owner === '' ? 4 : 1, known.turn, deadline];
    }
    const used = this.usedBefore(ref.user, args.idempotencyKey, args.fingerprint);
    if (used !== undefined) return used;
    const message = world.messages.get(`${ref.user}/${ref.messageId}`);
    if (message?.fingerprint === args.fingerprint) return [2, message.id];
    const now = Date.now();
    const context = world.context(ref);
    const busy = context.running !== undefined && context.lockUntil! > now;
    if (busy && args.whenBusy === 'reject') return [-6, context.running];
    const full = this.noPlace(ref.user);
    if (full !== undefined) return full;

    context.turn = (context.turn ?? 0) + 1;
    context.updated = ts;
    const deadline = busy ? 0 : now + SET.budget;
    if (busy) context.queue.push(ref.taskId);
    // Each one before it may take its whole budget, and then it's its turn.
    const lives = SET.ttl + (busy ? context.queue.length * (SET.budget + OVER) : 0);
    const over = busy ? now + lives : deadline + OVER;
    if (!busy) Object.assign(context, { running: ref.taskId, lockUntil: over });
    world.active.set(ref.taskId, over);
    world.activeOf(ref.user).set(ref.taskId, over);
    const { fingerprint } = args;
    world.messages.set(`${ref.user}/${ref.messageId}`, { id: ref.taskId, fingerprint });
    this.useKey(ref, args.idempotencyKey, fingerprint);
    const index = world.contextIndex.get(ref.user) ?? new Map<string, number>();
    world.contextIndex.set(ref.user, index.set(ref.contextId, ts));
    const task = `{"id":"${ref.taskId}","metadata":{"n9e.seq_id":${context.turn}}}`;
    world.tasks.set(ref.taskId, {
      ref,
      state: 1,
      version: 1,
      seq: 1,
      epoch: 1,
      owner: busy ? '' : args.owner,
      attempt: 1,
      deaths: 0,
      openEffects: 0,
      created: ts,
      updated: ts,
      deadline,
      call: '{}',
      turn: context.turn,
      nonce: args.nonce,
      snapshotSeq: 1,
      snapshot: `1-1\n${task}`,
      ttlAt: now,
      expires: now + lives,
      push: false,
      log: [['1-1', `{"task":${task}}`]],
      effects: new Map(),
      files: [],
      fileBytes: 0,
      hooks: new Map(),
    });
    return [busy ? 4 : 1, context.turn, busy ? 0 : new About(deadline)];
  }

  append(args: Append): Reply {
    const { ref, epoch, expected, events, ts } = args;
    const task = this.world.tasks.get(ref.taskId);
    if (task === undefined) return [-1];
    if (task.epoch !== epoch) return [-3];
    const cancel = task.cancel ?? '';
    if (task.seq >= expected + events.length) return [1, task.seq, cancel];
    if (task.state > WORKING) return [-2, task.state];
    if (task.seq < expected) return [-5, task.seq];
    if (task.seq > expected) return [-12, task.seq];
    this.write(task, events, '-');
    const now = Date.now();
    if (ts !== undefined) {
      this.move(task, WORKING, ts);
      task.expires = now + SET.ttl;
    } else if (now - task.ttlAt > 60_000) {
      task.ttlAt = now;
      task.expires = now + SET.ttl;
    }
    this.tellHooks(task, ts ?? now);
    return [1, task.seq, cancel];
  }

  save(ref: TaskRef, epoch: number, seq: number, snapshot: string, staged: boolean): Reply {
    const task = this.world.tasks.get(ref.taskId);
    if (task === undefined) return [-1];
    if (task.epoch !== epoch) return [-3];
    if (task.state > WORKING) return [-2, task.state];
    if (task.seq < seq) return [-5, task.seq];
    if (task.snapshotSeq >= seq) return [1];
    if (!staged) return [-14];
    this.snapshot(task, seq, snapshot);
    return [1];
  }

  restartLog(args: Restart): Reply {
    const { ref, epoch, found, before } = args;
    const task = this.world.tasks.get(ref.taskId);
    if (task === undefined) return [-1];
    if (task.epoch !== epoch) return [-3];
    if (task.state > WORKING) return [-2, task.state];
    if (task.seq === before + 1) return [1, task.seq, task.cancel ?? ''];
    if (task.seq !== found || task.seq >= before) return [-5, task.seq];
    if (!args.staged) return [-14];
    task.log = [];
    task.seq = before;
    this.write(task, [args.event], '-');
    Object.assign(task, { snapshot: args.snapshot, snapshotSeq: task.seq });
    this.move(task, WORKING, args.ts);
    task.expires = Date.now() + SET.ttl;
    this.tellHooks(task, args.ts);
    return [1, task.seq, task.cancel ?? ''];
  }

  settle(args: Settle): Reply {
    const { world } = this;
    const { ref, epoch, expected, events, state } = args;
    const task = world.tasks.get(ref.taskId);
    if (task === undefined) return [-1];
    if (task.epoch !== epoch) return [-3];
    if (task.state === state && task.seq === expected + events.length) return [1, task.seq, '', ''];
    if (task.state > WORKING && (isParked(state) || !isParked(task.state))) return [-2, task.state];
    if (task.seq < expected) return [-5, task.seq];
    if (task.seq > expected) return [-12, task.seq];
    if (!args.staged) return [-14];

    const now = Date.now();
    this.write(task, events, 's');
    this.snapshot(task, task.seq, args.snapshot);
    Object.assign(task, { owner: '', expects: 'text' });
    this.move(task, state, args.ts);
    const context = world.context(ref);
    let handed = '';
    if (context.running === ref.taskId) {
      delete context.running;
      delete context.lockUntil;
      handed = context.queue.shift() ?? '';
    } else {
      context.queue = context.queue.filter((id) => id !== ref.taskId);
    }
    world.handed.delete(ref.taskId);
    if (handed !== '') {
      Object.assign(context, { running: handed, lockUntil: now + SET.ttl });
      world.handed.set(handed, now);
    }
    world.active.delete(ref.taskId);
    world.activeOf(ref.user).delete(ref.taskId);
    let evicted = '';
    task.expires = now + SET.ttl;
    if (isParked(state)) {
      task.expires += SET.parkMs;
      world.parked.set(ref.taskId, now + SET.parkMs);
      context.parked = ref.taskId;
      const parked = world.parkedOf(ref.user);
      if (parked.length > SET.parkedQuota) evicted = parked[0]!;
    } else {
      world.parked.delete(ref.taskId);
      if (context.parked === ref.taskId) delete context.parked;
      world.messages.delete(`${ref.user}/${ref.messageId}`);
      task.ended = now;
    }
    if (args.turn !== '') {
      context.history = [...context.history, args.turn].slice(-SET.historyTurns);
    }
    this.tellHooks(task, args.ts);
    return [1, task.seq, evicted, handed];
  }

  continueTask(args: Continue): Reply {
    const { world } = this;
    const { ref } = args;
    const task = world.tasks.get(ref.taskId);
    if (task === undefined) return [-1];
    if (task.nonce === args.nonce) return [1, task.seq, task.epoch, new About(task.deadline)];
    const used = this.usedBefore(ref.user, args.idempotencyKey, 'f1');
    if (used !== undefined) return used;
    if ((world.tenantState ?? 'active') !== 'active') return [-9];
    if (task.state <= WORKING) return [-11, task.state];
    if (isTerminal(task.state)) return [-2, task.state];
    if (task.epoch !== args.epoch || task.seq !== args.expected) return [-12, task.seq];
    const now = Date.now();
    const context = world.context(ref);
    const busy = context.running !== undefined && context.lockUntil! > now;
    if (busy && context.running !== ref.taskId) return [-6, context.running];
    const full = this.noPlace(ref.user);
    if (full !== undefined) return full;
    if (!args.staged) return [-14];

    const deadline = now + SET.budget;
    task.epoch += 1;
    this.write(task, [args.event], '-');
    task.snapshot = args.snapshot;
    Object.assign(task, { owner: args.owner, nonce: args.nonce, attempt: 1, deaths: 0 });
    Object.assign(task, { snapshotSeq: task.seq, openEffects: 0, expects: '', call: args.call });
    Object.assign(task, { deadline, ttlAt: now, expires: now + SET.ttl });
    this.move(task, WORKING, args.ts);
    world.parked.delete(ref.taskId);
    world.active.set(ref.taskId, deadline + OVER);
    world.activeOf(ref.user).set(ref.taskId, deadline + OVER);
    if (context.parked === ref.taskId) delete context.parked;
    Object.assign(context, { running: ref.taskId, lockUntil: deadline + OVER, updated: args.ts });
    this.useKey(ref, args.idempotencyKey, 'f1');
    this.tellHooks(task, now);
    return [1, task.seq, task.epoch, new About(deadline)];
  }

  takeOver(ref: TaskRef, epoch: number, owner: string, why: string): Reply {
    const task = this.world.tasks.get(ref.taskId);
    if (task === undefined) return [-1];
    if (isTerminal(task.state)) return [-2, task.state];
    if (task.state > WORKING && why !== 'end') return [-11, task.state];
    const again = task.epoch === epoch + 1 && task.owner === owner;
    if (!again && task.epoch !== epoch) return [-3, task.epoch];
    if (!again) {
      task.epoch += 1;
      task.owner = owner;
      task.version += 1;
      if (why !== 'end') task.attempt += 1;
      if (why === 'death') task.deaths += 1;
    }
    const head = [task.epoch, task.seq, task.state, task.cancel ?? '', task.attempt, task.deaths];
    const deadline = task.deadline === 0 ? 0 : new About(task.deadline);
    return [1, ...head, task.openEffects, deadline, new About(Date.now())];
  }

  startQueued(ref: TaskRef, epoch: number, owner: string): Reply {
    const { world } = this;
    const task = world.tasks.get(ref.taskId);
    if (task === undefined) {
      world.handed.delete(ref.taskId);
      return [-1];
    }
    if (task.epoch === epoch + 1 && task.owner === owner) {
      const deadline = task.deadline === 0 ? 0 : new About(task.deadline);
      return [1, task.epoch, task.seq, deadline];
    }
    if (task.state !== 1 || task.owner !== '') {
      world.handed.delete(ref.taskId);
      return [-2, task.state];
    }
    if (task.epoch !== epoch) return [-3, task.epoch];
    const context = world.context(ref);
    if (context.running !== ref.taskId) return [-6, context.running ?? ''];
    const deadline = Date.now() + SET.budget;
    Object.assign(task, { epoch: epoch + 1, owner, deadline });
    context.lockUntil = deadline + OVER;
    world.active.set(ref.taskId, deadline + OVER);
    world.activeOf(ref.user).set(ref.taskId, deadline + OVER);
    world.handed.delete(ref.taskId);
    return [1, task.epoch, task.seq, new About(deadline)];
  }

  markCancel(ref: TaskRef, user: string, mark: string): Reply {
    const task = this.owned(ref, user);
    if (task === undefined) return [-1];
    if (isTerminal(task.state)) return [-2, task.state];
    if (task.cancel === undefined) {
      task.cancel = mark;
      task.version += 1;
    }
    return [1, task.state, task.owner, task.epoch];
  }

  markEffect(
    ref: TaskRef,
    by: { readonly epoch: number; readonly owner: string },
    id: string,
    phase: string,
    text: string,
  ): Reply {
    const task = this.world.tasks.get(ref.taskId);
    if (task === undefined) return [-1];
    if (task.epoch !== by.epoch) return [-3];
    if (task.state > WORKING) return [-2, task.state];
    if (task.owner !== by.owner) return [-3];
    const before = task.effects.get(id)?.split(' ')[0];
    if (before === phase) return [1];
    if (before === 'outcome') return [2, task.effects.get(id)!.slice(8)];
    if (phase === 'intent' && task.cancel !== undefined) return [-15];
    if (phase === 'intent') task.openEffects += 1;
    else if (before === 'intent') task.openEffects -= 1;
    task.effects.set(id, `${phase} ${text}`);
    return [1];
  }

  /** @param there false: the bytes were not put in place. */
  keepFile(ref: TaskRef, epoch: number, line: string, bytes: number, there: boolean): Reply {
    const task = this.world.tasks.get(ref.taskId);
    if (task === undefined) return [-1];
    if (task.epoch !== epoch) return [-3];
    if (task.state > WORKING) return [-2, task.state];
    if (task.files.includes(line)) return [1];
    if (!there) return [-14];
    if (task.fileBytes + bytes > SET.fileBytes) return [-19, task.fileBytes];
    task.files.push(line);
    task.fileBytes += bytes;
    return [1];
  }

  deleteTask(ref: TaskRef, user: string, nonce: string): Reply {
    const { world } = this;
    const answer = `${ref.taskId}/${nonce}`;
    const task = world.tasks.get(ref.taskId);
    if (task === undefined) {
      const files = world.answers.get(answer);
      return files === undefined ? [-1] : [1, files];
    }
    if (task.ref.user !== user) return [-1];
    if (!isTerminal(task.state)) return [-17, task.state];
    const files = task.files.join('\n');
    world.answers.set(answer, files);
    world.tasks.delete(ref.taskId);
    world.due.delete(ref.taskId);
    return [1, files];
  }

  closeContext(ref: TaskRef, voidTask: string, nonce: string): Reply {
    const { world } = this;
    const name = `${ref.user}/${ref.contextId}`;
    const context = world.contexts.get(name);
    if (context?.turn === undefined) {
      return world.answers.has(`${ref.taskId}/${nonce}`) ? [1] : [-1];
    }
    const runs = context.running !== undefined && context.lockUntil! > Date.now();
    if (runs || context.queue.length > 0) return [-6, context.running ?? ''];
    if (context.parked !== undefined && context.parked !== voidTask) return [-18, context.parked];
    world.answers.set(`${ref.taskId}/${nonce}`, '1');
    world.contexts.delete(name);
    world.contextIndex.get(ref.user)?.delete(ref.contextId);
    return [1];
  }

  read(ref: TaskRef, user: string): Reply {
    const task = this.owned(ref, user);
    if (task === undefined) return [-1];
    const { state, seq, epoch, owner, attempt, deaths, openEffects, turn } = task;
    const head = [
      ...[task.ref.user, task.ref.contextId, `${state}`, `${seq}`, `${epoch}`, owner],
      ...[`${attempt}`, task.cancel ?? '', `${turn}`, task.expects ?? '', task.call, `${deaths}`],
      ...[`${openEffects}`, task.deadline === 0 ? '0' : new About(task.deadline)],
      ...[`${task.created}`, `${task.updated}`],
    ];
    const tail = task.log.filter(([id]) => seqOf(id) > task.snapshotSeq);
    return [1, head, task.snapshotSeq, tail.flat()];
  }

  readLog(ref: TaskRef, user: string, cursor: { seq: number; epoch: number }, most: number): Reply {
    const task = this.owned(ref, user);
    if (task === undefined) return [-1];
    const { seq, epoch, state, log } = task;
    const at = log.find(([id]) => seqOf(id) === cursor.seq)?.[0];
    const known = cursor.seq === 0 || at === `${cursor.seq}-${cursor.epoch}`;
    const next = log.filter(([id]) => seqOf(id) > cursor.seq);
    const gap = cursor.seq < seq && (next[0] === undefined || seqOf(next[0][0]) !== cursor.seq + 1);
    if (cursor.seq > seq || !known || gap) return [-4, seq, epoch, state];
    return [1, seq, epoch, state, next.slice(0, most).flat()];
  }

  /** Newest status first, equal times by id descending. */
  list(
    among: (task: ModelTask) => boolean,
    after: { readonly score: number; readonly id: string } | undefined,
    most: number,
  ): Reply {
    const all = [...this.world.tasks.values()].filter(among).sort(newestFirst);
    const rest =
      after === undefined
        ? all
        : all.filter(
            (task) =>
              task.updated < after.score ||
              (task.updated === after.score && task.ref.taskId < after.id),
          );
    const page = rest.slice(0, most).flatMap((task) => [task.ref.taskId, `${task.updated}`]);
    return [all.length, rest.length > most ? 1 : 0, page];
  }

  /**
   * The memory that a task takes is Redis' to say: taken over from there, once.
   * @param bytesOf what is stored of a task, if anything.
   */
  adoptBytes(bytesOf: (task: ModelTask) => number | undefined): void {
    for (const task of this.world.tasks.values()) {
      if (task.ended === undefined || task.bytes !== undefined) continue;
      const bytes = bytesOf(task);
      if (bytes === undefined) continue;
      task.bytes = bytes;
      const { user } = task.ref;
      const { count, sum } = this.kept(user);
      const over = count > SET.retainedTasks || sum > SET.retainedBytes;
      if (over && !this.world.full.has(user)) this.world.full.set(user, task.ended);
    }
  }

  surplus(user: string, most: number): Reply {
    let { count, sum } = this.kept(user);
    const surplus: string[] = [];
    for (const task of this.world.keptBy(user).slice(0, most)) {
      const over = count > SET.retainedTasks || sum > SET.retainedBytes;
      if (!over || count === 1) break;
      surplus.push(keptEntry(task));
      count -= 1;
      sum -= task.bytes ?? 0;
    }
    if (surplus.length === 0) this.world.full.delete(user);
    else this.world.full.set(user, Date.now() + 10_000);
    return [1, surplus];
  }

  private kept(user: string): { count: number; sum: number } {
    const tasks = this.world.keptBy(user);
    return { count: tasks.length, sum: tasks.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0) };
  }

  beat(instance: string, leaseMs: number): Reply {
    const now = Date.now();
    const { instances } = this.world;
    instances.set(instance, now);
    const dead = [...instances].filter(([, at]) => at < now - leaseMs).map(([name]) => name);
    return [new About(now), dead.sort()];
  }

  private owned(ref: TaskRef, user: string): ModelTask | undefined {
    const task = this.world.tasks.get(ref.taskId);
    return task?.ref.user === user ? task : undefined;
  }

  private usedBefore(user: string, key: string | undefined, content: string): Reply | undefined {
    const used = key === undefined ? undefined : this.world.idempotency.get(`${user}/${key}`);
    if (used === undefined) return undefined;
    return used.fingerprint === content ? [3, used.id] : [-16];
  }

  private useKey(ref: TaskRef, key: string | undefined, fingerprint: string): void {
    if (key === undefined) return;
    this.world.idempotency.set(`${ref.user}/${key}`, { id: ref.taskId, fingerprint });
  }

  /** Drops places whose time is over; then tells whether one is free. */
  private noPlace(user: string): Reply | undefined {
    const { active } = this.world;
    const own = this.world.activeOf(user);
    for (const places of [active, own]) {
      for (const [id, over] of places) if (over <= Date.now()) places.delete(id);
    }
    if (own.size >= SET.userQuota) return [-7];
    return active.size >= SET.tenantQuota ? [-8] : undefined;
  }

  private write(task: ModelTask, events: readonly string[], flags: string): void {
    const base = task.seq + 1;
    for (const event of events) {
      task.seq += 1;
      task.log.push([`${task.seq}-${task.epoch}`, event]);
    }
    this.world.told.push({
      channel: this.world.keysOf({ ...task.ref, tenant: TENANT }).channel,
      text: [`${base} ${task.epoch} ${flags}`, ...events].join('\n'),
    });
  }

  private snapshot(task: ModelTask, seq: number, text: string): void {
    task.snapshot = text;
    task.snapshotSeq = seq;
    if (seq > SET.keep) task.log = task.log.filter(([id]) => seqOf(id) >= seq - SET.keep);
  }

  private move(task: ModelTask, state: number, ts: number): void {
    task.state = state;
    task.updated = Math.max(task.updated, ts);
    task.version += 1;
  }

  private tellHooks(task: ModelTask, at: number): void {
    const { due } = this.world;
    if (task.push && !due.has(task.ref.taskId)) due.set(task.ref.taskId, at);
  }
}

export function seqOf(id: string): number {
  return Number(id.split('-')[0]);
}

function newestFirst(a: ModelTask, b: ModelTask): number {
  return b.updated - a.updated || (a.ref.taskId < b.ref.taskId ? 1 : -1);
}
