#!lua
--[[
Removes a webhook of a task. One that is not there is removed already.

KEYS[1] task hash  KEYS[2] webhooks of the task  KEYS[3] what is due for webhooks

ARGV[1] user, who must own the task  ARGV[2] task id  ARGV[3] webhook id

Output {1} gone
       {-1} missing, or another user's
]]
local id = ARGV[3]
if redis.call('HGET', KEYS[1], 'user') ~= ARGV[1] then return { -1 } end
redis.call('HDEL', KEYS[2], 'hook:' .. id, 'at:' .. id, 'hold:' .. id, 'fail:' .. id)
redis.call('ZREM', KEYS[3], ARGV[2] .. ' ' .. id)
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('HDEL', KEYS[1], 'push')
  redis.call('ZREM', KEYS[3], ARGV[2])
end
return { 1 }
