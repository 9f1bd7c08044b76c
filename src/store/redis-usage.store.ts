import type { Keys } from '../redis/keys.js';
import type { RedisClient } from '../redis/open-redis.js';
import { runScript } from '../redis/scripts.js';

/** What is counted of each user and day (UTC). */
export const USAGE_FIELDS = ['tasks', 'toolCalls', 'inputTokens', 'outputTokens'] as const;
export type UsageField = (typeof USAGE_FIELDS)[number];
export type Usage = Readonly<Record<UsageField, number>>;

export interface UserUsage extends Usage {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly user: string;
}

const DAY_MS = 24 * 3600 * 1000;

/** Wants a connection that went through `defineScripts`. */
export class RedisUsageStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly keys: Keys,
    private readonly retentionDays: number,
  ) {}

  /** Adds to a user's day; to a tenant that is gone, or another of the same id, nothing is added. */
  async add(
    tenant: string,
    generation: number,
    user: string,
    at: number,
    usage: Usage,
  ): Promise<void> {
    const keys = [this.keys.meta(tenant), this.keys.usage(tenant, dayOf(at))];
    const fields = USAGE_FIELDS.filter((field) => usage[field] > 0);
    const counts = fields.flatMap((field) => [`${field}:${user}`, usage[field]]);
    const args = [generation, this.retentionDays * DAY_MS, ...counts];
    await runScript(this.redis, 'add-usage', keys, args);
  }

  /** Of every day from `from` to `to` (ms since the epoch), oldest first, by user. */
  async read(tenant: string, from: number, to: number): Promise<UserUsage[]> {
    const days: string[] = [];
    for (let at = from; dayOf(at) <= dayOf(to); at += DAY_MS) days.push(dayOf(at));
    const pipeline = this.redis.pipeline();
    for (const day of days) pipeline.hgetall(this.keys.usage(tenant, day));
    const replies = (await pipeline.exec()) ?? [];
    return days.flatMap((day, index) => {
      const [error, counts] = replies[index] ?? [];
      if (error) throw error;
      return usersOf(day, (counts ?? {}) as Record<string, string>);
    });
  }
}

function usersOf(day: string, counts: Readonly<Record<string, string>>): UserUsage[] {
  const users = new Map<string, Record<UsageField, number>>();
  for (const [name, count] of Object.entries(counts)) {
    const colon = name.indexOf(':');
    const field = USAGE_FIELDS.find((one) => one === name.slice(0, colon));
    if (field === undefined) continue;
    const user = name.slice(colon + 1);
    const usage = users.get(user) ?? { tasks: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 };
    usage[field] += Number(count);
    users.set(user, usage);
  }
  return [...users]
    .map(([user, usage]) => ({ day, user, ...usage }))
    .sort((a, b) => a.user.localeCompare(b.user));
}

/** The day of a moment in UTC: YYYY-MM-DD. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
