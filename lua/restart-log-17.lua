#!lua
--[[
Lets a run go on whose log came back shorter than was acknowledged, when it cannot append again what
is missing: the log starts over with one Task event, behind every event that anybody was shown.

KEYS[1] task hash  KEYS[2] event log  KEYS[3] snapshot  KEYS[4] staged snapshot
KEYS[5] channel of the task  KEYS[6] tenant's tasks  KEYS[7] user's tasks  KEYS[8] context's tasks
KEYS[9..16] user's tasks by state, in the order of the states' numbers 1 … 8
KEYS[17] tasks whose webhooks are due

ARGV[1] epoch of the run  ARGV[2] head as found  ARGV[3] task TTL, ms  ARGV[4] task id
ARGV[5] seq before the Task event: the last that was acknowledged  ARGV[6] time of the status, ms
ARGV[7] snapshot `<seq>-<epoch>\n<Task JSON>`, or '' to take the staged one
ARGV[8] Task event in WORKING, JSON

Output {1, head seq, cancel mark or ''}: started over, now or by an earlier send
       {-1} missing  {-2, state} settled  {-3} stale epoch
       {-5, head} the log is not as it was found  {-14} the staged snapshot is gone
Event  `<seq> <epoch> -` and the Task event on KEYS[5]
]]
--- @include append_events
--- @include keep_for
--- @include move_state
local t = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'state', 'cancel', 'push')
if not t[1] then return { -1 } end
if t[1] ~= ARGV[1] then return { -3 } end
if tonumber(t[3]) > 2 then return { -2, tonumber(t[3]) } end
local seq, before = tonumber(t[2]), tonumber(ARGV[5])
if seq == before + 1 then return { 1, seq, t[4] or '' } end
if seq ~= tonumber(ARGV[2]) or seq >= before then return { -5, seq } end
if ARGV[7] == '' and redis.call('EXISTS', KEYS[4]) == 0 then return { -14 } end

redis.call('XTRIM', KEYS[2], 'MAXLEN', 0)
seq = append_events(KEYS[2], KEYS[5], before, ARGV[1], '-', 8)
if ARGV[7] == '' then redis.call('RENAME', KEYS[4], KEYS[3]) else redis.call('SET', KEYS[3], ARGV[7]) end
redis.call('HSET', KEYS[1], 'seq', seq, 'snapshot_seq', seq)
move_state(KEYS[1], ARGV[4], 8, { KEYS[6], KEYS[7], KEYS[8] }, 2, tonumber(ARGV[6]), ARGV[3])
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
if t[5] then redis.call('ZADD', KEYS[17], 'NX', tonumber(ARGV[6]), ARGV[4]) end
return { 1, seq, t[4] or '' }
