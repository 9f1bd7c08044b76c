-- Makes a task active until `over`; the keys live for `ms`, and `least` at least.
local function take_place(tenant, user, holders, id, over, token, of_token, ms, least)
  redis.call('ZADD', tenant, over, id)
  keep_for(tenant, ms, least)
  redis.call('ZADD', user, over, id)
  keep_for(user, ms, least)
  if of_token == '0' then return end
  redis.call('HSET', holders, id, token)
  keep_for(holders, ms, least)
end
