-- A key that several tasks share lives as long as the one that needs it longest.
-- With `least` it is renewed only once it would live shorter than that: not by each of a thousand a second.
local function keep_for(key, ms, least)
  if redis.call('PTTL', key) < tonumber(least or ms) then redis.call('PEXPIRE', key, ms) end
end
