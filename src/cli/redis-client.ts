import { Redis } from 'ioredis';
import { EXIT_UNAVAILABLE } from '../config/exit-code.js';
import { redactedRedisUrl } from '../config/redis-url.js';
import { Keys } from '../redis/keys.js';
import { RedisTokenStore } from '../store/redis-token.store.js';
import type { TokenStore } from '../store/token.store.js';
import { CliFailure } from './cli-failure.js';

/** Which Redis a command works on. */
export interface RedisTarget {
  readonly url: string;
  readonly prefix: string;
}

/**
 * Connects once, without retries: whoever sits at the terminal wants to know now.
 * @throws CliFailure when Redis cannot be reached or refuses.
 */
export async function withTokenStore<T>(
  { url, prefix }: RedisTarget,
  use: (store: TokenStore) => Promise<T>,
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
    return await use(new RedisTokenStore(redis, new Keys(prefix)));
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    if (reason === '' && error instanceof Error) reason = error.message;
    throw new CliFailure(EXIT_UNAVAILABLE, `Redis at ${redactedRedisUrl(url)}: ${reason}`, {
      cause: error,
    });
  } finally {
    redis.disconnect();
  }
}
