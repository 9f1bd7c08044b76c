#!lua
--[[
Stores a tenant of the admin API by compare-and-set of its version, and tells the instances.

KEYS[1] tenants  KEYS[2] changes

ARGV[1] tenant id  ARGV[2] version that it must have, '0' for a new one  ARGV[3] state
ARGV[4] nonce of this call  ARGV[5] when, ms  ARGV[6] document, JSON

Output {1, version, generation}: stored, now or by an earlier send of this same call
       {-23, version} another version, 0 when there is none
]]
local known = redis.call('HGET', KEYS[1], ARGV[1])
local version, generation, nonce = '0', nil, nil
if known then version, generation, nonce = string.match(known, '^(%d+) (%d+) %S+ (%S+) ') end
if nonce == ARGV[4] then return { 1, tonumber(version), tonumber(generation) } end
if version ~= ARGV[2] then return { -23, tonumber(version) } end
if not generation then generation = redis.call('HINCRBY', KEYS[2], 'generation', 1) end
local head = string.format('%.0f %s %s %s %s', version + 1, generation, ARGV[3], ARGV[4], ARGV[5])
redis.call('HSET', KEYS[1], ARGV[1], head .. '\n' .. ARGV[6])
redis.call('HINCRBY', KEYS[2], 'tenants', 1)
return { 1, version + 1, tonumber(generation) }
