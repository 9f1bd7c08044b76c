#!lua
--[[
Names the oldest ended tasks that a user keeps above the limits, a few at a time, and holds the user
for the one who asked. Those are then deleted one by one; the newest is never among them.

KEYS[1] ended tasks that the user keeps  KEYS[2] the sum of their bytes
KEYS[3] users of the tenant who keep too much

ARGV[1] user  ARGV[2] most tasks  ARGV[3] most bytes  ARGV[4] task TTL, ms
ARGV[5] most tasks to name  ARGV[6] how long others leave the user alone, ms
ARGV[7] an entry named before whose task is gone, or ''

Output {1, {`<bytes> <task id>`, …}}: none when the user keeps no more than allowed
]]
--- @include now_ms
--- @include kept
if ARGV[7] ~= '' then unkeep(KEYS[1], KEYS[2], ARGV[7]) end
local now = now_ms()
unkeep_expired(KEYS[1], KEYS[2], now - ARGV[4])
local count = redis.call('ZCARD', KEYS[1])
local total = tonumber(redis.call('GET', KEYS[2]) or 0)
local surplus = {}
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, ARGV[5] - 1)) do
  local over = count > tonumber(ARGV[2]) or total > tonumber(ARGV[3])
  if not over or count == 1 then break end
  surplus[#surplus + 1] = member
  count = count - 1
  total = total - string.match(member, '^%d+')
end
if #surplus == 0 then
  redis.call('ZREM', KEYS[3], ARGV[1])
else
  redis.call('ZADD', KEYS[3], now + ARGV[6], ARGV[1])
end
return { 1, surplus }
