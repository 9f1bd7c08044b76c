#!lua
--[[
Renews the lease on an instance's counts of open streams.

KEYS[1] open streams of the tenant, by instance

ARGV[1] instance  ARGV[2] lease, ms  ARGV[3] the tenant's streams on this instance
ARGV[4] how long the key outlives the last change, ms

Output {1 if the counts were alive before, else 0}
]]
--- @include now_ms
local now = now_ms()
local before = redis.call('HGET', KEYS[1], ARGV[1])
local till = before and string.match(before, '^%d+')
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now + ARGV[2]) .. ' ' .. ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return { till and tonumber(till) > now and 1 or 0 }
