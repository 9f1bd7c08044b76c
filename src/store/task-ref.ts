import type { Keys } from '../redis/keys.js';

/** What addresses a task and everything that changes with it. */
export interface TaskRef {
  readonly tenant: string;
  readonly user: string;
  readonly taskId: string;
  readonly contextId: string;
  /** Of the message that created it: while it runs, the same message joins it. */
  readonly messageId: string;
}

/** The keys of a task, built once a run. */
export class TaskKeys {
  readonly task: string;
  readonly log: string;
  readonly snapshot: string;
  readonly channel: string;
  readonly context: string;
  readonly history: string;
  readonly message: string;
  readonly active: readonly [string, string];
  readonly holders: string;
  readonly parked: readonly [string, string];
  /** Ended tasks that the user keeps, the sum of their bytes, and who of the tenant keeps too much. */
  readonly kept: readonly [string, string, string];
  /** Tenant's, user's and context's tasks. */
  readonly indexes: readonly [string, string, string];
  readonly states: readonly string[];
  readonly meta: string;
  /** Tasks of the tenant whose webhooks are due. */
  readonly pushDue: string;
  readonly contexts: string;
  /** Tasks that wait for the context. */
  readonly queue: string;
  /** Tasks of the tenant that were handed their context's lock and have no owner yet. */
  readonly handed: string;

  constructor(
    private readonly keys: Keys,
    readonly ref: TaskRef,
  ) {
    const { tenant, user, taskId, contextId, messageId } = ref;
    const shared = keys.ofUser(tenant, user);
    this.meta = shared.meta;
    this.pushDue = shared.pushDue;
    this.handed = shared.handed;
    this.contexts = shared.contexts;
    this.kept = shared.kept;
    this.active = shared.active;
    this.holders = shared.holders;
    this.parked = shared.parked;
    this.states = shared.states;
    this.queue = keys.queue(tenant, user, contextId);
    this.task = keys.task(tenant, taskId);
    this.log = keys.log(tenant, taskId);
    this.snapshot = keys.snapshot(tenant, taskId);
    this.channel = keys.channel(tenant, taskId);
    this.context = keys.context(tenant, user, contextId);
    this.history = keys.history(tenant, user, contextId);
    this.message = keys.message(tenant, user, messageId);
    this.indexes = [...shared.tasks, keys.contextTasks(tenant, user, contextId)];
  }

  /** Any key for a call without one: the script then does not look at it. */
  idempotency(key: string | undefined): string {
    return this.keys.idempotency(this.ref.tenant, this.ref.user, key ?? '');
  }

  /** What the tenant has spent of the allowances of a day, YYYY-MM-DD. */
  spent(day: string): string {
    return this.keys.spent(this.ref.tenant, day);
  }

  file(name: string): string {
    return this.keys.file(this.ref.tenant, this.ref.taskId, name);
  }

  /** A place for one staged snapshot. */
  stage(nonce: string): string {
    return this.keys.stage(this.ref.tenant, this.ref.taskId, nonce);
  }
}
