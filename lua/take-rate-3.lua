#!lua
--[[
Takes one request out of up to three rates at once, or out of none of them. Each is a bucket that
holds a burst and fills evenly; all that is kept of one is when it will be full (GCRA). Sent twice it
takes two: a resend after a cut connection costs its caller one request.

KEYS[1] bucket of the token  KEYS[2] of the user  KEYS[3] of the tenant

ARGV[1..3] ms in which one request more comes into each, or 0: there is no such limit
ARGV[4..6] what each holds

Output {1, left in each and ms until each is full, in turns; 0 and 0 for none}
       {-26, which is empty: 1 … 3, ms until it has one again}
]]
--- @include now_ms
local now, every, full, wait, empty = now_ms(), {}, {}, 0, 0
for i = 1, 3 do every[i] = tonumber(ARGV[i]) end
for i = 4, 6 do full[i - 3] = every[i - 3] * ARGV[i] end

local at = {}
for i = 1, 3 do
  if every[i] > 0 then
    at[i] = math.max(now, tonumber(redis.call('GET', KEYS[i])) or 0) + every[i]
    local short = at[i] - now - full[i]
    if short > wait then wait, empty = short, i end
  end
end
-- Fractions of a ms add up to no refusal.
if wait >= 0.5 then return { -26, empty, math.ceil(wait) } end

local left = { 1 }
for i = 1, 3 do
  if every[i] > 0 then
    local ms = at[i] - now
    redis.call('SET', KEYS[i], string.format('%.3f', at[i]), 'PX', math.ceil(ms) + 1000)
    left[#left + 1] = math.floor((full[i] - ms) / every[i] + 0.001)
    left[#left + 1] = math.ceil(ms)
  else
    left[#left + 1] = 0
    left[#left + 1] = 0
  end
end
return left
