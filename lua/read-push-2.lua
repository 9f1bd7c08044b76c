#!lua flags=no-writes
--[[
Reads the webhooks of a task.

KEYS[1] task hash  KEYS[2] webhooks of the task

ARGV[1] user, who must own the task

Output {1, {webhook id, sealed webhook, …}}
       {-1} missing, or another user's
]]
if redis.call('HGET', KEYS[1], 'user') ~= ARGV[1] then return { -1 } end
local all, hooks = redis.call('HGETALL', KEYS[2]), {}
for i = 1, #all, 2 do
  local id = string.match(all[i], '^hook:(.*)$')
  if id then
    hooks[#hooks + 1] = id
    hooks[#hooks + 1] = all[i + 1]
  end
end
return { 1, hooks }
