#!lua
--[[
Replaces the snapshot of a running task by a newer one and trims the log below it, keeping at least
the last events for resumes.

KEYS[1] task hash  KEYS[2] event log  KEYS[3] snapshot  KEYS[4] staged snapshot

ARGV[1] epoch of the run  ARGV[2] seq up to which the snapshot is folded  ARGV[3] task TTL, ms
ARGV[4] snapshot `<seq>-<epoch>\n<Task JSON>`, or '' to take the staged one
ARGV[5] events to keep below the snapshot

Output {1} saved, or an equal or newer one stands
       {-1} missing  {-2, state} settled  {-3} stale epoch  {-5, head} log rewound
       {-14} the staged snapshot is gone
]]
local t = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'state', 'snapshot_seq')
if not t[1] then return { -1 } end
if t[1] ~= ARGV[1] then return { -3 } end
if tonumber(t[3]) > 2 then return { -2, tonumber(t[3]) } end
local seq = tonumber(ARGV[2])
if tonumber(t[2]) < seq then return { -5, tonumber(t[2]) } end
if tonumber(t[4]) >= seq then return { 1 } end
if ARGV[4] == '' then
  if redis.call('EXISTS', KEYS[4]) == 0 then return { -14 } end
  redis.call('RENAME', KEYS[4], KEYS[3])
else
  redis.call('SET', KEYS[3], ARGV[4])
end
-- A task that has waited in a queue is kept longer until its next renewal.
redis.call('PEXPIRE', KEYS[3], math.max(tonumber(ARGV[3]), redis.call('PTTL', KEYS[1])))
redis.call('HSET', KEYS[1], 'snapshot_seq', seq)
if seq > tonumber(ARGV[5]) then
  redis.call('XTRIM', KEYS[2], 'MINID', seq - ARGV[5] .. '-0')
end
return { 1 }
