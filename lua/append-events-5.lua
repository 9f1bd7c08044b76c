#!lua
--[[
Appends a frozen batch of artifact events of a run: the hot path, O(1) in the size of the task.

KEYS[1] task hash  KEYS[2] event log  KEYS[3] snapshot  KEYS[4] channel of the task
KEYS[5] tasks whose webhooks are due

ARGV[1] epoch of the run  ARGV[2] expected head: seq before this batch  ARGV[3] task TTL, ms
ARGV[4] task id  ARGV[5..] events, JSON, one line each

Output {1, head seq, cancel mark or ''}: applied, now or by an earlier send of the same batch
       {-1} missing  {-2, state} settled  {-3} stale epoch  {-5, head} log rewound
       {-12, head} head moved by another writer of this epoch (a fault of the caller)
Event  `<base seq> <epoch> - <ms>` and the events, a line each, on KEYS[4]
]]
--- @include now_ms
--- @include check_owner
--- @include append_events
local reply = check_owner(KEYS[1], ARGV[1], tonumber(ARGV[2]), #ARGV - 4)
if reply then return reply end

local seq = append_events(KEYS[2], KEYS[4], tonumber(ARGV[2]), ARGV[1], '-', 5)
redis.call('HSET', KEYS[1], 'seq', seq)
local seen = redis.call('HMGET', KEYS[1], 'ttl_at', 'cancel', 'push')
local now = now_ms()
-- Not with each batch, but long before what was set runs out.
if now - tonumber(seen[1] or 0) > math.min(60000, ARGV[3] / 4) then
  redis.call('HSET', KEYS[1], 'ttl_at', string.format('%.0f', now))
  for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
end
if seen[3] then redis.call('ZADD', KEYS[5], 'NX', now, ARGV[4]) end
return { 1, seq, seen[2] or '' }
