#!lua
--[[
Sets how many streams a user, or a token, holds open on an instance, of all instances that live. The counts of an
instance that has not renewed them count no more.

KEYS[1] open streams of the tenant, by instance  KEYS[2] open streams of the user, by instance

ARGV[1] instance  ARGV[2] lease, ms  ARGV[3] the tenant's streams on this instance
ARGV[4] the user's streams on this instance
ARGV[5] most of the tenant, or -1: not to be refused  ARGV[6] most of the user
ARGV[7] how long the keys outlive the last change, ms

Output {1, streams of the tenant, of the user, on all instances; 1 if this instance's counts were
        alive before, else 0}
       {-7} too many of the user  {-8} too many of the tenant
]]
--- @include now_ms
local me, now = ARGV[1], now_ms()
local tenant, user, live, dead = tonumber(ARGV[3]), tonumber(ARGV[4]), {}, {}
local rows = redis.call('HGETALL', KEYS[1])
for i = 1, #rows, 2 do
  local till, count = string.match(rows[i + 1], '^(%d+) (%d+)$')
  if tonumber(till) > now then
    live[rows[i]] = true
    if rows[i] ~= me then tenant = tenant + count end
  elseif rows[i] ~= me then
    dead[#dead + 1] = rows[i]
  end
end
rows = redis.call('HGETALL', KEYS[2])
for i = 1, #rows, 2 do
  if live[rows[i]] and rows[i] ~= me then user = user + rows[i + 1] end
end
if tonumber(ARGV[5]) >= 0 then
  if user > tonumber(ARGV[6]) then return { -7 } end
  if tenant > tonumber(ARGV[5]) then return { -8 } end
end

for _, instance in ipairs(dead) do
  redis.call('HDEL', KEYS[1], instance)
  redis.call('HDEL', KEYS[2], instance)
end
if ARGV[3] == '0' then
  redis.call('HDEL', KEYS[1], me)
else
  redis.call('HSET', KEYS[1], me, string.format('%.0f', now + ARGV[2]) .. ' ' .. ARGV[3])
end
if ARGV[4] == '0' then
  redis.call('HDEL', KEYS[2], me)
else
  redis.call('HSET', KEYS[2], me, ARGV[4])
end
redis.call('PEXPIRE', KEYS[1], ARGV[7])
redis.call('PEXPIRE', KEYS[2], ARGV[7])
return { 1, tenant, user, live[me] and 1 or 0 }
