#!lua flags=allow-oom
--[[
Deletes a task that has ended: its document, log and webhooks, and its place in every index. What
its context remembers of it goes with the context.

KEYS[1]  task hash            KEYS[2]  event log            KEYS[3]  snapshot
KEYS[4]  webhooks of the task KEYS[5]  tasks whose webhooks are due
KEYS[6]  tenant's tasks       KEYS[7]  user's tasks         KEYS[8]  context's tasks
KEYS[9..16] user's tasks by state, in the order of the states' numbers 1 … 8
KEYS[17] the answer of this very call, for a resend
KEYS[18] ended tasks that the user keeps  KEYS[19] the sum of their bytes

ARGV[1] task id  ARGV[2] user, who must own the task

Output {1, its list of files or ''}: deleted, now or by an earlier send
       {-1} missing, or another user's  {-17, state} not ended
]]
--- @include kept
local t = redis.call('HMGET', KEYS[1], 'user', 'state', 'files', 'bytes')
if not t[1] then
  local files = redis.call('GET', KEYS[17])
  if files then return { 1, files } end
end
if t[1] ~= ARGV[2] then return { -1 } end
local state = tonumber(t[2])
if state < 3 or state == 6 or state == 8 then return { -17, state } end

redis.call('SET', KEYS[17], t[3] or '', 'PX', 60000)
for i = 1, 4 do redis.call('DEL', KEYS[i]) end
for i = 5, 16 do redis.call('ZREM', KEYS[i], ARGV[1]) end
if t[4] then unkeep(KEYS[18], KEYS[19], t[4] .. ' ' .. ARGV[1]) end
return { 1, t[3] or '' }
