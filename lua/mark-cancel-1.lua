#!lua flags=allow-oom
--[[
Marks a task as canceled by its user: durable, seen by the owner in every append and heartbeat.

KEYS[1] task hash

ARGV[1] user, who must own the task  ARGV[2] mark, a short text for the status

Output {1, state, owner instance or '', epoch}: marked, now or before
       {-1} missing, or another user's  {-2, state} terminal
]]
local t = redis.call('HMGET', KEYS[1], 'user', 'state', 'owner', 'epoch', 'cancel')
if not t[1] or t[1] ~= ARGV[1] then return { -1 } end
local state = tonumber(t[2])
if state > 2 and state ~= 6 and state ~= 8 then return { -2, state } end
if not t[5] then
  redis.call('HSET', KEYS[1], 'cancel', ARGV[2])
  redis.call('HINCRBY', KEYS[1], 'version', 1)
end
return { 1, state, t[3] or '', tonumber(t[4]) }
