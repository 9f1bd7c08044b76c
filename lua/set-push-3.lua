#!lua
--[[
Sets a webhook of a task, new or in place of the one of the same id, and makes the task due: the
webhook hears at once how things stand, also of a task that has ended already.

KEYS[1] task hash  KEYS[2] webhooks of the task  KEYS[3] what is due for webhooks

ARGV[1] user, who must own the task  ARGV[2] task id  ARGV[3] webhook id
ARGV[4] the webhook, sealed: never the same bytes for two calls
ARGV[5] cursor: '0-0' for the start of the log, '' for the task as it is
ARGV[6] webhooks that a task may have

Output {1} set, now or by an earlier send
       {-1} missing, or another user's  {-20} the task has its most webhooks
]]
--- @include now_ms
local hook = 'hook:' .. ARGV[3]
if redis.call('HGET', KEYS[1], 'user') ~= ARGV[1] then return { -1 } end
local old = redis.call('HGET', KEYS[2], hook)
if old == ARGV[4] then return { 1 } end
if not old then
  local count = 0
  for _, field in ipairs(redis.call('HKEYS', KEYS[2])) do
    if string.find(field, '^hook:') then count = count + 1 end
  end
  if count >= tonumber(ARGV[6]) then return { -20 } end
end
redis.call('HDEL', KEYS[2], 'hold:' .. ARGV[3], 'fail:' .. ARGV[3])
redis.call('HSET', KEYS[2], hook, ARGV[4], 'at:' .. ARGV[3], ARGV[5])
redis.call('HSET', KEYS[1], 'push', 1)
local ttl = redis.call('PTTL', KEYS[1])
if ttl > 0 then redis.call('PEXPIRE', KEYS[2], ttl) end
redis.call('ZADD', KEYS[3], now_ms(), ARGV[2])
redis.call('ZREM', KEYS[3], ARGV[2] .. ' ' .. ARGV[3])
return { 1 }
