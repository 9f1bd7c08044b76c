#!lua
--[[
Decides a request, once: the first decision counts. An operator can decide it while it is pending and
the run that asked still owns its task; the run itself ends it when its time is up.

KEYS[1] the tenant's pending requests  KEYS[2] approval hash  KEYS[3] task hash

ARGV[1] approval id  ARGV[2] 'approved', 'refused' or 'expired'  ARGV[3] who decides, or ''

Output {1, decision, who}: what it was decided to be, now or before
       {-1} missing  {-3} the run that asked has lost its task
]]
--- @include now_ms
local a = redis.call('HMGET', KEYS[2], 'state', 'epoch', 'expires', 'by')
if not a[1] then return { -1 } end
if a[1] ~= 'pending' then return { 1, a[1], a[4] or '' } end
local decision, by = ARGV[2], ARGV[3]
local lost = redis.call('HGET', KEYS[3], 'epoch') ~= a[2]
if lost or now_ms() >= tonumber(a[3]) then decision, by = 'expired', '' end
redis.call('HSET', KEYS[2], 'state', decision, 'by', by)
redis.call('ZREM', KEYS[1], ARGV[1])
if lost then return { -3 } end
return { 1, decision, by }
