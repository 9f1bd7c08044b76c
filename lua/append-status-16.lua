#!lua
--[[
Appends a frozen batch that holds a status (WORKING, a step): the events, the state and the indexes
by the time of the last status in one piece.

KEYS[1] task hash  KEYS[2] event log  KEYS[3] snapshot  KEYS[4] channel of the task
KEYS[5] tenant's tasks  KEYS[6] user's tasks  KEYS[7] context's tasks
KEYS[8..15] user's tasks by state, in the order of the states' numbers 1 … 8
KEYS[16] tasks whose webhooks are due

ARGV[1] epoch of the run  ARGV[2] expected head: seq before this batch  ARGV[3] task TTL, ms
ARGV[4] task id  ARGV[5] number of the state: 2 (WORKING)  ARGV[6] time of the status, ms
ARGV[7..] events, JSON, one line each

Output {1, head seq, cancel mark or ''}: applied, now or by an earlier send of the same batch
       {-1} missing  {-2, state} settled  {-3} stale epoch  {-5, head} log rewound
       {-12, head} head moved by another writer of this epoch (a fault of the caller)
Event  `<base seq> <epoch> - <ms>` and the events, a line each, on KEYS[4]
]]
--- @include check_owner
--- @include append_events
--- @include keep_for
--- @include move_state
local reply = check_owner(KEYS[1], ARGV[1], tonumber(ARGV[2]), #ARGV - 6)
if reply then return reply end

local seq = append_events(KEYS[2], KEYS[4], tonumber(ARGV[2]), ARGV[1], '-', 7)
redis.call('HSET', KEYS[1], 'seq', seq)
move_state(KEYS[1], ARGV[4], 7, { KEYS[5], KEYS[6], KEYS[7] }, tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[3])
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
local seen = redis.call('HMGET', KEYS[1], 'cancel', 'push')
if seen[2] then redis.call('ZADD', KEYS[16], 'NX', tonumber(ARGV[6]), ARGV[4]) end
return { 1, seq, seen[1] or '' }
