-- What an idempotency key says: nil when it is new, {3, task id} when it was used for the same
-- content, {-16} when for another.
local function used_before(key, fingerprint)
  local used = redis.call('GET', key)
  if not used then return nil end
  local id, content = string.match(used, '^(%S+) (%S+)$')
  if content ~= fingerprint then return { -16 } end
  return { 3, id }
end
