-- Writes events first..#ARGV to the log as <seq>-<epoch> and only then tells the subscribers
-- (invariant 4). Returns the new head.
local function append_events(log, channel, seq, epoch, flags, first)
  local base = seq + 1
  for i = first, #ARGV do
    seq = seq + 1
    redis.call('XADD', log, seq .. '-' .. epoch, 'e', ARGV[i])
  end
  redis.call('PUBLISH', channel, base .. ' ' .. epoch .. ' ' .. flags .. '\n' .. table.concat(ARGV, '\n', first))
  return seq
end
