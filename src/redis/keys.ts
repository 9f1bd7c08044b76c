import { STATES, STATE_NUMBER } from '../domain/task-state.js';
import type { TaskStateName } from '../domain/a2a.js';

/** See `Keys.ofUser`. */
export interface UserKeys {
  readonly meta: string;
  readonly pushDue: string;
  readonly handed: string;
  readonly contexts: string;
  /** Ended tasks that the user keeps, the sum of their bytes, and who of the tenant keeps too much. */
  readonly kept: readonly [string, string, string];
  /** Tenant's and user's. */
  readonly active: readonly [string, string];
  readonly holders: string;
  readonly parked: readonly [string, string];
  readonly tasks: readonly [string, string];
  readonly states: readonly string[];
}

const MOST_USERS = 10_000;

/**
 * Every key and channel of Nightjar, one function each; no other file builds one. All keys of a
 * tenant carry its hash tag, so they share a slot and one script can change them together, and an
 * id of another tenant cannot be addressed at all. Every variable part is percent-encoded:
 * different parts never give the same key (test/lua/keys.spec.ts).
 */
export class Keys {
  private readonly users = new Map<string, UserKeys>();

  /** @throws RangeError for a prefix with braces: it would move the hash tag. */
  constructor(private readonly prefix = 'nj:') {
    if (/[{}]/.test(prefix)) throw new RangeError('the Redis key prefix must not contain braces');
  }

  // Of a tenant
  meta = (tenant: string): string => this.of(tenant, 'meta');
  task = (tenant: string, id: string): string => this.of(tenant, 'task', id);
  snapshot = (tenant: string, id: string): string => this.of(tenant, 'snap', id);
  log = (tenant: string, id: string): string => this.of(tenant, 'log', id);
  channel = (tenant: string, id: string): string => this.of(tenant, 'ch', id);
  stage = (tenant: string, id: string, nonce: string): string =>
    this.of(tenant, 'stage', id, nonce);
  context = (tenant: string, user: string, contextId: string): string =>
    this.of(tenant, 'ctx', user, contextId);
  history = (tenant: string, user: string, contextId: string): string =>
    this.of(tenant, 'history', user, contextId);
  message = (tenant: string, user: string, messageId: string): string =>
    this.of(tenant, 'msg', user, messageId);
  idempotency = (tenant: string, user: string, key: string): string =>
    this.of(tenant, 'idem', user, key);
  contexts = (tenant: string, user: string): string => this.of(tenant, 'contexts', user);
  queue = (tenant: string, user: string, contextId: string): string =>
    this.of(tenant, 'queue', user, contextId);
  handed = (tenant: string): string => this.of(tenant, 'handed');
  file = (tenant: string, id: string, name: string): string => this.of(tenant, 'file', id, name);
  approval = (tenant: string, id: string): string => this.of(tenant, 'approval', id);
  /** Requests that wait for an operator, by when they expire. */
  approvals = (tenant: string): string => this.of(tenant, 'approvals');
  push = (tenant: string, id: string): string => this.of(tenant, 'push', id);
  /** Hash of instance → until when and how many: open streams of the tenant. */
  streams = (tenant: string): string => this.of(tenant, 'streams');
  userStreams = (tenant: string, user: string): string => this.of(tenant, 'streams', user);
  /** What users have used on a day, YYYY-MM-DD. */
  usage = (tenant: string, day: string): string => this.of(tenant, 'usage', day);
  /** What is spent of a day's allowances, YYYY-MM-DD: of the tenant, its users and tokens. */
  spent = (tenant: string, day: string): string => this.of(tenant, 'spent', day);
  /** Which token each active task of a user came with. */
  holders = (tenant: string, user: string): string => this.of(tenant, 'holders', user);
  /** Until when the requests of a minute are taken. */
  rate = (tenant: string): string => this.of(tenant, 'rate');
  userRate = (tenant: string, user: string): string => this.of(tenant, 'rate', 'user', user);
  tokenRate = (tenant: string, token: string): string => this.of(tenant, 'rate', 'token', token);
  tokenStreams = (tenant: string, token: string): string =>
    this.of(tenant, 'streams', 'token', token);
  pushDue = (tenant: string): string => this.of(tenant, 'push-due');
  tenantTasks = (tenant: string): string => this.of(tenant, 'tasks');
  userTasks = (tenant: string, user: string): string => this.of(tenant, 'tasks', user);
  contextTasks = (tenant: string, user: string, contextId: string): string =>
    this.of(tenant, 'ctxtasks', user, contextId);
  kept = (tenant: string, user: string): string => this.of(tenant, 'kept', user);
  keptBytes = (tenant: string, user: string): string => this.of(tenant, 'bytes', user);
  full = (tenant: string): string => this.of(tenant, 'full');
  active = (tenant: string): string => this.of(tenant, 'active');
  userActive = (tenant: string, user: string): string => this.of(tenant, 'active', user);
  parked = (tenant: string): string => this.of(tenant, 'parked');
  userParked = (tenant: string, user: string): string => this.of(tenant, 'parked', user);
  userState = (tenant: string, user: string, state: TaskStateName): string =>
    this.of(tenant, 'tasks', user, String(STATE_NUMBER[state]));
  /** The index of every state of a user, in the order of the states' numbers 1 … 8. */
  userStates = (tenant: string, user: string): string[] =>
    STATES.map((state) => this.userState(tenant, user, state));

  // Of the administration, in a slot of its own: the tag is a word that no tenant's id may be
  /** Counters that are raised when tokens or tenants have changed. */
  changes = (): string => this.of('admin', 'changes');
  /** Tenants of the admin API. */
  tenants = (): string => this.of('admin', 'tenants');
  /** Tenants and users for whom nothing is done. */
  suspended = (): string => this.of('admin', 'suspended');

  // Of the installation
  instances = (): string => `${this.prefix}instances`;
  runs = (instance: string): string => `${this.prefix}runs:${enc(instance)}`;
  signals = (instance: string): string => `${this.prefix}inst:${enc(instance)}`;
  token = (sha256: string): string => `${this.prefix}token:${enc(sha256)}`;
  /** Set of the SHA-256 of every stored token of a tenant. */
  tokensOf = (tenant: string): string => `${this.prefix}tokens:${enc(tenant)}`;
  /** Of a tenant, which it outlives; of the installation for ''. */
  audit = (tenant: string): string => `${this.prefix}audit:${enc(tenant)}`;
  schema = (): string => `${this.prefix}schema`;
  probe = (instance: string): string => `${this.prefix}probe:${enc(instance)}`;

  /** Keys that all tasks of a user share: built once a user, not once a task. */
  ofUser(tenant: string, user: string): UserKeys {
    const name = `${tenant}/${user}`;
    const known = this.users.get(name);
    if (known !== undefined) return known;
    if (this.users.size >= MOST_USERS) this.users.clear();
    const built: UserKeys = {
      meta: this.meta(tenant),
      pushDue: this.pushDue(tenant),
      handed: this.handed(tenant),
      contexts: this.contexts(tenant, user),
      kept: [this.kept(tenant, user), this.keptBytes(tenant, user), this.full(tenant)],
      active: [this.active(tenant), this.userActive(tenant, user)],
      holders: this.holders(tenant, user),
      parked: [this.parked(tenant), this.userParked(tenant, user)],
      tasks: [this.tenantTasks(tenant), this.userTasks(tenant, user)],
      states: this.userStates(tenant, user),
    };
    this.users.set(name, built);
    return built;
  }

  /** For SCAN: matches every key of a tenant, and no other. */
  everyOf(tenant: string): string {
    return `${this.of(tenant, '').replace(/[\\*?[\]]/g, '\\$&')}*`;
  }

  private of(tenant: string, ...parts: readonly string[]): string {
    return `${this.prefix}{${enc(tenant)}}:${parts.map(enc).join(':')}`;
  }
}

/** What encodeURIComponent leaves as it is: nearly every part of nearly every key. */
const PLAIN = /^[\w.~!*'()-]*$/;

/**
 * encodeURIComponent leaves neither colon nor brace, but throws on a lone surrogate, which JSON can
 * carry: that one becomes %uXXXX, which no other text gives, since a percent sign is encoded.
 */
function enc(part: string): string {
  if (PLAIN.test(part)) return part;
  try {
    return encodeURIComponent(part);
  } catch {
    return Array.from(part, (char) =>
      /^[\ud800-\udfff]$/.test(char)
        ? `%u${char.charCodeAt(0).toString(16)}`
        : encodeURIComponent(char),
    ).join('');
  }
}
