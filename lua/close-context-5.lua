#!lua flags=allow-oom
--[[
Closes a context in which nothing runs, waits or is asked: its history and its count of turns are
gone; its tasks stay until they expire or are deleted.

KEYS[1] context hash  KEYS[2] context's history  KEYS[3] user's contexts
KEYS[4] context's queue of tasks  KEYS[5] the answer of this very call, for a resend

ARGV[1] context id  ARGV[2] a task whose question is known to be void, or ''

Output {1}: closed, now or by an earlier send
       {-1} missing  {-6, running task id or ''} a task runs or waits  {-18, task id} a question is open
]]
--- @include now_ms
local context = redis.call('HMGET', KEYS[1], 'turn', 'running', 'lock_until', 'parked')
if not context[1] then
  if redis.call('EXISTS', KEYS[5]) == 1 then return { 1 } end
  return { -1 }
end
local runs = context[2] and tonumber(context[3]) > now_ms()
if runs or redis.call('LLEN', KEYS[4]) > 0 then return { -6, context[2] or '' } end
if context[4] and context[4] ~= ARGV[2] then return { -18, context[4] } end

redis.call('SET', KEYS[5], 1, 'PX', 60000)
for i = 1, 2 do redis.call('DEL', KEYS[i]) end
redis.call('ZREM', KEYS[3], ARGV[1])
return { 1 }
