#!lua
--[[
Continues a parked task with its user's answer, as a new run on this instance: a new epoch, a fresh
deadline, the context's lock and a place in both quotas, with a Task event that holds the answer.

KEYS[1]  tenant meta          KEYS[2]  task hash            KEYS[3]  event log
KEYS[4]  snapshot             KEYS[5]  staged snapshot      KEYS[6]  channel of the task
KEYS[7]  context hash         KEYS[8]  tenant's active set  KEYS[9]  user's active set
KEYS[10] tenant's parked set  KEYS[11] user's parked set    KEYS[12] tenant's tasks
KEYS[13] user's tasks         KEYS[14] context's tasks
KEYS[15..22] user's tasks by state, in the order of the states' numbers 1 … 8
KEYS[23] idempotency key of the user      KEYS[24] tasks whose webhooks are due
KEYS[25] tokens that hold the user's active tasks

ARGV[1]  task id              ARGV[2]  expected head seq    ARGV[3]  epoch seen
ARGV[4]  nonce of this call   ARGV[5]  owner instance       ARGV[6]  time of the status, ms
ARGV[7]  run budget, ms       ARGV[8]  user's quota         ARGV[9]  tenant's quota
ARGV[10] task TTL, ms         ARGV[11] context idle time, ms
ARGV[12] snapshot `<seq>-<epoch>\n<Task JSON>`, or '' to take the staged one
ARGV[13] frozen call, JSON    ARGV[14] fingerprint under the idempotency key, or '' for none
ARGV[15] token                ARGV[16] most active tasks of it, or 0
ARGV[17] Task event in WORKING, JSON

Output {1, head seq, epoch, deadline ms}: continued, now or by this same nonce before
       {3, task id} the idempotency key was used for this before  {-16} … for something else
       {-1} missing  {-2, state} terminal  {-6, running task id} context busy
       {-7} user's quota  {-8} tenant's quota  {-9} tenant or user not active
       {-11, state} not parked  {-24} the token's quota
       {-12, head} head moved since it was read  {-14} the staged snapshot is gone
Event  `<seq> <epoch> - <ms>` and the Task event on KEYS[6]
]]
--- @include now_ms
--- @include used_before
--- @include append_events
--- @include keep_for
--- @include move_state
--- @include no_place
--- @include take_place
local t = redis.call('HMGET', KEYS[2], 'epoch', 'seq', 'state', 'nonce', 'deadline', 'push', 'user')
if not t[1] then return { -1 } end
if t[4] == ARGV[4] then return { 1, tonumber(t[2]), tonumber(t[1]), tonumber(t[5]) } end
local used = ARGV[14] ~= '' and used_before(KEYS[23], ARGV[14])
if used then return used end
local tenant = redis.call('HMGET', KEYS[1], 'state', 'user:' .. t[7])
if tenant[1] and tenant[1] ~= 'active' or tenant[2] then return { -9 } end
local state = tonumber(t[3])
if state <= 2 then return { -11, state } end
if state ~= 6 and state ~= 8 then return { -2, state } end
if t[1] ~= ARGV[3] or t[2] ~= ARGV[2] then return { -12, tonumber(t[2]) } end

local id, now = ARGV[1], now_ms()
local lock = redis.call('HMGET', KEYS[7], 'running', 'lock_until', 'parked')
if lock[1] and lock[1] ~= id and tonumber(lock[2]) > now then return { -6, lock[1] } end
local refusal = no_place(KEYS[8], KEYS[9], KEYS[25], ARGV[9], ARGV[8], ARGV[15], ARGV[16], now)
if refusal then return refusal end
if ARGV[12] == '' and redis.call('EXISTS', KEYS[5]) == 0 then return { -14 } end

local epoch, deadline = string.format('%d', t[1] + 1), now + ARGV[7]
local over = string.format('%.0f', deadline + 60000)
local seq = append_events(KEYS[3], KEYS[6], tonumber(t[2]), epoch, '-', 17)
if ARGV[12] == '' then redis.call('RENAME', KEYS[5], KEYS[4]) else redis.call('SET', KEYS[4], ARGV[12]) end
redis.call('HSET', KEYS[2], 'seq', seq, 'snapshot_seq', seq, 'epoch', epoch, 'owner', ARGV[5],
  'nonce', ARGV[4], 'attempt', 1, 'deaths', 0, 'open_effects', 0, 'expects', '', 'call', ARGV[13],
  'deadline', string.format('%.0f', deadline), 'ttl_at', string.format('%.0f', now))
move_state(KEYS[2], id, 14, { KEYS[12], KEYS[13], KEYS[14] }, 2, tonumber(ARGV[6]), ARGV[10])
redis.call('ZREM', KEYS[10], id)
redis.call('ZREM', KEYS[11], id)
local kept, least = math.max(ARGV[10] * 2, ARGV[7] + 60000), math.max(ARGV[10] * 1.5, ARGV[7] + 60000)
take_place(KEYS[8], KEYS[9], KEYS[25], id, over, ARGV[15], ARGV[16], kept, least)
if lock[3] == id then redis.call('HDEL', KEYS[7], 'parked') end
redis.call('HSET', KEYS[7], 'running', id, 'lock_until', over, 'updated', ARGV[6])
keep_for(KEYS[7], ARGV[11])
for i = 2, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[10]) end
if ARGV[14] ~= '' then redis.call('SET', KEYS[23], id .. ' ' .. ARGV[14], 'PX', ARGV[10]) end
if t[6] then redis.call('ZADD', KEYS[24], 'NX', now, id) end
return { 1, seq, tonumber(epoch), deadline }
