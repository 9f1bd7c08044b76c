#!lua flags=allow-oom
--[[
Takes a task from its owner by a higher epoch: from then on no write of the former run is accepted.

KEYS[1] task hash

ARGV[1] epoch seen  ARGV[2] new owner instance
ARGV[3] why: 'death' (counts as one), 'handover' (the owner asked), 'end' (only to settle it)

Output {1, epoch, head seq, state, cancel mark or '', attempt, deaths, open effects, deadline ms,
        now ms}: taken, now or by an earlier send
       {-1} missing  {-2, state} terminal  {-3, epoch} somebody else was faster
       {-11, state} parked, and so without a run to take over
]]
--- @include now_ms
local t = redis.call('HMGET', KEYS[1], 'epoch', 'owner', 'state', 'seq', 'cancel', 'attempt', 'deaths',
  'open_effects', 'deadline')
if not t[1] then return { -1 } end
local epoch, state, why = tonumber(t[1]), tonumber(t[3]), ARGV[3]
local attempt, deaths = tonumber(t[6]), tonumber(t[7])
if state > 2 and state ~= 6 and state ~= 8 then return { -2, state } end
if state > 2 and why ~= 'end' then return { -11, state } end
if not (epoch == ARGV[1] + 1 and t[2] == ARGV[2]) then
  if epoch ~= tonumber(ARGV[1]) then return { -3, epoch } end
  epoch = epoch + 1
  if why ~= 'end' then attempt = attempt + 1 end
  if why == 'death' then deaths = deaths + 1 end
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'owner', ARGV[2], 'attempt', attempt, 'deaths', deaths)
  redis.call('HINCRBY', KEYS[1], 'version', 1)
end
return { 1, epoch, tonumber(t[4]), state, t[5] or '', attempt, deaths, tonumber(t[8] or 0),
  tonumber(t[9]), now_ms() }
