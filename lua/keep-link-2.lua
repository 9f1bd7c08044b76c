#!lua
--[[
Keeps with a context where a conversation with a remote agent has come to: fenced, so that a run that
lost its task does not overwrite what its successor has learnt. It lives as long as the context.

KEYS[1] task hash  KEYS[2] context hash

ARGV[1] epoch of the run  ARGV[2] configured name of the remote  ARGV[3] the link as JSON

Output {1}: kept
       {-1} the task is missing  {-2, state} ended  {-3} stale epoch
]]
local t = redis.call('HMGET', KEYS[1], 'epoch', 'state')
if not t[1] then return { -1 } end
if t[1] ~= ARGV[1] then return { -3 } end
if tonumber(t[2]) > 2 then return { -2, tonumber(t[2]) } end
-- A context that has expired meanwhile stays gone: a key made here would never expire.
if redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('HSET', KEYS[2], 'remote:' .. ARGV[2], ARGV[3])
end
return { 1 }
