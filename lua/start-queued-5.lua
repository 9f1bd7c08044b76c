#!lua
--[[
Makes an instance the owner of a task that waited in its context's queue and was handed the lock:
the run's budget begins now.

KEYS[1] task hash                KEYS[2] context hash           KEYS[3] tenant's active set
KEYS[4] user's active set        KEYS[5] tenant's tasks that were handed the lock of their context

ARGV[1] task id  ARGV[2] epoch seen  ARGV[3] owner instance  ARGV[4] run budget, ms

Output {1, epoch, head seq, deadline ms}: started, now or by an earlier send
       {-1} missing  {-2, state} not waiting any more  {-3, epoch} somebody else was faster
       {-6, running task id} the lock is not this task's
]]
--- @include now_ms
--- @include keep_for
local t = redis.call('HMGET', KEYS[1], 'epoch', 'owner', 'state', 'seq', 'deadline')
if not t[1] then
  redis.call('ZREM', KEYS[5], ARGV[1])
  return { -1 }
end
local epoch, seen = tonumber(t[1]), tonumber(ARGV[2])
if epoch == seen + 1 and t[2] == ARGV[3] then
  return { 1, epoch, tonumber(t[4]), tonumber(t[5]) }
end
if t[3] ~= '1' or t[2] ~= '' then
  redis.call('ZREM', KEYS[5], ARGV[1])
  return { -2, tonumber(t[3]) }
end
if epoch ~= seen then return { -3, epoch } end
local running = redis.call('HGET', KEYS[2], 'running')
if running ~= ARGV[1] then return { -6, running or '' } end
local deadline = now_ms() + ARGV[4]
local over = string.format('%.0f', deadline + 60000)
redis.call('HSET', KEYS[1], 'epoch', epoch + 1, 'owner', ARGV[3], 'deadline', string.format('%.0f', deadline))
redis.call('HSET', KEYS[2], 'lock_until', over)
keep_for(KEYS[2], ARGV[4] + 60000)
redis.call('ZADD', KEYS[3], over, ARGV[1])
redis.call('ZADD', KEYS[4], over, ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
return { 1, epoch + 1, tonumber(t[4]), deadline }
