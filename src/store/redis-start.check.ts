import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { parseInfo } from '../redis/doctor/finding.js';
import { evictionPolicyOf } from '../redis/eviction-policy.js';
import { Keys } from '../redis/keys.js';
import { isReplyError } from '../redis/redis-errors.js';
import { RedisConnections } from '../redis/redis.connections.js';

/** Version of the stored shapes; raised only when an older gateway could not read them any more. */
export const SCHEMA_VERSION = 1;

/**
 * Refuses to start on a Redis that would lose tasks (an evicting maxmemory policy) or whose data a
 * newer Nightjar has written. A Redis that is away is no reason: the instance starts unready.
 */
@Injectable()
export class RedisStartCheck implements OnModuleInit {
  private readonly logger = new Logger(RedisStartCheck.name);

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** @throws Error with a sentence for the operator. */
  async onModuleInit(): Promise<void> {
    try {
      await this.checkEviction();
      await this.checkSchema();
    } catch (error) {
      if (error instanceof StartRefused) throw error;
      if (isReplyError(error)) throw new StartRefused(`Redis refuses: ${error.message}`);
      this.logger.warn('Redis does not answer yet; starting unready');
    }
  }

  /** From INFO, not CONFIG: managed Redis may forbid the latter. */
  private async checkEviction(): Promise<void> {
    await this.redis.reads.ping();
    const policies = await Promise.all(
      this.redis
        .masters()
        .map(async (master) => evictionPolicyOf(parseInfo(await master.info('memory')))),
    );
    const policy = policies.find((found) => found !== 'noeviction');
    if (policy === undefined || this.config.redis.allowEviction) return;
    throw new StartRefused(
      `Redis has the maxmemory policy ${policy} and would drop tasks: set it to noeviction, or accept it with redis.allowEviction`,
    );
  }

  private async checkSchema(): Promise<void> {
    await this.redis.reads.setnx(this.keys.schema(), SCHEMA_VERSION);
    const version = Number(await this.redis.reads.get(this.keys.schema()));
    if (version <= SCHEMA_VERSION) return;
    throw new StartRefused(
      `The data in Redis has version ${version}, written by a newer Nightjar; this one reads up to ${SCHEMA_VERSION}`,
    );
  }
}

class StartRefused extends Error {}
