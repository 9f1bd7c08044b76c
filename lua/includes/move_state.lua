-- Moves a task to another state and position in every index (invariant 1: with the event itself).
-- states is the position in KEYS before the index of state 1; indexes is a list of further zsets;
-- ttl is how long the task lives from now, ms: no index forgets it before.
local function move_state(task, id, states, indexes, new_state, ts, ttl)
  local old = redis.call('HMGET', task, 'state', 'updated', 'version')
  if tonumber(old[2] or 0) > ts then ts = tonumber(old[2]) end
  if old[1] and tonumber(old[1]) ~= new_state then redis.call('ZREM', KEYS[states + tonumber(old[1])], id) end
  indexes[#indexes + 1] = KEYS[states + new_state]
  for _, key in ipairs(indexes) do
    redis.call('ZADD', key, ts, id)
    keep_for(key, ttl * 2, ttl * 1.5)
  end
  redis.call('HSET', task, 'state', new_state, 'updated', string.format('%.0f', ts), 'version', (old[3] or 0) + 1)
end
