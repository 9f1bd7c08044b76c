import { Keys } from '../../src/redis/keys.js';
import { type ScriptReply } from '../../src/redis/scripts.js';
import type { TaskRef } from '../../src/store/task-ref.js';
import { PushBench } from '../support/push-bench.js';
import type { ScriptBench } from '../support/script-bench.js';
import { MOST_HOOKS, PushModel, type Report } from './push-model.js';
import { backup, type Backup, passTime, type RawState, restore } from './raw-state.js';
import type { Step } from './steps.js';
import { type Reply, SET, TaskModel } from './task-model.js';
import { TENANT, World, type ModelTask } from './world.js';

const keys = new Keys();
const isParked = (state: number): boolean => state === 6 || state === 8;
const MINUTE = 60_000;
/** Within it no key of an interleaving expires by itself. */
const MOST_TIME = 90 * MINUTE;

/** One call of a script, as often as wanted, with what the model says to it. */
export interface Call {
  readonly text: string;
  readonly expected: () => Reply;
  readonly send: () => Promise<ScriptReply>;
  /** Of a write of a run: the task and the epoch that it carries. */
  readonly fence?: { readonly taskId: string; readonly epoch: number };
  /** What the instance then believes of the task. */
  readonly learn?: (reply: Reply) => void;
  /** It changes nothing: not sent twice, never repeated. */
  readonly isRead?: boolean;
  /** Redis forgets: what was stored goes back. */
  readonly isLoss?: boolean;
  /** The task that it creates: ids are random, so one that was deleted never comes again. */
  readonly creates?: string;
  /** It removes what it is about: sent again, it finds nothing. */
  readonly removes?: boolean;
}

/** What an instance last saw of a task. */
interface Seen {
  readonly epoch: number;
  readonly seq: number;
}

/** A task that an instance believes to own. */
interface Owned extends Seen {
  /** It was taken only to be settled. */
  readonly toEnd: boolean;
}

/** Turns steps into calls: several instances, each acting on what it last saw of a task. */
export class Driver {
  readonly world = new World();
  private readonly tasks = new TaskModel(this.world);
  private readonly hooks = new PushModel(this.world);
  private readonly push: PushBench;
  private readonly refs: TaskRef[] = [];
  /** By task, then by instance. Those who lost a task without knowing stay in it. */
  private readonly owned = new Map<string, Map<number, Owned>>();
  private readonly seen = new Map<string, Seen>();
  private readonly began = Date.now();
  private readonly past: Call[] = [];
  private readonly deleted = new Set<string>();
  private replica: { world: Partial<World>; raw: Backup | undefined } | undefined;
  private count = 0;
  private passed = 0;

  constructor(
    private readonly bench: ScriptBench,
    /** How many users send tasks: one meets a user's limits, two the tenant's. */
    private readonly users: number,
  ) {
    this.push = new PushBench(bench);
  }

  /** @returns undefined when there is nothing that the step could mean now. */
  callOf(step: Step): Call | undefined {
    this.count += 1;
    const call = this.make(step);
    const isNew = call !== undefined && call.isRead !== true && step.op !== 'repeat';
    if (isNew) this.past.push(call);
    return call;
  }

  /** What only Redis can tell becomes part of the model. */
  adopt(raw: RawState): void {
    this.tasks.adoptBytes(({ ref }) => {
      const hash = raw.get(this.bench.keysOf(ref).task)?.value as
        Record<string, string> | undefined;
      return hash?.['bytes'] === undefined ? undefined : Number(hash['bytes']);
    });
  }

  private make(step: Step): Call | undefined {
    const { op, n } = step;
    switch (op) {
      case 'create':
        return this.create(step);
      case 'later':
        return this.later(n % 2 === 0 ? 20 * MINUTE : 3 * MINUTE);
      case 'suspend':
        return this.suspend(n % 3 === 0 ? 'suspended' : 'active');
      case 'beat':
        return this.beat(`i${step.by}`, n % 2 === 0 ? MINUTE : 5 * MINUTE);
      case 'list':
        return this.list(step);
      case 'checkpoint':
        return this.checkpoint();
      case 'lose':
        return this.lose();
      case 'surplus':
        return this.surplus(`u${step.at % 2}`, 1 + (n % 3));
      case 'repeat': {
        const call = this.past[this.past.length - 1 - (step.at % 4)];
        return call?.creates !== undefined && this.deleted.has(call.creates) ? undefined : call;
      }
      default: {
        const fit = step.odd ? [] : this.refs.filter((ref) => this.fits(op, ref));
        const among = fit.length > 0 ? fit : this.refs;
        const ref = among[step.at % Math.max(1, among.length)];
        return ref === undefined ? undefined : this.ofTask(op, step, ref);
      }
    }
  }

  /** The tasks for which a step is meant; now and then it meets another. */
  private fits(op: Step['op'], { taskId }: TaskRef): boolean {
    const task = this.world.tasks.get(taskId);
    if (task === undefined) return false;
    switch (op) {
      case 'continue':
        return isParked(task.state);
      case 'startQueued':
        return this.world.handed.has(taskId);
      case 'delete':
        return task.state > 2 && !isParked(task.state);
      case 'claim':
        return [...this.world.due.keys()].some((entry) => entry.split(' ')[0] === taskId);
      case 'report':
        return [...task.hooks.values()].some(({ hold }) => hold !== undefined);
      case 'restart':
        return this.ahead(taskId) !== undefined;
      case 'append':
      case 'status':
      case 'save':
      case 'effect':
      case 'file':
      case 'settle':
        return this.owned.has(taskId) && task.state <= 2;
      default:
        return true;
    }
  }

  private ofTask(
    op: Exclude<
      Step['op'],
      | 'create'
      | 'later'
      | 'suspend'
      | 'beat'
      | 'list'
      | 'surplus'
      | 'repeat'
      | 'checkpoint'
      | 'lose'
    >,
    step: Step,
    ref: TaskRef,
  ): Call | undefined {
    const { n, odd } = step;
    const user = odd ? `u${ref.user === 'u0' ? 1 : 0}` : ref.user;
    switch (op) {
      case 'append':
      case 'status':
        return this.append(op, step, ref);
      case 'settle':
        return this.settle(step, ref);
      case 'save':
        return this.save(step, ref);
      case 'restart':
        return this.restart(step, ref);
      case 'continue':
        return this.continue(step, ref);
      case 'takeOver':
        return this.takeOver(step, ref);
      case 'startQueued':
        return this.startQueued(step, ref);
      case 'cancel':
        return {
          text: `mark-cancel ${ref.taskId} by ${user}`,
          expected: () => this.tasks.markCancel(ref, user, `mark-${n}`),
          send: () => this.bench.markCancel(ref, user, `mark-${n}`),
        };
      case 'effect':
        return this.effect(step, ref);
      case 'file':
        return this.file(step, ref);
      case 'delete':
        return {
          text: `delete-task ${ref.taskId} by ${user}`,
          expected: () => this.tasks.deleteTask(ref, user, 'd'),
          send: () => this.bench.deleteTask(ref, user, 'd'),
          learn: ([code]) => {
            if (code === 1) this.deleted.add(ref.taskId);
          },
        };
      case 'close': {
        const context = this.world.context(ref);
        const voidTask = odd ? (context.parked ?? '') : '';
        return {
          text: `close-context ${ref.user}/${ref.contextId} void '${voidTask}'`,
          expected: () => this.tasks.closeContext(ref, voidTask, 'x'),
          send: () => this.bench.closeContext(ref, voidTask, 'x'),
        };
      }
      case 'read':
        return {
          isRead: true,
          text: `read-task ${ref.taskId} by ${user}`,
          expected: () => this.tasks.read(ref, user),
          send: () => this.bench.readTask(ref, user),
        };
      case 'readLog':
        return this.readLog(step, ref, user);
      case 'setHook':
      case 'removeHook':
      case 'readHooks':
      case 'claim':
      case 'report':
        return this.webhook(op, step, ref, user);
    }
  }

  private create(step: Step): Call {
    const { n, odd, at } = step;
    const alive = this.refs.filter(({ taskId }) => !this.deleted.has(taskId));
    const again = odd ? alive[at % Math.max(1, alive.length)] : undefined;
    const ref: TaskRef = again ?? {
      tenant: TENANT,
      user: `u${at % this.users}`,
      taskId: `t${this.refs.length}`,
      contextId: `c${n % 2}`,
      messageId: `m${n % 5}`,
    };
    if (again === undefined) this.refs.push(ref);
    const args = {
      ref,
      nonce: `n${this.count}`,
      owner: `i${step.by}`,
      ts: this.ts(step),
      fingerprint: `f${n % 3 === 0 ? 0 : 1}`,
      idempotencyKey: n % 4 === 0 ? `k${at % 2}` : undefined,
      whenBusy: n % 2 === 0 ? 'queue' : 'reject',
    } as const;
    const { idempotencyKey, ...over } = args;
    return {
      creates: ref.taskId,
      text: `create-task ${JSON.stringify(args)}`,
      expected: () => this.tasks.create(args),
      send: () =>
        this.bench.create(ref, {
          ...over,
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
          userQuota: SET.userQuota,
          tenantQuota: SET.tenantQuota,
        }),
      learn: ([code]) => {
        if (code === 1) this.own(step.by, ref, { epoch: 1, seq: 1, toEnd: false });
      },
    };
  }

  private append(op: 'append' | 'status', step: Step, ref: TaskRef): Call | undefined {
    const run = this.runOf(step, ref);
    if (run === undefined || run.toEnd) return undefined;
    const { epoch, seq, by } = run;
    // A log that came back shorter gets again what it has lost.
    const head = this.world.tasks.get(ref.taskId)?.seq ?? seq;
    const again = head < seq && step.n % 2 === 0;
    const expected = again ? head : seq + (step.odd ? (step.n % 3) - 1 : 0);
    const events = this.events(again ? seq - head : 1 + (step.n % 3));
    const ts = op === 'status' ? this.ts(step) : undefined;
    return {
      text: `append-${op === 'append' ? 'events' : op} ${ref.taskId} epoch ${epoch} expected ${expected} ${events.join(' ')}`,
      expected: () => this.tasks.append({ ref, epoch, expected, events, ts }),
      send: () =>
        ts === undefined
          ? this.bench.append(ref, { epoch, expected, events })
          : this.bench.status(ref, { epoch, expected, events, ts }),
      fence: { taskId: ref.taskId, epoch },
      learn: ([code, head]) => {
        if (code === 1) this.own(by, ref, { epoch, seq: Number(head), toEnd: false });
      },
    };
  }

  private settle(step: Step, ref: TaskRef): Call | undefined {
    const run = this.runOf(step, ref);
    if (run === undefined) return undefined;
    const { epoch, seq: expected, by } = run;
    const state = 3 + (step.n % 6);
    const events = this.events(1 + (step.n % 2));
    const staging = step.odd ? step.n % 3 : 0;
    const body = `${expected + events.length}-${epoch}\n{"end":${this.count}}`;
    const turn = state === 6 || state === 8 ? '' : `turn-${this.count}`;
    const args = { ref, epoch, expected, events, state, turn, snapshot: body, ts: this.ts(step) };
    return {
      text: `settle-task ${ref.taskId} epoch ${epoch} expected ${expected} state ${state} staging ${staging}`,
      expected: () => this.tasks.settle({ ...args, staged: staging !== 2 }),
      send: () =>
        this.staged(ref, 's', staging, body, (snapshot) =>
          this.bench.settle(ref, {
            ...args,
            snapshot,
            parkMs: SET.parkMs,
            parkedQuota: SET.parkedQuota,
            keep: SET.keep,
            historyTurns: SET.historyTurns,
            retainedTasks: SET.retainedTasks,
            retainedBytes: SET.retainedBytes,
          }),
        ),
      fence: { taskId: ref.taskId, epoch },
      learn: ([code, head]) => {
        if (code === 1) this.own(by, ref, { ...run, seq: Number(head) });
      },
    };
  }

  private save(step: Step, ref: TaskRef): Call | undefined {
    const run = this.runOf(step, ref);
    if (run === undefined) return undefined;
    const { epoch, seq: head } = run;
    const seq = Math.max(1, head + (step.odd ? 1 - (step.n % 3) : 0));
    const staging = step.odd ? step.n % 3 : 0;
    const body = `${seq}-${epoch}\n{"snap":${this.count}}`;
    return {
      text: `save-snapshot ${ref.taskId} epoch ${epoch} seq ${seq} staging ${staging}`,
      expected: () => this.tasks.save(ref, epoch, seq, body, staging !== 2),
      send: () =>
        this.staged(ref, 'p', staging, body, (snapshot) =>
          this.bench.saveSnapshot(ref, { epoch, seq, snapshot, keep: SET.keep }),
        ),
      fence: { taskId: ref.taskId, epoch },
    };
  }

  /** The run that has seen more of the task than Redis has. */
  private ahead(taskId: string): (Owned & { by: number }) | undefined {
    const head = this.world.tasks.get(taskId)?.seq ?? 0;
    const found = [...(this.owned.get(taskId) ?? [])].find(([, run]) => run.seq > head);
    return found && { ...found[1], by: found[0] };
  }

  private restart(step: Step, ref: TaskRef): Call | undefined {
    const run = this.ahead(ref.taskId) ?? this.runOf(step, ref);
    if (run === undefined || run.toEnd) return undefined;
    const { epoch, seq: before, by } = run;
    const found = (this.world.tasks.get(ref.taskId)?.seq ?? 1) + (step.odd ? 1 : 0);
    const staging = step.n % 5 === 0 ? step.n % 3 : 0;
    const body = `${before + 1}-${epoch}\n{"whole":${this.count}}`;
    const event = `{"task":${this.count}}`;
    const args = { ref, epoch, found, before, event, ts: this.ts(step) };
    return {
      text: `restart-log ${ref.taskId} epoch ${epoch} found ${found} before ${before} staging ${staging}`,
      expected: () => this.tasks.restartLog({ ...args, snapshot: body, staged: staging !== 2 }),
      send: () =>
        this.staged(ref, 'r', staging, body, (snapshot) =>
          this.bench.restartLog(ref, { ...args, snapshot }),
        ),
      fence: { taskId: ref.taskId, epoch },
      learn: ([code, head]) => {
        if (code === 1) this.own(by, ref, { ...run, seq: Number(head) });
      },
    };
  }

  /** What a replica has, that may be promoted later. */
  private checkpoint(): Call {
    return {
      isRead: true,
      text: 'the replica is up to date',
      expected: () => {
        this.replica = { world: this.world.copy(), raw: undefined };
        return [1];
      },
      send: async () => {
        if (this.replica !== undefined) this.replica.raw = await backup(this.bench.redis);
        return [1];
      },
    };
  }

  /** Acknowledged writes are gone; those who claimed a task by one of them lose it. */
  private lose(): Call | undefined {
    const { replica } = this;
    if (replica === undefined) return undefined;
    this.replica = undefined;
    return {
      isRead: true,
      isLoss: true,
      text: 'the replica is promoted',
      expected: () => {
        this.world.become(replica.world);
        for (const [taskId, owners] of this.owned) {
          const task = this.world.tasks.get(taskId);
          for (const [by, run] of owners) {
            if (task?.epoch !== run.epoch || task.owner !== `i${by}`) owners.delete(by);
          }
        }
        this.seen.clear();
        this.past.length = 0;
        return [1];
      },
      send: async () => {
        await restore(this.bench.redis, replica.raw ?? []);
        return [1];
      },
    };
  }

  private continue(step: Step, ref: TaskRef): Call {
    const { epoch, seq: expected } = this.look(step, ref);
    const staging = step.odd ? step.n % 3 : 0;
    const body = `${expected + 1}-${epoch + 1}\n{"again":${this.count}}`;
    const args = {
      ...{ ref, epoch, expected, nonce: `n${this.count}`, owner: `i${step.by}` },
      ...{ ts: this.ts(step), call: `{"call":${this.count}}`, event: `{"task":${this.count}}` },
    };
    const idempotencyKey = step.n % 4 === 0 ? `k${step.at % 2}` : undefined;
    return {
      text: `continue-task ${ref.taskId} epoch ${epoch} expected ${expected} staging ${staging} key ${idempotencyKey ?? '-'}`,
      expected: () =>
        this.tasks.continueTask({
          ...args,
          idempotencyKey,
          snapshot: body,
          staged: staging !== 2,
        }),
      send: () =>
        this.staged(ref, 'c', staging, body, (snapshot) =>
          this.bench.continueTask(ref, {
            ...args,
            snapshot,
            userQuota: SET.userQuota,
            tenantQuota: SET.tenantQuota,
            ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
          }),
        ),
      learn: ([code, head, now]) => {
        if (code !== 1) return;
        this.own(step.by, ref, { epoch: Number(now), seq: Number(head), toEnd: false });
      },
    };
  }

  private takeOver(step: Step, ref: TaskRef): Call {
    const { epoch } = this.look(step, ref);
    const owner = `i${step.by}`;
    const why = ['death', 'handover', 'end'][step.n % 3]!;
    return {
      text: `take-over-task ${ref.taskId} epoch ${epoch} by ${owner} for ${why}`,
      expected: () => this.tasks.takeOver(ref, epoch, owner, why),
      send: () => this.bench.takeOver(ref, { epoch, owner, why }),
      learn: ([code, now, head, , , , , , deadline]) => {
        // What waits in a queue has no deadline, and may only be ended.
        const toEnd = why === 'end' || deadline === 0;
        if (code === 1) this.own(step.by, ref, { epoch: Number(now), seq: Number(head), toEnd });
      },
    };
  }

  private startQueued(step: Step, ref: TaskRef): Call {
    const { epoch } = this.look(step, ref);
    const owner = `i${step.by}`;
    return {
      text: `start-queued ${ref.taskId} epoch ${epoch} by ${owner}`,
      expected: () => this.tasks.startQueued(ref, epoch, owner),
      send: () => this.bench.startQueued(ref, { epoch, owner }),
      learn: ([code, now, head]) => {
        if (code !== 1) return;
        this.own(step.by, ref, { epoch: Number(now), seq: Number(head), toEnd: false });
      },
    };
  }

  private effect(step: Step, ref: TaskRef): Call | undefined {
    const epoch = this.runOf(step, ref)?.epoch;
    if (epoch === undefined) return undefined;
    const owner = `i${step.by}`;
    const id = `e${step.n % 2}`;
    const phase = step.n % 3 === 0 ? 'outcome' : 'intent';
    const text = `text-${this.count}`;
    return {
      text: `mark-effect ${ref.taskId} epoch ${epoch} ${id} ${phase}`,
      expected: () => this.tasks.markEffect(ref, { epoch, owner }, id, phase, text),
      send: () => this.bench.markEffect(ref, { epoch, owner, id, phase, text }),
      fence: { taskId: ref.taskId, epoch },
    };
  }

  private file(step: Step, ref: TaskRef): Call | undefined {
    const epoch = this.runOf(step, ref)?.epoch;
    if (epoch === undefined) return undefined;
    const line = `f${step.n % 4} 10 text%2Fplain`;
    const key = this.bench.keysOf(ref).file(`f${step.n % 4}`);
    const there = !step.odd;
    return {
      text: `keep-file ${ref.taskId} epoch ${epoch} ${line}`,
      expected: () => this.tasks.keepFile(ref, epoch, line, 10, there),
      send: async () => {
        if (there) await this.bench.redis.set(key, 'bytes', 'PX', SET.ttl);
        else await this.bench.redis.del(key);
        return this.bench.keepFile(ref, { epoch, line, bytes: 10, most: SET.fileBytes, key });
      },
      fence: { taskId: ref.taskId, epoch },
    };
  }

  private readLog(step: Step, ref: TaskRef, user: string): Call {
    const head = this.world.tasks.get(ref.taskId);
    const seq = Math.max(0, (head?.seq ?? 1) + 1 - (step.n % 8));
    const epoch = (head?.epoch ?? 1) - (step.by % 2);
    const most = 1 + (step.n % 5);
    return {
      isRead: true,
      text: `read-log ${ref.taskId} by ${user} after ${seq}-${epoch}, ${most}`,
      expected: () => this.tasks.readLog(ref, user, { seq, epoch }, most),
      send: () => this.bench.readLog(ref, { seq, epoch }, { user, most }),
    };
  }

  private webhook(
    op: 'setHook' | 'removeHook' | 'readHooks' | 'claim' | 'report',
    step: Step,
    ref: TaskRef,
    user: string,
  ): Call {
    const names = [...(this.world.tasks.get(ref.taskId)?.hooks.keys() ?? [])];
    const known =
      op === 'setHook' || step.odd ? undefined : names[step.n % Math.max(1, names.length)];
    const hook = known ?? `h${step.n % 3}`;
    const token = `w${step.by}`;
    switch (op) {
      case 'setHook': {
        const sealed = `sealed-${this.count}`;
        const cursor = step.n % 2 === 0 ? '0-0' : '';
        return {
          text: `set-push ${ref.taskId} ${hook} by ${user}`,
          expected: () => this.hooks.set(ref, user, hook, sealed, cursor),
          send: () => this.push.set(ref, hook, { user, sealed, cursor, most: MOST_HOOKS }),
        };
      }
      case 'removeHook':
        return {
          text: `remove-push ${ref.taskId} ${hook} by ${user}`,
          expected: () => this.hooks.remove(ref, user, hook),
          send: () => this.push.remove(ref, hook, user),
        };
      case 'readHooks':
        return {
          isRead: true,
          text: `read-push ${ref.taskId} by ${user}`,
          expected: () => this.hooks.read(ref, user),
          send: () => this.push.read(ref, user),
        };
      case 'claim': {
        const which = this.world.due.has(ref.taskId) && step.n % 2 === 0 ? '' : hook;
        return {
          text: `claim-push ${ref.taskId} '${which}' by ${token}`,
          expected: () => this.hooks.claim(ref, which, token, 5 * MINUTE),
          send: () => this.push.claim(ref, which, token, 5 * MINUTE),
        };
      }
      case 'report':
        return this.report(step, ref, hook, token);
    }
  }

  private report(step: Step, ref: TaskRef, hook: string, token: string): Call {
    const what = (['sent', 'failed', 'left', 'dropped', 'sent', 'failed'] as const)[step.n % 6]!;
    const task = this.world.tasks.get(ref.taskId);
    const cursor = step.odd || task === undefined ? '1-1' : `${task.seq}-${task.epoch}`;
    const at = Date.now() + 10 * MINUTE;
    const report: Report = { what, cursor, at, tries: step.n, since: 1_000, upto: step.n };
    return {
      text: `report-push ${ref.taskId} ${hook} by ${token} ${what} ${cursor}`,
      expected: () => this.hooks.report(ref, hook, token, report),
      send: () => this.push.report(ref, { ...report, frozen: report.upto }, hook, token),
      removes: what === 'dropped',
    };
  }

  private beat(instance: string, leaseMs: number): Call {
    return {
      text: `beat-instance ${instance} lease ${leaseMs}`,
      expected: () => this.tasks.beat(instance, leaseMs),
      send: async () => {
        const reply = (await this.bench.beat(instance, leaseMs)) as [number, string[]];
        // Those who died within a millisecond come in either order.
        return [reply[0], [...reply[1]].sort()];
      },
    };
  }

  private list(step: Step): Call {
    const user = `u${step.by % 2}`;
    const contextId = step.n % 3 === 0 ? `c${step.at % 2}` : undefined;
    const state = step.n % 2 === 0 ? 1 + (step.at % 8) : undefined;
    const among = (task: ModelTask): boolean =>
      task.ref.user === user &&
      (contextId === undefined || task.ref.contextId === contextId) &&
      (state === undefined || task.state === state);
    const most = 1 + (step.n % 3);
    const ofState = state === undefined ? undefined : keys.userStates(TENANT, user)[state - 1]!;
    const ofContext =
      contextId === undefined ? undefined : keys.contextTasks(TENANT, user, contextId);
    const index = ofContext ?? ofState ?? keys.userTasks(TENANT, user);
    const also = ofContext !== undefined && ofState !== undefined ? ofState : index;
    const tasks = [...this.world.tasks.values()].filter(among);
    const from = step.odd ? tasks[step.at % Math.max(1, tasks.length)] : undefined;
    const after = from && { score: from.updated, id: from.ref.taskId };
    return {
      isRead: true,
      text: `list-tasks of ${user} ${contextId ?? '*'} ${state ?? '*'}, ${most} after ${after?.id ?? 'the start'}`,
      expected: () => this.tasks.list(among, after, most),
      send: () => this.bench.listTasks(index, { also, most, ...after }),
    };
  }

  private surplus(user: string, most: number): Call {
    const { retainedTasks: tasks, retainedBytes: bytes } = SET;
    const ref = { tenant: TENANT, user, taskId: '', contextId: '', messageId: '' };
    return {
      text: `find-surplus of ${user}, ${most}`,
      expected: () => this.tasks.surplus(user, most),
      send: () => this.bench.findSurplus(ref, { tasks, bytes, most }),
    };
  }

  private later(ms: number): Call | undefined {
    if (this.passed + ms > MOST_TIME) return undefined;
    this.passed += ms;
    // What the replica has would have to pass time as well.
    this.replica = undefined;
    return {
      isRead: true,
      text: `${ms / MINUTE} minutes later`,
      expected: () => {
        this.world.pass(ms);
        return [1];
      },
      send: async () => {
        await passTime(this.bench.redis, ms);
        return [1];
      },
    };
  }

  private suspend(state: string): Call {
    return {
      isRead: true,
      text: `the tenant is ${state}`,
      expected: () => {
        this.world.tenantState = state;
        return [1];
      },
      send: async () => {
        await this.bench.redis.hset(keys.meta(TENANT), 'state', state);
        return [1];
      },
    };
  }

  /** What the instance last saw of the task, or what is true when it looks first. */
  private look({ by, fresh }: Step, ref: TaskRef): Seen {
    const name = `${by}/${ref.taskId}`;
    const task = this.world.tasks.get(ref.taskId);
    if ((fresh || !this.seen.has(name)) && task !== undefined) {
      this.seen.set(name, { epoch: task.epoch, seq: task.seq });
    }
    return this.seen.get(name) ?? { epoch: 1, seq: 1 };
  }

  /** One of the instances that believe to run the task; the last to take it, most of the time. */
  private runOf({ by, fresh }: Step, ref: TaskRef): (Owned & { by: number }) | undefined {
    const runs = [...(this.owned.get(ref.taskId) ?? [])].sort(([, a], [, b]) => b.epoch - a.epoch);
    const [instance, run] = runs[fresh ? 0 : by % Math.max(1, runs.length)] ?? [];
    return run === undefined || instance === undefined ? undefined : { ...run, by: instance };
  }

  private own(by: number, ref: TaskRef, run: Owned): void {
    const owners = this.owned.get(ref.taskId) ?? new Map<number, Owned>();
    this.owned.set(ref.taskId, owners.set(by, run));
  }

  private ts({ n }: Step): number {
    // Instances' clocks differ a little: now and then one is behind.
    return this.began + this.count * 10 - (n % 5 === 0 ? 35 : 0);
  }

  private events(n: number): string[] {
    return Array.from({ length: n }, (_, at) => `{"e":"${this.count}.${at}"}`);
  }

  /** 0: the snapshot goes with the call; 1: it was staged; 2: what was staged is gone. */
  private async staged(
    ref: TaskRef,
    nonce: string,
    staging: number,
    body: string,
    send: (snapshot: string) => Promise<ScriptReply>,
  ): Promise<ScriptReply> {
    if (staging === 0) return send(body);
    const key = this.bench.keysOf(ref).stage(nonce);
    if (staging === 1) await this.bench.redis.set(key, body, 'PX', 60_000);
    const reply = await send('');
    await this.bench.redis.del(key);
    return reply;
  }
}
