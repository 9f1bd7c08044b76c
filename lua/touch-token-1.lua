#!lua
--[[
Notes that a token was used: at most once in a while, and never on a token that is gone.

KEYS[1] token hash

ARGV[1] when, ms  ARGV[2] shortest pause between two notes, ms

Output {1} noted  {0} noted lately, or no such token
]]
local t = redis.call('HMGET', KEYS[1], 'tenant', 'used')
if not t[1] or (t[2] and tonumber(t[2]) + ARGV[2] > tonumber(ARGV[1])) then return { 0 } end
redis.call('HSET', KEYS[1], 'used', ARGV[1])
return { 1 }
