#!lua
--[[
Takes an entry of the due set. A task's own entry (it has something new) becomes an entry for each of
its webhooks; a webhook's entry is claimed by one sender, of all instances, for a bounded time.

KEYS[1] task hash  KEYS[2] webhooks of the task  KEYS[3] what is due for webhooks

ARGV[1] task id  ARGV[2] webhook id, or '' for the task's own entry
ARGV[3] token of this claim  ARGV[4] how long it holds, ms

Output {1, sealed webhook, cursor or '', failed tries, failing since ms, seq up to which the failed
        one told, now ms}: claimed, now or by an earlier send
       {0} nothing to do now: all told, claimed by another, or to be tried later
       {2} the task's entry became its webhooks'
       {-1} the task or the webhook is gone, and so is the entry
]]
--- @include now_ms
local id, hook = ARGV[1], ARGV[2]
local entry = hook == '' and id or id .. ' ' .. hook
local seq = tonumber(redis.call('HGET', KEYS[1], 'seq') or -1)
if seq < 0 or redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('ZREM', KEYS[3], entry)
  return { -1 }
end
local now, ttl = now_ms(), redis.call('PTTL', KEYS[1])
if ttl > 0 then redis.call('PEXPIRE', KEYS[2], ttl) end

if hook == '' then
  redis.call('ZREM', KEYS[3], id)
  for _, field in ipairs(redis.call('HKEYS', KEYS[2])) do
    local name = string.match(field, '^hook:(.*)$')
    -- One that is claimed or waits for its next try keeps its time.
    if name then redis.call('ZADD', KEYS[3], 'NX', now, id .. ' ' .. name) end
  end
  return { 2 }
end

local c = redis.call('HMGET', KEYS[2], 'hook:' .. hook, 'at:' .. hook, 'hold:' .. hook, 'fail:' .. hook)
if not c[1] or tonumber(string.match(c[2], '^%d+')) == seq then
  redis.call('ZREM', KEYS[3], entry)
  return { c[1] and 0 or -1 }
end
local holder, till = string.match(c[3] or '', '^(%S+) (%d+)$')
if holder and holder ~= ARGV[3] and tonumber(till) > now then
  redis.call('ZADD', KEYS[3], till, entry)
  return { 0 }
end
local tries, again, since, upto = string.match(c[4] or '0 0 0 0', '^(%d+) (%d+) (%d+) (%d+)$')
if tonumber(again) > now then
  redis.call('ZADD', KEYS[3], again, entry)
  return { 0 }
end
till = string.format('%.0f', now + ARGV[4])
redis.call('HSET', KEYS[2], 'hold:' .. hook, ARGV[3] .. ' ' .. till)
redis.call('ZADD', KEYS[3], till, entry)
return { 1, c[1], c[2], tonumber(tries), tonumber(since), tonumber(upto), now }
