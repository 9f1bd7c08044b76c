#!lua
--[[
Creates a task with its first event (a Task in SUBMITTED), takes the context's lock and a place in
both quotas, or joins the task that the same message started and that still runs.

KEYS[1]  tenant meta          KEYS[2]  task hash            KEYS[3]  event log
KEYS[4]  snapshot             KEYS[5]  context hash         KEYS[6]  message id of the user
KEYS[7]  tenant's active set  KEYS[8]  user's active set    KEYS[9]  tenant's tasks
KEYS[10] user's tasks         KEYS[11] context's tasks      KEYS[12] user's SUBMITTED tasks
KEYS[13] idempotency key of the user                        KEYS[14] user's contexts
KEYS[15] queue of the context                               KEYS[16] what the tenant has spent today
KEYS[17] tokens that hold the user's active tasks

ARGV[1]  task id              ARGV[2]  user                 ARGV[3]  context id
ARGV[4]  nonce of this create ARGV[5]  owner instance       ARGV[6]  time of the status, ms
ARGV[7]  run budget, ms       ARGV[8]  user's quota         ARGV[9]  tenant's quota
ARGV[10] content fingerprint  ARGV[11] Task JSON up to the turn number
ARGV[12] Task JSON after it   ARGV[13] frozen call, JSON    ARGV[14] task TTL, ms
ARGV[15] context idle time, ms
ARGV[16] fingerprint under the idempotency key, or '' for none
ARGV[17] what a busy context does: 'reject' or 'queue'
ARGV[18] generation of the tenant that the caller knows
ARGV[19] token                ARGV[20] most active tasks of it, or 0
ARGV[21..23] most tasks a day of the token, the user and the tenant; 0: no limit

Output {1, turn, deadline ms} created, or created by this same nonce before
       {4, turn, 0} created and waiting in the context's queue
       {2, task id} joined the running task of the same message
       {3, task id} the idempotency key was used for this before  {-16} … for something else
       {-6, running task id} context busy  {-7} user's quota  {-8} tenant's quota
       {-9} tenant or user not active, or another generation  {-13} id in use
       {-24} the token's quota  {-25, 1 token, 2 user, 3 tenant} as many tasks as a day may have
]]
--- @include now_ms
--- @include used_before
--- @include keep_for
--- @include allowance
--- @include no_place
--- @include take_place
local tenant = redis.call('HMGET', KEYS[1], 'state', 'generation', 'user:' .. ARGV[2])
if tenant[1] and tenant[1] ~= 'active' or tenant[3] or (tenant[2] or '0') ~= ARGV[18] then return { -9 } end

local known = redis.call('HMGET', KEYS[2], 'nonce', 'turn', 'deadline', 'owner')
if known[1] then
  if known[1] ~= ARGV[4] then return { -13 } end
  return { known[4] == '' and 4 or 1, tonumber(known[2]), tonumber(known[3]) }
end

local used = ARGV[16] ~= '' and used_before(KEYS[13], ARGV[16])
if used then return used end
local message = redis.call('GET', KEYS[6])
if message then
  local id, fingerprint = string.match(message, '^(%S+) (%S+)$')
  if fingerprint == ARGV[10] then return { 2, id } end
end

local now = now_ms()
local lock = redis.call('HMGET', KEYS[5], 'running', 'lock_until')
local busy = lock[1] and tonumber(lock[2]) > now
if busy and ARGV[17] ~= 'queue' then return { -6, lock[1] } end

local refusal = no_place(KEYS[7], KEYS[8], KEYS[17], ARGV[9], ARGV[8], ARGV[19], ARGV[20], now)
if refusal then return refusal end
local most = { tonumber(ARGV[21]), tonumber(ARGV[22]), tonumber(ARGV[23]) }
local whose = over_allowance(KEYS[16], 'tasks', ARGV[19], ARGV[2], most, 1)
if whose then return { -25, whose } end
spend(KEYS[16], 'tasks', ARGV[19], ARGV[2], most, 1)
local deadline = busy and 0 or now + ARGV[7]
-- Who waits lives until its turn at least: each one before it may take its whole budget.
local lives = ARGV[14] + (busy and (redis.call('LLEN', KEYS[15]) + 1) * (ARGV[7] + 60000) or 0)
local longest = math.max(lives, ARGV[7] + 60000)
local kept, least = math.max(ARGV[14] * 2, longest), math.max(ARGV[14] * 1.5, longest)
local over = string.format('%.0f', busy and now + lives or deadline + 60000)
local turn = redis.call('HINCRBY', KEYS[5], 'turn', 1)
if busy then
  redis.call('HSET', KEYS[5], 'updated', ARGV[6])
  redis.call('RPUSH', KEYS[15], ARGV[1])
  keep_for(KEYS[15], lives)
else
  redis.call('HSET', KEYS[5], 'updated', ARGV[6], 'running', ARGV[1], 'lock_until', over)
end
keep_for(KEYS[5], busy and math.max(lives, ARGV[15]) or ARGV[15])
redis.call('SET', KEYS[6], ARGV[1] .. ' ' .. ARGV[10], 'PX', lives)
if ARGV[16] ~= '' then redis.call('SET', KEYS[13], ARGV[1] .. ' ' .. ARGV[16], 'PX', ARGV[14]) end
local task = ARGV[11] .. turn .. ARGV[12]
redis.call('HSET', KEYS[2], 'user', ARGV[2], 'context_id', ARGV[3], 'state', 1, 'version', 1, 'seq', 1,
  'epoch', 1, 'owner', busy and '' or ARGV[5], 'attempt', 1, 'deaths', 0, 'open_effects', 0, 'created', ARGV[6],
  'updated', ARGV[6], 'deadline', string.format('%.0f', deadline), 'call', ARGV[13], 'turn', turn,
  'nonce', ARGV[4], 'snapshot_seq', 1, 'ttl_at', string.format('%.0f', now))
redis.call('SET', KEYS[4], '1-1\n' .. task, 'PX', lives)
redis.call('XADD', KEYS[3], '1-1', 'e', '{"task":' .. task .. '}')
for i = 2, 3 do redis.call('PEXPIRE', KEYS[i], lives) end
take_place(KEYS[7], KEYS[8], KEYS[17], ARGV[1], over, ARGV[19], ARGV[20], kept, least)
for i = 9, 12 do
  redis.call('ZADD', KEYS[i], ARGV[6], ARGV[1])
  keep_for(KEYS[i], kept, least)
end
redis.call('ZADD', KEYS[14], ARGV[6], ARGV[3])
keep_for(KEYS[14], math.max(kept, ARGV[15]), math.max(least, ARGV[15]))
return { busy and 4 or 1, turn, deadline }
