-- What a user keeps of ended tasks: `<bytes> <task>` by when it ended, and the sum of the bytes.
local function unkeep(kept, sum, member)
  if redis.call('ZREM', kept, member) == 1 then
    redis.call('DECRBY', sum, string.match(member, '^%d+'))
  end
  if redis.call('EXISTS', kept) == 0 then redis.call('DEL', sum) end
end

-- A task that has expired takes its place along, a few at a time.
local function unkeep_expired(kept, sum, before)
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', kept, '-inf', before, 'LIMIT', 0, 50)) do
    unkeep(kept, sum, member)
  end
end
