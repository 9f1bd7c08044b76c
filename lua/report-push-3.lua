#!lua
--[[
Records what became of a delivery under a claim, which fences it: a sender that was overtaken, or
whose webhook was replaced, changes nothing.

KEYS[1] task hash  KEYS[2] webhooks of the task  KEYS[3] what is due for webhooks

ARGV[1] task id  ARGV[2] webhook id  ARGV[3] token of the claim
ARGV[4] 'sent' (the cursor moves; the claim goes on while there is more), 'failed' (tried again
        later), 'left' (given back) or 'dropped' (the webhook is removed)
ARGV[5] cursor after it, `<seq>-<epoch>`, when sent
ARGV[6] when to look again, ms: the claim's new end, or the next try
ARGV[7] failed tries so far  ARGV[8] failing since, ms  ARGV[9] seq up to which the failed one told

Output {1, 1 if there is more to tell}: recorded, now or by an earlier send
       {-1} the task or the webhook is gone, as it is for a second send of 'dropped'
       {-21} the claim is not this one's any more
]]
local id, what = ARGV[2], ARGV[4]
local hook, at, hold, fail = 'hook:' .. id, 'at:' .. id, 'hold:' .. id, 'fail:' .. id
local entry = ARGV[1] .. ' ' .. id
local seq = redis.call('HGET', KEYS[1], 'seq')
local c = redis.call('HMGET', KEYS[2], hook, at, hold)
if not seq or not c[1] then return { -1 } end
if string.match(c[3] or '', '^%S+') ~= ARGV[3] then return { -21 } end

if what == 'dropped' then
  redis.call('HDEL', KEYS[2], hook, at, hold, fail)
  redis.call('ZREM', KEYS[3], entry)
  if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('HDEL', KEYS[1], 'push') end
  return { 1, 0 }
end
local cursor = c[2]
if what == 'sent' then
  cursor = ARGV[5]
  redis.call('HDEL', KEYS[2], fail)
  redis.call('HSET', KEYS[2], at, cursor)
elseif what == 'failed' then
  redis.call('HSET', KEYS[2], fail, table.concat({ ARGV[7], ARGV[6], ARGV[8], ARGV[9] }, ' '))
end
local more = string.match(cursor, '^%d+') ~= seq
local goes_on = more and what == 'sent'
redis.call('HSET', KEYS[2], hold, ARGV[3] .. ' ' .. (goes_on and ARGV[6] or '0'))
if more then redis.call('ZADD', KEYS[3], ARGV[6], entry) else redis.call('ZREM', KEYS[3], entry) end
return { 1, more and 1 or 0 }
