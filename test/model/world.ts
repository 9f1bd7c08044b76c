import { Keys } from '../../src/redis/keys.js';
import { TaskKeys, type TaskRef } from '../../src/store/task-ref.js';
import { About, Words } from './about.js';

const keys = new Keys();
export const TENANT = 't';

export interface Hook {
  sealed: string;
  /** Cursor, `<seq>-<epoch>`, or empty before the first snapshot. */
  at: string;
  hold?: { token: string; till: number };
  fail?: { tries: number; again: number; since: number; upto: number };
}

export interface ModelTask {
  readonly ref: TaskRef;
  state: number;
  version: number;
  seq: number;
  epoch: number;
  owner: string;
  attempt: number;
  deaths: number;
  openEffects: number;
  readonly created: number;
  updated: number;
  deadline: number;
  call: string;
  readonly turn: number;
  nonce: string;
  snapshotSeq: number;
  snapshot: string;
  ttlAt: number;
  /** When its keys are gone, if nothing is written any more. */
  expires: number;
  expects?: string;
  cancel?: string;
  push: boolean;
  log: [id: string, event: string][];
  readonly effects: Map<string, string>;
  files: string[];
  fileBytes: number;
  /** When it ended, and the memory that Redis says it takes. */
  ended?: number;
  bytes?: number;
  readonly hooks: Map<string, Hook>;
}

export interface ModelContext {
  turn?: number;
  updated?: number;
  running?: string;
  lockUntil?: number;
  parked?: string;
  history: string[];
  queue: string[];
}

/** A point in time that passes: `later` brings it nearer. */
export type Times = Map<string, number>;

/** What the gateway has stored for one tenant, as the scripts' headers promise it. */
export class World {
  tenantState: string | undefined;
  tasks = new Map<string, ModelTask>();
  /** By `<user>/<context>`. */
  contexts = new Map<string, ModelContext>();
  /** By user: context id → time of its last create. */
  contextIndex = new Map<string, Map<string, number>>();
  /** By `<user>/<message>` and `<user>/<key>`. */
  messages = new Map<string, { id: string; fingerprint: string }>();
  idempotency = new Map<string, { id: string; fingerprint: string }>();
  /** Task → until when it holds its place; and the users' own. */
  active: Times = new Map();
  userActive = new Map<string, Times>();
  parked: Times = new Map();
  handed: Times = new Map();
  due: Times = new Map();
  instances: Times = new Map();
  /** Users who keep too much. */
  full: Times = new Map();
  /** Answers kept for the resend of a deletion or closing, by their key's nonce. */
  answers = new Map<string, string>();
  /** What subscribers must have heard, in order. */
  readonly told: { channel: string; text: string }[] = [];

  keysOf(ref: TaskRef): TaskKeys {
    return new TaskKeys(keys, ref);
  }

  context(ref: TaskRef): ModelContext {
    const name = `${ref.user}/${ref.contextId}`;
    const known = this.contexts.get(name);
    if (known !== undefined) return known;
    const fresh: ModelContext = { history: [], queue: [] };
    this.contexts.set(name, fresh);
    return fresh;
  }

  activeOf(user: string): Times {
    const known = this.userActive.get(user) ?? new Map<string, number>();
    this.userActive.set(user, known);
    return known;
  }

  parkedOf(user: string): string[] {
    return [...this.parked]
      .filter(([id]) => this.tasks.get(id)?.ref.user === user)
      .sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
      .map(([id]) => id);
  }

  /** Ended tasks of a user, oldest first. */
  keptBy(user: string): ModelTask[] {
    return [...this.tasks.values()]
      .filter((task) => task.ref.user === user && task.ended !== undefined)
      .sort((a, b) => a.ended! - b.ended! || (keptEntry(a) < keptEntry(b) ? -1 : 1));
  }

  /** Everything that holds a point in time of Redis' clock. */
  pass(ms: number): void {
    for (const task of this.tasks.values()) {
      if (task.deadline !== 0) task.deadline -= ms;
      task.ttlAt -= ms;
      task.expires -= ms;
      if (task.ended !== undefined) task.ended -= ms;
      for (const hook of task.hooks.values()) {
        if (hook.hold !== undefined && hook.hold.till !== 0) hook.hold.till -= ms;
        if (hook.fail !== undefined) hook.fail.again -= ms;
      }
    }
    for (const context of this.contexts.values()) {
      if (context.lockUntil !== undefined) context.lockUntil -= ms;
    }
    const sets = [this.active, this.parked, this.handed, this.due, this.instances, this.full];
    for (const times of [...sets, ...this.userActive.values()]) {
      for (const [name, at] of times) times.set(name, at - ms);
    }
    this.answers.clear();
  }

  /** As it is now, for `become`. */
  copy(): Partial<World> {
    return structuredClone(Object.fromEntries(Object.entries(this)));
  }

  /** Redis came back with what it had then; what subscribers heard stays heard. */
  become(earlier: Partial<World>): void {
    const { told, ...rest } = structuredClone(earlier);
    Object.assign(this, rest);
  }

  /** The keys that Redis must hold, with their values; files and staged snapshots left out. */
  render(): Map<string, unknown> {
    const all = new Map<string, unknown>();
    const put = (key: string, value: Record<string, unknown> | readonly unknown[]): void => {
      if (Object.keys(value).length > 0) all.set(key, value);
    };
    const add = (key: string, member: string, score: unknown): void => {
      const set = (all.get(key) ?? {}) as Record<string, unknown>;
      all.set(key, { ...set, [member]: score });
    };
    if (this.tenantState !== undefined) all.set(keys.meta(TENANT), { state: this.tenantState });
    for (const task of this.tasks.values()) {
      const k = this.keysOf(task.ref);
      const { taskId } = task.ref;
      all.set(k.task, hashOf(task));
      all.set(k.snapshot, task.snapshot);
      all.set(k.log, task.log);
      const score = String(task.updated);
      for (const index of [...k.indexes, k.states[task.state - 1]!]) add(index, taskId, score);
      if (task.hooks.size > 0) all.set(keys.push(TENANT, taskId), hooksOf(task));
    }
    for (const [name, context] of this.contexts) {
      const [user = '', contextId = ''] = name.split('/');
      put(keys.context(TENANT, user, contextId), contextHash(context));
      put(keys.history(TENANT, user, contextId), context.history);
      put(keys.queue(TENANT, user, contextId), context.queue);
    }
    for (const [user, index] of this.contextIndex) {
      put(keys.contexts(TENANT, user), scores(index, String));
    }
    for (const [name, { id, fingerprint }] of this.messages) {
      const [user = '', message = ''] = name.split('/');
      all.set(keys.message(TENANT, user, message), `${id} ${fingerprint}`);
    }
    for (const [name, { id, fingerprint }] of this.idempotency) {
      const [user = '', key = ''] = name.split('/');
      all.set(keys.idempotency(TENANT, user, key), `${id} ${fingerprint}`);
    }
    const about = (at: number): About => new About(at);
    put(keys.active(TENANT), scores(this.active, about));
    for (const [user, times] of this.userActive) {
      put(keys.userActive(TENANT, user), scores(times, about));
    }
    put(keys.parked(TENANT), scores(this.parked, about));
    for (const [id, at] of this.parked) {
      add(keys.userParked(TENANT, this.tasks.get(id)!.ref.user), id, about(at));
    }
    for (const task of this.tasks.values()) {
      if (task.ended === undefined) continue;
      const { user } = task.ref;
      const sum = this.keptBy(user).reduce((bytes, one) => bytes + (one.bytes ?? 0), 0);
      add(keys.kept(TENANT, user), keptEntry(task), about(task.ended));
      all.set(keys.keptBytes(TENANT, user), String(sum));
    }
    put(keys.full(TENANT), scores(this.full, about));
    put(keys.handed(TENANT), scores(this.handed, about));
    put(keys.pushDue(TENANT), scores(this.due, about));
    put(keys.instances(), scores(this.instances, about));
    return all;
  }
}

/** As a user's list of kept tasks names it. */
export function keptEntry({ bytes, ref }: ModelTask): string {
  return `${bytes ?? 0} ${ref.taskId}`;
}

function scores(
  times: ReadonlyMap<string, number>,
  as: (at: number) => unknown,
): Record<string, unknown> {
  return Object.fromEntries([...times].map(([name, at]) => [name, as(at)]));
}

function hashOf(task: ModelTask): Record<string, unknown> {
  const { ref } = task;
  return {
    user: ref.user,
    context_id: ref.contextId,
    state: String(task.state),
    version: String(task.version),
    seq: String(task.seq),
    epoch: String(task.epoch),
    owner: task.owner,
    attempt: String(task.attempt),
    deaths: String(task.deaths),
    open_effects: String(task.openEffects),
    created: String(task.created),
    updated: String(task.updated),
    deadline: task.deadline === 0 ? '0' : new About(task.deadline),
    call: task.call,
    turn: String(task.turn),
    nonce: task.nonce,
    snapshot_seq: String(task.snapshotSeq),
    ttl_at: new About(task.ttlAt),
    ...(task.expects === undefined ? {} : { expects: task.expects }),
    ...(task.cancel === undefined ? {} : { cancel: task.cancel }),
    ...(task.bytes === undefined ? {} : { bytes: String(task.bytes) }),
    ...(task.push ? { push: '1' } : {}),
    ...(task.files.length === 0
      ? {}
      : { files: task.files.join('\n'), file_bytes: String(task.fileBytes) }),
    ...Object.fromEntries([...task.effects].map(([id, text]) => [`effect:${id}`, text])),
  };
}

function hooksOf(task: ModelTask): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [id, { sealed, at, hold, fail }] of task.hooks) {
    fields[`hook:${id}`] = sealed;
    fields[`at:${id}`] = at;
    if (hold !== undefined) {
      fields[`hold:${id}`] = new Words([hold.token, hold.till === 0 ? '0' : hold.till]);
    }
    if (fail !== undefined) {
      const { tries, again, since, upto } = fail;
      fields[`fail:${id}`] = new Words([`${tries}`, again, `${since}`, `${upto}`]);
    }
  }
  return fields;
}

function contextHash(context: ModelContext): Record<string, unknown> {
  return {
    ...(context.turn === undefined ? {} : { turn: String(context.turn) }),
    ...(context.updated === undefined ? {} : { updated: String(context.updated) }),
    ...(context.running === undefined ? {} : { running: context.running }),
    ...(context.lockUntil === undefined ? {} : { lock_until: new About(context.lockUntil) }),
    ...(context.parked === undefined ? {} : { parked: context.parked }),
  };
}
