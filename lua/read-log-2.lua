#!lua flags=no-writes
--[[
Reads the log after a cursor. The cursor counts only if the log holds that very event (seq and
epoch): after a fail-over another one can stand in its place.

KEYS[1] task hash  KEYS[2] event log

ARGV[1] user who must own the task, or '' for the gateway itself
ARGV[2] seq of the cursor, 0 for the start  ARGV[3] epoch of the cursor  ARGV[4] most events

Output {1, head seq, head epoch, state, {entry id, event, …}}
       {-1} missing, or another user's
       {-4, head seq, head epoch, state} the cursor is beyond the head, of a lost epoch, or trimmed:
       only a snapshot helps
]]
local t = redis.call('HMGET', KEYS[1], 'user', 'seq', 'epoch', 'state')
if not t[1] or (ARGV[1] ~= '' and t[1] ~= ARGV[1]) then return { -1 } end
local seq, epoch, state = tonumber(t[2]), tonumber(t[3]), tonumber(t[4])
local cursor = tonumber(ARGV[2])
local lost = { -4, seq, epoch, state }
if cursor > seq then return lost end
if cursor > 0 then
  local at = redis.call('XRANGE', KEYS[2], cursor .. '-0', '+', 'COUNT', 1)[1]
  if not at or at[1] ~= cursor .. '-' .. ARGV[3] then return lost end
end
local events, expected = {}, cursor + 1
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], expected .. '-0', '+', 'COUNT', ARGV[4])) do
  if #events == 0 and tonumber(string.match(entry[1], '^%d+')) ~= expected then return lost end
  events[#events + 1] = entry[1]
  events[#events + 1] = entry[2][2]
end
if #events == 0 and seq > cursor then return lost end
return { 1, seq, epoch, state, events }
