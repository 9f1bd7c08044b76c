#!lua
--[[
Spends of what a token, a user and their tenant may use on a day, or refuses it. Sent twice it spends
twice: a resend after a cut connection ends an allowance a little early, never late.

KEYS[1] tenant meta  KEYS[2] what the tenant has spent on the day

ARGV[1] generation of the tenant that the caller knows  ARGV[2] kind: 'llm' or 'tools'
ARGV[3] token  ARGV[4] user  ARGV[5] amount; below 0 something is given back
ARGV[6] 1: only if it is allowed, 0: it has been used already
ARGV[7..9] most of the token, the user and the tenant; 0: no limit

Output {1} spent  {-25, whose allowance is used up: 1 token, 2 user, 3 tenant}
       {-9} tenant deleted, or another generation: nothing is counted
]]
--- @include allowance
local tenant = redis.call('HMGET', KEYS[1], 'state', 'generation')
if tenant[1] == 'deleted' or (tenant[2] or '0') ~= ARGV[1] then return { -9 } end
local most = { tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]) }
local whose = ARGV[6] == '1' and over_allowance(KEYS[2], ARGV[2], ARGV[3], ARGV[4], most, tonumber(ARGV[5]))
if whose then return { -25, whose } end
spend(KEYS[2], ARGV[2], ARGV[3], ARGV[4], most, ARGV[5])
return { 1 }
