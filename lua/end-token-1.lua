#!lua flags=allow-oom
--[[
Ends a token: at once for ever, or at a time, never later than it would have ended anyway. It is kept
for a while after its end, to be listed.

KEYS[1] token hash

ARGV[1] field: 'revoked' or 'expires'  ARGV[2] when, ms  ARGV[3] how long it is kept after, ms

Output {1} ends then or before  {-1} missing
]]
local t = redis.call('HMGET', KEYS[1], 'tenant', 'expires', 'revoked')
if not t[1] then return { -1 } end
if t[3] then return { 1 } end
if ARGV[1] == 'expires' and t[2] and tonumber(t[2]) <= tonumber(ARGV[2]) then return { 1 } end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', ARGV[2] + ARGV[3]))
return { 1 }
