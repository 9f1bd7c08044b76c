-- The fence of every write of a run (invariants 1, 2, 3). n is the number of events of the batch.
-- Returns nil when the batch is to be applied, else the reply: {1, seq, cancel} for a batch that
-- was applied already (a resend), or a refusal.
local function check_owner(task, epoch, expected, n)
  local t = redis.call('HMGET', task, 'epoch', 'seq', 'state', 'cancel')
  if not t[1] then return { -1 } end
  if t[1] ~= epoch then return { -3 } end
  local seq = tonumber(t[2])
  if seq >= expected + n then return { 1, seq, t[4] or '' } end
  local state = tonumber(t[3])
  if state > 2 then return { -2, state } end
  if seq < expected then return { -5, seq } end
  if seq > expected then return { -12, seq } end
  return nil
end
