-- Allowances of a day, counted for a token, a user and their tenant in one hash. `most` holds the
-- three limits in this order; 0 is none, and where all are 0 nothing is counted.
local function over_allowance(spent, what, token, user, most, amount)
  local fields = { what .. ':k:' .. token, what .. ':u:' .. user, what }
  for i = 1, 3 do
    if most[i] > 0 and (tonumber(redis.call('HGET', spent, fields[i])) or 0) + amount > most[i] then return i end
  end
  return nil
end
local function spend(spent, what, token, user, most, amount)
  if most[1] + most[2] + most[3] == 0 then return end
  redis.call('HINCRBY', spent, what .. ':k:' .. token, amount)
  redis.call('HINCRBY', spent, what .. ':u:' .. user, amount)
  redis.call('HINCRBY', spent, what, amount)
  redis.call('PEXPIRE', spent, 172800000)
end
