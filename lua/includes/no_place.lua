-- Why another task may not be active: nil, or the refusal. Places that have lapsed are given up, and
-- so are the holders (which token each of the user's active tasks came with) of tasks that ended.
local function no_place(tenant, user, holders, of_tenant, of_user, token, of_token, now)
  redis.call('ZREMRANGEBYSCORE', tenant, '-inf', now)
  redis.call('ZREMRANGEBYSCORE', user, '-inf', now)
  if redis.call('ZCARD', user) >= tonumber(of_user) then return { -7 } end
  if redis.call('ZCARD', tenant) >= tonumber(of_tenant) then return { -8 } end
  if of_token == '0' then return nil end
  local live, held = {}, 0
  for _, id in ipairs(redis.call('ZRANGE', user, 0, -1)) do live[id] = true end
  local rows = redis.call('HGETALL', holders)
  for i = 1, #rows, 2 do
    if not live[rows[i]] then redis.call('HDEL', holders, rows[i])
    elseif rows[i + 1] == token then held = held + 1 end
  end
  return held >= tonumber(of_token) and { -24 } or nil
end
