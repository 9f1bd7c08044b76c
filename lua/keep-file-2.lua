#!lua
--[[
Enters an artifact's bytes, which a plain SET has put in place, in the list of the task's files:
fenced, and counted, before the event that refers to them.

KEYS[1] task hash  KEYS[2] the file's bytes

ARGV[1] epoch of the run  ARGV[2] the file's line: name, bytes and media type, encoded, a space between
ARGV[3] bytes of the file  ARGV[4] most bytes of all files of a task

Output {1}: entered, now or by an earlier send
       {-1} missing  {-2, state} settled  {-3} stale epoch  {-14} the bytes are gone
       {-19, bytes so far} more than a task may keep
]]
local t = redis.call('HMGET', KEYS[1], 'epoch', 'state', 'files', 'file_bytes')
if not t[1] then return { -1 } end
if t[1] ~= ARGV[1] then return { -3 } end
if tonumber(t[2]) > 2 then return { -2, tonumber(t[2]) } end
local files = t[3] or ''
if string.find('\n' .. files .. '\n', '\n' .. ARGV[2] .. '\n', 1, true) then return { 1 } end
if redis.call('EXISTS', KEYS[2]) == 0 then return { -14 } end
local bytes = tonumber(t[4] or 0)
if bytes + ARGV[3] > tonumber(ARGV[4]) then return { -19, bytes } end

if files ~= '' then files = files .. '\n' end
redis.call('HSET', KEYS[1], 'files', files .. ARGV[2])
redis.call('HINCRBY', KEYS[1], 'file_bytes', ARGV[3])
return { 1 }
