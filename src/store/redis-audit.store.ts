import type { Keys } from '../redis/keys.js';
import type { RedisClient } from '../redis/open-redis.js';

/** Who did what to what, and how it ended. Holds no text of a message and no secret. */
export interface AuditEntry {
  /** Ms since the epoch. */
  readonly at: number;
  /** Empty: of the installation (tenants, admin tokens, refused credentials). */
  readonly tenant: string;
  /** A user of the tenant, `admin:<user>`, `cli:<login>`, or empty for nobody known. */
  readonly actor: string;
  /** The token's name in lists, where one was used. */
  readonly token?: string;
  /** E.g. `task.send`, `token.revoke`, `tenant.delete`. */
  readonly action: string;
  /** What it was done to: `task/<id>`, `token/<id>`, `tenant/<id>`, `user/<id>`, `approval/<id>`. */
  readonly target: string;
  /** `ok`, or the code of the refusal. */
  readonly outcome: string;
  /** The one of the access log's line. */
  readonly requestId?: string;
  /** A few facts more, e.g. a source address. */
  readonly detail?: string;
}

export interface AuditQuery {
  readonly tenant: string;
  /** Ms since the epoch, both included. */
  readonly since?: number;
  readonly until?: number;
  readonly actor?: string;
  /** The whole action, or its beginning with a dot behind: `token.`. */
  readonly action?: string;
  readonly target?: string;
  /** An earlier page's `next`. */
  readonly before?: string;
  readonly most: number;
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Absent on the last page. */
  readonly next?: string;
}

export interface AuditBounds {
  readonly retentionDays: number;
  readonly maxEntries: number;
}

const DAY_MS = 24 * 3600 * 1000;
const CHUNK = 500;
/** Entries that one query looks at; what is beyond comes with the next page. */
const MOST_LOOKED_AT = 20_000;

/**
 * The audit in Redis: a stream for each tenant and one of the installation, bounded in time and
 * number. Outside the tenant's own keys: what was done outlives the deletion of the tenant.
 */
export class RedisAuditStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly keys: Keys,
    private readonly bounds: AuditBounds,
  ) {}

  async append(entries: readonly AuditEntry[]): Promise<void> {
    const keptMs = this.bounds.retentionDays * DAY_MS;
    const byKey = new Map<string, AuditEntry[]>();
    for (const entry of entries) {
      const key = this.keys.audit(entry.tenant);
      byKey.set(key, [...(byKey.get(key) ?? []), entry]);
    }
    // A pipeline a stream: in a Cluster each is somewhere else.
    const pipelines = [...byKey].map(async ([key, its]) => {
      const pipeline = this.redis.pipeline();
      for (const entry of its) {
        pipeline.xadd(key, 'MINID', '~', Date.now() - keptMs, '*', 'e', JSON.stringify(entry));
      }
      pipeline.xtrim(key, 'MAXLEN', '~', this.bounds.maxEntries);
      pipeline.pexpire(key, keptMs);
      for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
    });
    await Promise.all(pipelines);
  }

  async query(query: AuditQuery): Promise<AuditPage> {
    const key = this.keys.audit(query.tenant);
    const from = query.since ?? '-';
    let end = query.before === undefined ? String(query.until ?? '+') : `(${query.before}`;
    const entries: AuditEntry[] = [];
    for (let looked = 0; ; looked += CHUNK) {
      const rows = await this.redis.xrevrange(key, end, from, 'COUNT', CHUNK);
      for (const [id, fields] of rows) {
        end = `(${id}`;
        const entry = JSON.parse(fields[1] ?? '{}') as AuditEntry;
        if (matches(entry, query)) entries.push(entry);
        if (entries.length === query.most) return { entries, next: id };
      }
      if (rows.length < CHUNK) return { entries };
      if (looked >= MOST_LOOKED_AT) return { entries, next: end.slice(1) };
    }
  }
}

function matches(entry: AuditEntry, { actor, action, target }: AuditQuery): boolean {
  if (actor !== undefined && entry.actor !== actor) return false;
  if (target !== undefined && entry.target !== target) return false;
  if (action === undefined) return true;
  return action.endsWith('.') ? entry.action.startsWith(action) : entry.action === action;
}
