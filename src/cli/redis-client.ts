import { Redis } from 'ioredis';
import { EXIT_UNAVAILABLE, EXIT_USAGE } from '../config/exit-code.js';
import { redactedRedisUrl } from '../config/redis-url.js';
import { Keys } from '../redis/keys.js';
import { defineScripts } from '../redis/scripts.js';
import { TokenAdmin } from '../admin/token-admin.js';
import { DomainError } from '../domain/errors.js';
import { RedisApprovalStore } from '../store/redis-approval.store.js';
import { RedisChangeStore } from '../store/redis-change.store.js';
import { RedisTokenStore } from '../store/redis-token.store.js';
import { CliFailure } from './cli-failure.js';

/** Which Redis a command works on. */
export interface RedisTarget {
  readonly url: string;
  readonly prefix: string;
}

/** What commands work with. */
export interface Operator {
  readonly tokens: TokenAdmin;
  readonly approvals: RedisApprovalStore;
}

/**
 * Connects once, without retries: whoever sits at the terminal wants to know now.
 * @throws CliFailure when Redis cannot be reached or refuses, and for every refusal by `use`.
 */
export async function withRedis<T>(
  { url, prefix }: RedisTarget,
  use: (operator: Operator) => Promise<T>,
): Promise<T> {
  const redis = new Redis(url.replace(/^unix:\/\//, ''), {
    lazyConnect: true,
    connectTimeout: 5000,
    commandTimeout: 5000,
    maxRetriesPerRequest: 1,
    retryStrategy: () => null,
    connectionName: 'nightjar-cli',
  });
  let reason = '';
  redis.on('error', (error) => {
    reason = error.message;
  });
  try {
    await redis.connect();
    const keys = new Keys(prefix);
    defineScripts(redis);
    const changes = new RedisChangeStore(redis, keys);
    return await use({
      tokens: new TokenAdmin(new RedisTokenStore(redis, keys), changes),
      approvals: new RedisApprovalStore(redis, keys),
    });
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    if (error instanceof DomainError) throw refusalOf(error);
    if (reason === '' && error instanceof Error) reason = error.message;
    throw new CliFailure(EXIT_UNAVAILABLE, `Redis at ${redactedRedisUrl(url)}: ${reason}`, {
      cause: error,
    });
  } finally {
    redis.disconnect();
  }
}

function refusalOf(error: DomainError): CliFailure {
  const missing = error.code === 'NOT_FOUND' || error.code === 'UNAVAILABLE';
  return new CliFailure(missing ? EXIT_UNAVAILABLE : EXIT_USAGE, error.message);
}
