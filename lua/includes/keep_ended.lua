-- Enters a task that ends now among those that its user keeps, with the memory that it takes, and
-- its user among those who keep too much, for the sweeper.
local function keep_ended(task, id, parts, kept, sum, full, most, most_bytes, ttl)
  local t, size = redis.call('HMGET', task, 'user', 'file_bytes'), 0
  for _, key in ipairs(parts) do
    -- Not every Redis lets its user ask; then only the files count.
    local used = redis.pcall('MEMORY', 'USAGE', key)
    if type(used) == 'number' then size = size + used end
  end
  size = size + tonumber(t[2] or 0)
  local now = now_ms()
  redis.call('HSET', task, 'bytes', size)
  redis.call('ZADD', kept, now, size .. ' ' .. id)
  local total = redis.call('INCRBY', sum, size)
  keep_for(kept, ttl * 2, ttl * 1.5)
  keep_for(sum, ttl * 2, ttl * 1.5)
  unkeep_expired(kept, sum, now - ttl)
  local over = redis.call('ZCARD', kept) > tonumber(most) or total > tonumber(most_bytes)
  if over then redis.call('ZADD', full, 'NX', now, t[1]) end
end
