import type { RedisClient } from '../redis/open-redis.js';
import type { Keys } from '../redis/keys.js';

/** What instances keep a copy of. */
export const CHANGE_KINDS = ['tokens', 'tenants'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * Tells every instance that something of which it keeps a copy has changed: a counter each, looked
 * at so often that one look must cost next to nothing. Raised after the change itself.
 */
export class RedisChangeStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly keys: Keys,
  ) {}

  async raise(kind: ChangeKind): Promise<void> {
    await this.redis.hincrby(this.keys.changes(), kind, 1);
  }

  /** The counters, in the order of CHANGE_KINDS; any difference is a change. */
  async read(): Promise<readonly (string | null)[]> {
    return this.redis.hmget(this.keys.changes(), ...CHANGE_KINDS);
  }
}
