#!lua
--[[
Puts a run's request before the operators of its tenant. A few at a time: nobody reads a long queue,
and each holds a run.

KEYS[1] the tenant's pending requests, by when they expire  KEYS[2] approval hash  KEYS[3] task hash

ARGV[1] approval id  ARGV[2] epoch of the run  ARGV[3] ms until it expires
ARGV[4] requests that may be pending at once   ARGV[5] ms for which it is kept
ARGV[6] request, JSON

Output {1, expires ms}: open, now or by an earlier send
       {-1} missing task  {-2, state} settled  {-3} stale epoch  {-15} canceled
       {-22} as many are pending as may be
]]
--- @include now_ms
local t = redis.call('HMGET', KEYS[3], 'epoch', 'state', 'cancel')
if not t[1] then return { -1 } end
if t[1] ~= ARGV[2] then return { -3 } end
if tonumber(t[2]) > 2 then return { -2, tonumber(t[2]) } end
local known = redis.call('HGET', KEYS[2], 'expires')
if known then return { 1, tonumber(known) } end
if t[3] then return { -15 } end
local now = now_ms()
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return { -22 } end
local expires = string.format('%.0f', now + ARGV[3])
redis.call('HSET', KEYS[2], 'state', 'pending', 'epoch', ARGV[2], 'expires', expires, 'request', ARGV[6])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
redis.call('ZADD', KEYS[1], expires, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return { 1, tonumber(expires) }
