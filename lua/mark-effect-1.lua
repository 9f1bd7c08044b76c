#!lua flags=allow-oom
--[[
Records that a run is about to change something outside (an intent), that this can be followed from
any instance (a link), or what became of it (an outcome): fenced, so that a run that lost its task
does not start a write, nor one whose epoch another instance has, too, because a fail-over forgot a
take-over. Only an intent without link or outcome counts as open.

KEYS[1] task hash

ARGV[1] epoch of the run  ARGV[2] effect id, unique in the task  ARGV[3] 'intent', 'link' or
'outcome'  ARGV[4] what will be done, where to follow it, or what was done  ARGV[5] instance of the
run  ARGV[6] of an intent: its plan, by which another instance can look what became of it, or ''

Output {1}: recorded, now or before
       {2, text} an intent whose outcome is known already, by an earlier attempt: do not do it again
       {-1} missing  {-2, state} settled  {-3} stale epoch, or another instance's  {-15} canceled: do not start it
]]
local field = 'effect:' .. ARGV[2]
local t = redis.call('HMGET', KEYS[1], 'epoch', 'state', 'cancel', field, 'owner')
if not t[1] then return { -1 } end
if t[1] ~= ARGV[1] then return { -3 } end
if tonumber(t[2]) > 2 then return { -2, tonumber(t[2]) } end
if t[5] ~= ARGV[5] then return { -3 } end
local recorded = t[4] and string.match(t[4], '^%a+')
if recorded == ARGV[3] and recorded ~= 'link' then return { 1 } end
if recorded == 'outcome' then return { 2, string.sub(t[4], 9) } end
if ARGV[3] == 'intent' then
  if recorded == 'link' then return { 1 } end
  if t[3] then return { -15 } end
  redis.call('HINCRBY', KEYS[1], 'open_effects', 1)
  if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'plan:' .. ARGV[2], ARGV[6]) end
elseif recorded == 'intent' then
  redis.call('HINCRBY', KEYS[1], 'open_effects', -1)
end
redis.call('HSET', KEYS[1], field, ARGV[3] .. ' ' .. ARGV[4])
return { 1 }
