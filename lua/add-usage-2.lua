#!lua
--[[
Adds to what users of a tenant have used on a day. Nothing is added to a tenant that is being deleted,
is gone, or is another one of the same id: its keys must not come back.

KEYS[1] tenant meta  KEYS[2] usage of the day

ARGV[1] generation of the tenant that the caller knows  ARGV[2] how long the day is kept, ms
ARGV[3..] field and count, in turns

Output {1} added  {-9} tenant deleted, or another generation
]]
local tenant = redis.call('HMGET', KEYS[1], 'state', 'generation')
if tenant[1] == 'deleted' or (tenant[2] or '0') ~= ARGV[1] then return { -9 } end
for i = 3, #ARGV, 2 do redis.call('HINCRBY', KEYS[2], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return { 1 }
