#!lua flags=allow-oom
--[[
Ends a token: at once for ever, or at a time, never later than it would have ended anyway. It is kept
for a while after its end, to be listed. With a successor it ends only for whoever has seen by which
token it was replaced last: of two who rotate it at once, one does.

KEYS[1] token hash

ARGV[1] field: 'revoked' or 'expires'  ARGV[2] when, ms  ARGV[3] how long it is kept after, ms
ARGV[4] SHA-256 of its successor, or ''  ARGV[5] the one before that was seen, or ''

Output {1} ends then or before  {-1} missing  {-2} it has another successor than was seen
]]
local t = redis.call('HMGET', KEYS[1], 'tenant', 'expires', 'revoked', 'successor')
if not t[1] then return { -1 } end
if ARGV[4] ~= '' and t[4] ~= ARGV[4] then
  if (t[4] or '') ~= ARGV[5] then return { -2 } end
  redis.call('HSET', KEYS[1], 'successor', ARGV[4])
end
if t[3] then return { 1 } end
if ARGV[1] == 'expires' and t[2] and tonumber(t[2]) <= tonumber(ARGV[2]) then return { 1 } end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', ARGV[2] + ARGV[3]))
return { 1 }
