import type { BuildInput } from './build-input.js';
import type { RedisLogin, RedisSettings } from './config.types.js';
import { buildTls } from './build-tls.js';
import { isSecretRef, type SecretRefDto } from './dto/secret-ref.dto.js';
import { hasPassword, parseRedisUrl } from './redis-url.js';

type Input = Pick<BuildInput, 'dto' | 'secrets' | 'faults' | 'fromEnvironment' | 'redisUrl'>;

/** Where Redis is and how to get in, every reference resolved. */
export function buildRedis(input: Input): RedisSettings {
  const { dto, faults } = input;
  const url = urlOf(input);
  const address = parseRedisUrl(url);
  const { redis = {} } = dto;
  if (address !== undefined) {
    const isTls = 'tls' in address && address.tls;
    if (redis.tls !== undefined && !isTls) faults.add('redis.tls', 'needs a rediss:// address');
    if (redis.sentinel !== undefined && address.kind !== 'sentinel') {
      faults.add('redis.sentinel', 'needs a redis+sentinel:// address');
    }
    const inUrl = 'password' in address && address.password !== undefined;
    if (inUrl && redis.password !== undefined) {
      faults.add('redis.password', 'is in redis.url already');
    }
  }
  const tls = buildTls(redis.tls, 'redis.tls', input);
  return {
    url,
    ...loginOf(input, redis, 'redis'),
    ...(redis.sentinel === undefined
      ? {}
      : { sentinel: loginOf(input, redis.sentinel, 'redis.sentinel') }),
    ...(tls === undefined ? {} : { tls }),
    prefix: redis.prefix ?? 'nj:',
    allowEviction: redis.allowEviction ?? false,
  };
}

function urlOf({ dto, secrets, faults, fromEnvironment, redisUrl }: Input): string {
  const given = dto.redis?.url;
  const url = isSecretRef(given) ? secrets.read(given, 'redis.url') : (given ?? redisUrl ?? '');
  if (url === '' && !faults.has('redis.url')) {
    faults.add('redis.url', 'is required: set REDIS_URL, or start with nightjar serve');
  }
  const inFile = typeof given === 'string' && !fromEnvironment('redis.url');
  if (inFile && hasPassword(given)) {
    faults.add('redis.url', 'must not hold a password; write {env: NAME} or {file: path} instead');
  }
  return typeof url === 'string' ? url : '';
}

function loginOf(
  { secrets, faults }: Input,
  { username, password }: { username?: string; password?: SecretRefDto },
  place: string,
): RedisLogin {
  const known = password !== undefined && !faults.has(`${place}.password`);
  return {
    ...(username === undefined ? {} : { username }),
    ...(known ? { password: secrets.read(password, `${place}.password`) } : {}),
  };
}
