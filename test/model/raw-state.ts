import type { Redis } from 'ioredis';

/** One key as Redis holds it. */
export interface RawKey {
  readonly type: 'hash' | 'zset' | 'stream' | 'list' | 'set' | 'string';
  /** ms left, -1 for ever. */
  readonly pttl: number;
  /** Fields, members and scores, `[id, event]` pairs, items, or the one text. */
  readonly value:
    Readonly<Record<string, string>> | readonly (readonly [string, string])[] | string[] | string;
}

export type RawState = ReadonlyMap<string, RawKey>;

/** All of a small database in one call. */
const DUMP = `
local out = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local type, value = redis.call('TYPE', key).ok, nil
  if type == 'hash' then value = redis.call('HGETALL', key)
  elseif type == 'zset' then value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  elseif type == 'stream' then value = redis.call('XRANGE', key, '-', '+')
  elseif type == 'list' then value = redis.call('LRANGE', key, 0, -1)
  elseif type == 'set' then value = redis.call('SMEMBERS', key)
  else value = redis.call('GET', key) end
  out[#out + 1] = { key, type, redis.call('PTTL', key), value }
end
return out`;

export async function dump(redis: Redis): Promise<RawState> {
  const rows = (await redis.eval(DUMP, 0)) as [string, RawKey['type'], number, unknown][];
  return new Map(
    rows.map(([key, type, pttl, value]) => [key, { type, pttl, value: parse(type, value) }]),
  );
}

function parse(type: RawKey['type'], value: unknown): RawKey['value'] {
  switch (type) {
    case 'string':
      return value as string;
    case 'list':
      return value as string[];
    case 'set':
      return (value as string[]).sort();
    case 'stream':
      return (value as [string, [string, string]][]).map(([id, [, event]]) => [id, event] as const);
    case 'hash':
    case 'zset': {
      const flat = value as string[];
      return Object.fromEntries(
        flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]!]] : [])),
      );
    }
  }
}

/**
 * Lets time pass, as far as Redis' keys can tell: every point in time that they hold, and every
 * time to live, comes nearer by ARGV[1] ms.
 */
const LATER = `
local by = tonumber(ARGV[1])
local function earlier(at) return string.format('%.0f', at - by) end
for _, key in ipairs(redis.call('KEYS', '*')) do
  local type = redis.call('TYPE', key).ok
  if type == 'hash' then
    for _, field in ipairs(redis.call('HKEYS', key)) do
      local value = redis.call('HGET', key, field)
      if field == 'lock_until' or field == 'ttl_at' or (field == 'deadline' and value ~= '0') then
        redis.call('HSET', key, field, earlier(value))
      end
      local token, till = string.match(value, '^(%S+) (%d+)$')
      if string.sub(field, 1, 5) == 'hold:' and till ~= '0' then
        redis.call('HSET', key, field, token .. ' ' .. earlier(till))
      end
      local tries, again, rest = string.match(value, '^(%d+) (%d+) (.*)$')
      if string.sub(field, 1, 5) == 'fail:' then
        redis.call('HSET', key, field, tries .. ' ' .. earlier(again) .. ' ' .. rest)
      end
    end
  elseif type == 'zset' and (string.find(key, ':active') or string.find(key, ':parked')
      or string.find(key, ':handed') or string.find(key, ':kept:') or string.find(key, ':full') or string.find(key, ':push%-due') or string.find(key, 'instances')) then
    for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
      redis.call('ZINCRBY', key, -by, member)
    end
  end
  local left = redis.call('PTTL', key)
  if left > by then redis.call('PEXPIRE', key, left - by) elseif left > 0 then redis.call('DEL', key) end
end
return 1`;

const KEEP = `
local out = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  out[#out + 1] = { key, redis.call('DUMP', key), redis.call('PTTL', key) }
end
return out`;

/** All that is stored, to be put back by `restore`. */
export type Backup = readonly (readonly [key: Buffer, value: Buffer, pttl: number])[];

export async function backup(redis: Redis): Promise<Backup> {
  return (await redis.callBuffer('EVAL', KEEP, '0')) as Backup;
}

/** As after a fail-over to a replica that was behind. */
export async function restore(redis: Redis, kept: Backup): Promise<void> {
  await redis.flushall();
  const pipeline = redis.pipeline();
  for (const [key, value, pttl] of kept) pipeline.restore(key, Math.max(0, pttl), value);
  for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
}

export async function passTime(redis: Redis, ms: number): Promise<void> {
  await redis.eval(LATER, 0, ms);
}
