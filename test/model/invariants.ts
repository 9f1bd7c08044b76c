import { Keys } from '../../src/redis/keys.js';
import type { RawKey, RawState } from './raw-state.js';
import { seqOf, SET } from './task-model.js';
import { TENANT } from './world.js';

const keys = new Keys();
const SLACK_MS = 90_000;

interface RawTask {
  readonly id: string;
  readonly hash: Readonly<Record<string, string>>;
  readonly log: readonly (readonly [string, string])[];
  readonly snapshot: string;
}

type Fault = string;

const isParked = (state: number): boolean => state === 6 || state === 8;
const isTerminal = (state: number): boolean => state > 2 && !isParked(state);

/** The state that Redis is in, read without the model. */
class Reading {
  readonly tasks: readonly RawTask[];
  private readonly faults: Fault[] = [];

  constructor(private readonly raw: RawState) {
    this.tasks = [...raw.keys()].flatMap((key) => {
      const id = /:task:([^:]+)$/.exec(key)?.[1];
      if (id === undefined) return [];
      const log = raw.get(keys.log(TENANT, id))?.value ?? [];
      const snapshot = raw.get(keys.snapshot(TENANT, id))?.value ?? '';
      const hash = this.hash(key);
      return [{ id, hash, log: log as RawTask['log'], snapshot: snapshot as string }];
    });
  }

  get(key: string): RawKey | undefined {
    return this.raw.get(key);
  }

  keysLike(pattern: RegExp): string[] {
    return [...this.raw.keys()].filter((key) => pattern.test(key));
  }

  hash(key: string): Readonly<Record<string, string>> {
    return (this.raw.get(key)?.value ?? {}) as Record<string, string>;
  }

  members(key: string): string[] {
    return Object.keys(this.hash(key));
  }

  list(key: string): readonly string[] {
    return (this.raw.get(key)?.value ?? []) as string[];
  }

  /** ms left; a key that is not there has none. */
  left(key: string): number {
    const pttl = this.raw.get(key)?.pttl;
    if (pttl === undefined) return 0;
    return pttl < 0 ? Number.POSITIVE_INFINITY : pttl;
  }

  check(holds: boolean, fault: () => Fault): void {
    if (!holds) this.faults.push(fault());
  }

  get found(): readonly Fault[] {
    return this.faults;
  }
}

/**
 * What must hold of Redis at any moment (design 4.3), whatever was sent. Knows nothing of the model,
 * so that a fault that both share is found as well.
 */
export function faultsOf(raw: RawState): readonly Fault[] {
  const at = new Reading(raw);
  for (const task of at.tasks) {
    checkLog(at, task);
    checkPlaces(at, task);
    checkWebhooks(at, task);
    checkLifetime(at, task);
  }
  checkSets(at);
  checkKept(at);
  checkContexts(at);
  checkKeysEnd(at);
  return at.found;
}

/** What no step may do between two moments. */
export function faultsBetween(
  before: RawState,
  after: RawState,
  fence: { readonly taskId: string; readonly epoch: number } | undefined,
): readonly Fault[] {
  const [was, is] = [new Reading(before), new Reading(after)];
  const faults: Fault[] = [];
  for (const task of was.tasks) {
    const now = is.tasks.find(({ id }) => id === task.id);
    if (now === undefined) {
      if (!isTerminal(Number(task.hash['state']))) faults.push(`${task.id} vanished while it ran`);
      continue;
    }
    const changed = JSON.stringify(bare(task)) !== JSON.stringify(bare(now));
    if (changed && isTerminal(Number(task.hash['state']))) {
      faults.push(`1: ${task.id} is terminal and was changed`);
    }
    const stale = fence?.taskId === task.id && fence.epoch !== Number(task.hash['epoch']);
    if (changed && stale) faults.push(`2: ${task.id} was written under a stale epoch`);
    for (const field of ['epoch', 'seq', 'snapshot_seq', 'updated', 'version'] as const) {
      if (Number(now.hash[field]) < Number(task.hash[field])) {
        faults.push(`${task.id}: ${field} went back`);
      }
    }
    const added = now.log.filter(([id]) => seqOf(id) > Number(task.hash['seq']));
    if (added.some(([id]) => id.split('-')[1] !== now.hash['epoch'])) {
      faults.push(`2: ${task.id} got an event of another epoch`);
    }
  }
  return faults;
}

/** A task without what a webhook may still change on it. */
function bare({ hash, log, snapshot }: RawTask): unknown {
  const { push, ...rest } = hash;
  return { rest, log, snapshot };
}

function checkLog(at: Reading, { id, hash, log, snapshot }: RawTask): void {
  const seq = Number(hash['seq']);
  const folded = Number(hash['snapshot_seq']);
  const seqs = log.map(([entry]) => seqOf(entry));
  const epochs = log.map(([entry]) => Number(entry.split('-')[1]));
  const first = seqs[0] ?? Number.NaN;
  at.check(seqs.at(-1) === seq, () => `5: the log of ${id} does not end at its head`);
  at.check(
    seqs.every((one, index) => one === first + index),
    () => `5: the log of ${id} has a gap`,
  );
  at.check(
    epochs.every((one, index) => one >= (epochs[index - 1] ?? 1)),
    () => `2: the log of ${id} holds an older epoch after a newer one`,
  );
  at.check((epochs.at(-1) ?? 0) <= Number(hash['epoch']), () => `2: ${id} is behind its own log`);
  at.check(folded <= seq, () => `6: the snapshot of ${id} is ahead of the log`);
  at.check(snapshot.startsWith(`${folded}-`), () => `6: ${id} names another snapshot than it has`);
  at.check(first <= folded + 1, () => `6: the log of ${id} is trimmed above its snapshot`);
  // One that was started over begins with the whole task.
  const isWhole = log[0]?.[1].startsWith('{"task":') === true;
  at.check(
    isWhole || first <= Math.max(1, folded - SET.keep),
    () => `6: the log of ${id} keeps too little for resumes`,
  );
}

/** The state of a task and its place in every set and index are one thing. */
function checkPlaces(at: Reading, { id, hash }: RawTask): void {
  const { user = '', context_id: contextId = '', updated } = hash;
  const state = Number(hash['state']);
  const runs = state <= 2;
  const score = (key: string): string | undefined => at.hash(key)[id];
  const indexes = [
    keys.tenantTasks(TENANT),
    keys.userTasks(TENANT, user),
    keys.contextTasks(TENANT, user, contextId),
  ];
  keys.userStates(TENANT, user).forEach((index, i) => {
    const expected = i + 1 === state ? updated : undefined;
    at.check(score(index) === expected, () => `1: ${id} in ${state} stands wrong in ${index}`);
  });
  for (const index of indexes) {
    at.check(score(index) === updated, () => `1: ${id} stands wrong in ${index}`);
  }
  const active = [keys.active(TENANT), keys.userActive(TENANT, user)];
  for (const set of active) {
    at.check(runs || score(set) === undefined, () => `1: ${id} does not run but is in ${set}`);
    const over = score(set);
    const since = hash['owner'] === '' || hash['deadline'] === '0' ? undefined : hash['deadline'];
    at.check(
      over === undefined || since === undefined || Number(over) >= Number(since),
      () => `${id} loses its place in ${set} before its deadline`,
    );
  }
  for (const set of [keys.parked(TENANT), keys.userParked(TENANT, user)]) {
    at.check(isParked(state) === (score(set) !== undefined), () => `1: ${id} and ${set} disagree`);
  }
  at.check(
    runs || hash['owner'] === '' || isParked(state),
    () => `1: ${id} has ended and still has an owner`,
  );
  const open = Object.entries(hash).filter(
    ([field, value]) => field.startsWith('effect:') && value.startsWith('intent '),
  );
  at.check(Number(hash['open_effects']) <= open.length, () => `2: ${id} counts intents it has not`);
}

/** What is new for a webhook is due, or will be: nothing is forgotten. */
function checkWebhooks(at: Reading, { id, hash }: RawTask): void {
  const hooks = at.hash(keys.push(TENANT, id));
  const due = at.hash(keys.pushDue(TENANT));
  const names = Object.keys(hooks).flatMap((field) => /^hook:(.*)$/.exec(field)?.[1] ?? []);
  at.check(names.length > 0 === (hash['push'] === '1'), () => `${id}: its mark for webhooks lies`);
  for (const name of names) {
    const told = hooks[`at:${name}`]?.split('-')[0] === hash['seq'];
    at.check(
      told || due[id] !== undefined || due[`${id} ${name}`] !== undefined,
      () => `webhook ${name} of ${id} is behind and not due`,
    );
  }
  const left = [...Object.keys(hooks)].filter((field) => !names.includes(field.split(':')[1]!));
  at.check(left.length === 0, () => `${id} keeps ${left.join(', ')} of no webhook`);
}

/** Nothing of a task vanishes before it, and no index forgets it before it is gone. */
function checkLifetime(at: Reading, { id, hash }: RawTask): void {
  const { user = '', context_id: contextId = '' } = hash;
  const left = at.left(keys.task(TENANT, id));
  const outlive = [
    keys.log(TENANT, id),
    keys.snapshot(TENANT, id),
    keys.tenantTasks(TENANT),
    keys.userTasks(TENANT, user),
    keys.contextTasks(TENANT, user, contextId),
    keys.userStates(TENANT, user)[Number(hash['state']) - 1]!,
  ];
  for (const key of outlive) {
    at.check(at.left(key) > left - SLACK_MS, () => `${key} is gone before ${id}`);
  }
  // One that waits, or has waited until now, lives for its turn as well.
  const waits = hash['state'] === '1';
  const most =
    SET.ttl +
    (isParked(Number(hash['state'])) ? SET.parkMs : 0) +
    (waits ? SET.tenantQuota * (SET.budget + 60_000) : 0);
  at.check(left <= most, () => `${id} is kept too long`);
}

function checkSets(at: Reading): void {
  const ids = new Set(at.tasks.map(({ id }) => id));
  const lists = at.keysLike(/:(tasks|ctxtasks|active|parked)(:|$)/);
  for (const key of lists) {
    const strays = at.members(key).filter((id) => !ids.has(id));
    at.check(strays.length === 0, () => `${key} holds ${strays.join(', ')}, which do not exist`);
  }
  for (const name of ['active', 'parked'] as const) {
    const all = at.members(keys[name](TENANT)).sort();
    const users = at.keysLike(new RegExp(`:${name}:`)).flatMap((key) => at.members(key));
    // The tenant's is pruned with every create, a user's with the user's own.
    at.check(
      all.every((id) => users.includes(id)),
      () => `the ${name} of the tenant are not among those of its users`,
    );
    for (const key of at.keysLike(new RegExp(`:${name}(:|$)`))) {
      const last = Math.max(...Object.values(at.hash(key)).map(Number)) - Date.now();
      at.check(at.left(key) > last - SLACK_MS, () => `${key} is gone before what it holds`);
    }
  }
  for (const key of at.keysLike(/:active:/)) {
    const now = Object.values(at.hash(key)).filter((over) => Number(over) > Date.now());
    at.check(now.length <= SET.userQuota, () => `${key} holds more than the quota`);
  }
}

/** A user's list of ended tasks is exactly that, and its sum is theirs. */
function checkKept(at: Reading): void {
  for (const key of at.keysLike(/:kept:/)) {
    const user = key.slice(key.lastIndexOf(':') + 1);
    const ended = at.tasks.filter(
      ({ hash }) => hash['user'] === user && isTerminal(Number(hash['state'])),
    );
    const entries = ended.map(({ id, hash }) => `${hash['bytes'] ?? ''} ${id}`).sort();
    at.check(
      JSON.stringify(at.members(key).sort()) === JSON.stringify(entries),
      () => `${key} holds ${at.members(key).join(', ')}, not ${entries.join(', ')}`,
    );
    const sum = ended.reduce((bytes, { hash }) => bytes + Number(hash['bytes']), 0);
    at.check(at.get(keys.keptBytes(TENANT, user))?.value === String(sum), () => `${key}: no sum`);
    for (const { id, hash, log, snapshot } of ended) {
      const least = Number(hash['file_bytes'] ?? 0) + snapshot.length + log.length * 8;
      const bytes = Number(hash['bytes']);
      at.check(bytes > least && bytes < least + 8192, () => `${id} counts as ${bytes} bytes`);
      at.check(at.left(key) > at.left(keys.task(TENANT, id)), () => `${key} is gone before ${id}`);
    }
  }
}

function checkContexts(at: Reading): void {
  const byId = new Map(at.tasks.map((task) => [task.id, task]));
  for (const key of at.keysLike(/:ctx:/)) {
    const { running, lock_until: until, parked } = at.hash(key);
    const queue = at.list(key.replace(':ctx:', ':queue:'));
    const holder = running === undefined ? undefined : byId.get(running);
    const isHeld = Number(until ?? 0) > Date.now();
    at.check((running === undefined) === (until === undefined), () => `${key}: half a lock`);
    at.check(
      running === undefined || (holder !== undefined && Number(holder.hash['state']) <= 2),
      () => `${key} is locked by ${running ?? ''}, which does not run`,
    );
    at.check(
      !isHeld || at.left(key) > Number(until) - Date.now() - SLACK_MS,
      () => `${key} is gone before its lock`,
    );
    at.check(
      parked === undefined || isParked(Number(byId.get(parked)?.hash['state'])),
      () => `${key} asks for ${parked ?? ''}, which does not wait`,
    );
    const open = at.hash(keys.parked(TENANT))[parked ?? ''];
    at.check(
      open === undefined || at.left(key) > Number(open) - Date.now() - SLACK_MS,
      () => `${key} is gone before its question`,
    );
    at.check(
      queue.every((id) => byId.get(id)?.hash['state'] === '1'),
      () => `${key} queues a task that does not wait: ${queue.join(', ')}`,
    );
    at.check(queue.length === 0 || running !== undefined, () => `${key}: nobody ends the queue`);
  }
  for (const id of at.members(keys.handed(TENANT))) {
    const task = byId.get(id);
    const { user = '', context_id: contextId = '' } = task?.hash ?? {};
    const context = at.hash(keys.context(TENANT, user, contextId));
    at.check(
      task === undefined || task.hash['state'] === '1',
      () => `${id} is handed a lock and does not wait`,
    );
    at.check(
      task === undefined || context['running'] === id || context['running'] === undefined,
      () => `${id} was handed a lock that ${context['running'] ?? ''} has`,
    );
  }
}

/** Only what names a tenant, an instance or work to do stays for ever. */
function checkKeysEnd(at: Reading): void {
  for (const key of at.keysLike(/./)) {
    const stays = /:(meta|handed|push-due|full)$|instances$/.test(key);
    at.check(stays || Number.isFinite(at.left(key)), () => `${key} would stay for ever`);
    const most = /:stage:/.test(key) ? 60_000 : Number.POSITIVE_INFINITY;
    at.check(at.left(key) <= most || stays, () => `${key} stays too long`);
  }
}
