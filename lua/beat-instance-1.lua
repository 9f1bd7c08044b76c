#!lua
--[[
Renews an instance's lease and names the instances whose lease is over.

KEYS[1] instances

ARGV[1] instance id  ARGV[2] lease, ms

Output {now ms, {dead instance id, …}}
]]
--- @include now_ms
local now = now_ms()
redis.call('ZADD', KEYS[1], now, ARGV[1])
return { now, redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.0f', now - ARGV[2])) }
