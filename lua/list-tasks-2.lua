#!lua flags=no-writes
--[[
One page of an index of tasks, newest status first, equal times by id descending: a keyset, so that
tasks that change or expire between two pages neither repeat nor hide others.

KEYS[1] index to walk (a user's, a context's, or a user's of one state)
KEYS[2] index that a task must be in as well; KEYS[1] again for none

ARGV[1] lowest score, ms  ARGV[2] score of the last task of the page before, or '+inf'
ARGV[3] its id, or ''     ARGV[4] most tasks

Output {total of the filter, 1 if more follow, {id, score, …}}
]]
local index, also = KEYS[1], KEYS[2]
local function counts(id) return index == also or redis.call('ZSCORE', also, id) end

local total = 0
if index == also then
  total = redis.call('ZCOUNT', index, ARGV[1], '+inf')
else
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', index, ARGV[1], '+inf')) do
    if counts(id) then total = total + 1 end
  end
end

local page, offset, most = {}, 0, tonumber(ARGV[4])
while true do
  local chunk = redis.call('ZREVRANGEBYSCORE', index, ARGV[2], ARGV[1], 'WITHSCORES', 'LIMIT', offset, most + 1)
  if #chunk == 0 then return { total, 0, page } end
  for i = 1, #chunk, 2 do
    local id, score = chunk[i], chunk[i + 1]
    local seen = tonumber(score) == tonumber(ARGV[2]) and id >= ARGV[3]
    if not seen and counts(id) then
      if #page == most * 2 then return { total, 1, page } end
      page[#page + 1] = id
      page[#page + 1] = score
    end
  end
  offset = offset + #chunk / 2
end
