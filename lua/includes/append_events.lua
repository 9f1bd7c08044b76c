-- Writes events first..#ARGV to the log as <seq>-<epoch> and only then tells the subscribers
-- (invariant 4), with Redis' time in ms, by which they measure their lag. Returns the new head.
local function append_events(log, channel, seq, epoch, flags, first)
  local base = seq + 1
  for i = first, #ARGV do
    seq = seq + 1
    redis.call('XADD', log, seq .. '-' .. epoch, 'e', ARGV[i])
  end
  local t = redis.call('TIME')
  local at = string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000))
  local head = base .. ' ' .. epoch .. ' ' .. flags .. ' ' .. at
  redis.call('PUBLISH', channel, head .. '\n' .. table.concat(ARGV, '\n', first))
  return seq
end
