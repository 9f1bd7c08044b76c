#!lua flags=allow-oom
--[[
Ends a run: terminal for ever, or parked on a question. The state, its event, the snapshot, the
context's lock, the quotas, the indexes and the turn's history change in one piece.

KEYS[1]  task hash            KEYS[2]  event log            KEYS[3]  snapshot
KEYS[4]  staged snapshot      KEYS[5]  channel of the task  KEYS[6]  context hash
KEYS[7]  context's history    KEYS[8]  message id of the user
KEYS[9]  tenant's active set  KEYS[10] user's active set    KEYS[11] tenant's parked set
KEYS[12] user's parked set    KEYS[13] tenant's tasks       KEYS[14] user's tasks
KEYS[15] context's tasks
KEYS[16..23] user's tasks by state, in the order of the states' numbers 1 … 8
KEYS[24] tasks whose webhooks are due     KEYS[25] queue of the context
KEYS[26] tenant's tasks that were handed the lock of their context
KEYS[27..29] ended tasks that the user keeps, the sum of their bytes, users who keep too much

ARGV[1]  epoch of the run     ARGV[2]  expected head: seq before this batch
ARGV[3]  task TTL, ms         ARGV[4]  task id              ARGV[5]  number of the new state
ARGV[6]  time of the status, ms
ARGV[7]  snapshot `<seq>-<epoch>\n<Task JSON>`, or '' to take the staged one
ARGV[8]  turn for the history, JSON, or ''                  ARGV[9]  turns to keep
ARGV[10] ms until a parked task expires                     ARGV[11] parked tasks a user may have
ARGV[12] what the question expects, or ''                   ARGV[13] context idle time, ms
ARGV[14] events to keep below the snapshot
ARGV[15] ended tasks that a user may keep                   ARGV[16] bytes of them
ARGV[17..] events, JSON, one line each

Output {1, head seq, oldest parked task over the cap or '', task that now holds the lock or ''}:
       settled, now or by an earlier send
       {-1} missing  {-2, state} terminal already, or parked already  {-3} stale epoch
       {-5, head} log rewound  {-12, head} head moved  {-14} the staged snapshot is gone
Event  `<base seq> <epoch> s <ms>` and the events, a line each, on KEYS[5]
]]
--- @include now_ms
--- @include append_events
--- @include kept
--- @include keep_for
--- @include move_state
--- @include keep_ended
local t = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'state', 'push')
if not t[1] then return { -1 } end
if t[1] ~= ARGV[1] then return { -3 } end
local id, state, new_state = ARGV[4], tonumber(t[3]), tonumber(ARGV[5])
local seq, expected = tonumber(t[2]), tonumber(ARGV[2])
if state == new_state and seq == expected + #ARGV - 16 then return { 1, seq, '', '' } end
local parks, parked = new_state == 6 or new_state == 8, state == 6 or state == 8
if state > 2 and (parks or not parked) then return { -2, state } end
if seq < expected then return { -5, seq } end
if seq > expected then return { -12, seq } end
if ARGV[7] == '' and redis.call('EXISTS', KEYS[4]) == 0 then return { -14 } end

seq = append_events(KEYS[2], KEYS[5], expected, ARGV[1], 's', 17)
if ARGV[7] == '' then redis.call('RENAME', KEYS[4], KEYS[3]) else redis.call('SET', KEYS[3], ARGV[7]) end
if seq > tonumber(ARGV[14]) then redis.call('XTRIM', KEYS[2], 'MINID', seq - ARGV[14] .. '-0') end
redis.call('HSET', KEYS[1], 'seq', seq, 'snapshot_seq', seq, 'owner', '', 'expects', ARGV[12])
local ttl = parks and ARGV[3] + ARGV[10] or tonumber(ARGV[3])
move_state(KEYS[1], id, 15, { KEYS[13], KEYS[14], KEYS[15] }, new_state, tonumber(ARGV[6]), ttl)

local context = redis.call('HMGET', KEYS[6], 'running', 'parked')
local handed = ''
if context[1] == id then
  redis.call('HDEL', KEYS[6], 'running', 'lock_until')
  handed = redis.call('LPOP', KEYS[25]) or ''
else
  redis.call('LREM', KEYS[25], 0, id)
end
redis.call('ZREM', KEYS[26], id)
if handed ~= '' then
  local now = now_ms()
  redis.call('HSET', KEYS[6], 'running', handed, 'lock_until', string.format('%.0f', now + ARGV[3]))
  redis.call('ZADD', KEYS[26], now, handed)
end
for i = 9, 10 do redis.call('ZREM', KEYS[i], id) end
local evicted = ''
if parks then
  local over = string.format('%.0f', now_ms() + ARGV[10])
  for _, key in ipairs({ KEYS[11], KEYS[12] }) do
    redis.call('ZADD', key, over, id)
    keep_for(key, ttl * 2, ttl * 1.5)
  end
  redis.call('HSET', KEYS[6], 'parked', id)
  if redis.call('ZCARD', KEYS[12]) > tonumber(ARGV[11]) then evicted = redis.call('ZRANGE', KEYS[12], 0, 0)[1] end
else
  if parked then for i = 11, 12 do redis.call('ZREM', KEYS[i], id) end end
  if context[2] == id then redis.call('HDEL', KEYS[6], 'parked') end
  redis.call('DEL', KEYS[8])
  local parts = { KEYS[1], KEYS[2], KEYS[3] }
  keep_ended(KEYS[1], id, parts, KEYS[27], KEYS[28], KEYS[29], ARGV[15], ARGV[16], ttl)
end
if ARGV[8] ~= '' then
  redis.call('RPUSH', KEYS[7], ARGV[8])
  redis.call('LTRIM', KEYS[7], -ARGV[9], -1)
  redis.call('PEXPIRE', KEYS[7], ARGV[13])
end
-- An open question and another's lock outlive the context's idle time.
local waits = parks or handed ~= '' or (context[1] or id) ~= id or (context[2] or id) ~= id
if waits then keep_for(KEYS[6], math.max(ARGV[13], ttl)) else redis.call('PEXPIRE', KEYS[6], ARGV[13]) end
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ttl) end
if t[4] then redis.call('ZADD', KEYS[24], 'NX', tonumber(ARGV[6]), id) end
return { 1, seq, evicted, handed }
