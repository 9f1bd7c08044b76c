// One line of a script each, in the words of its file; the model must find every one (MODEL names the
// test). `make model-mutants` goes further: it changes every line of lua/ in turn.

const MODEL = {
  project: 'integration',
  file: 'test/model/scripts.int-spec.ts',
  name: 'should agree with the model in every interleaving of three instances',
};

/** @type {readonly [id: string, breaks: string, file: string, from: string, to: string][]} */
const LINES = [
  [
    'model-append-stale-epoch',
    '2: a write of a run carries its epoch',
    'lua/includes/check_owner.lua',
    '  if t[1] ~= epoch then return { -3 } end\n',
    '',
  ],
  [
    'model-settle-twice',
    '1: terminal is for ever',
    'lua/settle-task-*.lua',
    'if state > 2 and (parks or not parked) then return { -2, state } end\n',
    '',
  ],
  [
    'model-settle-resend',
    '3: what is sent twice is applied once',
    'lua/settle-task-*.lua',
    "if state == new_state and seq == expected + #ARGV - 16 then return { 1, seq, '', '' } end\n",
    '',
  ],
  [
    'model-settle-keeps-quota',
    '1: the quota changes with the state',
    'lua/settle-task-*.lua',
    "for i = 9, 10 do redis.call('ZREM', KEYS[i], id) end\n",
    '',
  ],
  [
    'model-settle-keeps-lock',
    '1: the context is unlocked with the state',
    'lua/settle-task-*.lua',
    "  redis.call('HDEL', KEYS[6], 'running', 'lock_until')\n",
    '',
  ],
  [
    'model-index-left-behind',
    '1: the indexes change with the state',
    'lua/includes/move_state.lua',
    "  if old[1] and tonumber(old[1]) ~= new_state then redis.call('ZREM', KEYS[states + tonumber(old[1])], id) end\n",
    '',
  ],
  [
    'model-time-goes-back',
    'the time of a status never goes back',
    'lua/includes/move_state.lua',
    '  if tonumber(old[2] or 0) > ts then ts = tonumber(old[2]) end\n',
    '',
  ],
  [
    'model-trim-too-far',
    '6: the log keeps its last events for resumes',
    'lua/save-snapshot-*.lua',
    "'MINID', seq - ARGV[5] .. '-0')",
    "'MINID', seq .. '-0')",
  ],
  [
    'model-take-over-again',
    '3: a take-over sent twice counts once',
    'lua/take-over-task-*.lua',
    'if not (epoch == ARGV[1] + 1 and t[2] == ARGV[2]) then',
    'if true then',
  ],
  [
    'model-create-over-quota',
    'the quota of a user',
    'lua/includes/no_place.lua',
    "  if redis.call('ZCARD', user) >= tonumber(of_user) then return { -7 } end\n",
    '',
  ],
  [
    'model-create-ignores-lock',
    'one task of a context at a time',
    'lua/create-task-*.lua',
    'local busy = lock[1] and tonumber(lock[2]) > now\n',
    'local busy = false\n',
  ],
  [
    'model-effect-stale-epoch',
    '2: an intent is fenced',
    'lua/mark-effect-*.lua',
    'if t[1] ~= ARGV[1] then return { -3 } end\n',
    '',
  ],
  [
    'model-cancel-of-others',
    '9: another user’s task is not found',
    'lua/mark-cancel-*.lua',
    'if not t[1] or t[1] ~= ARGV[1] then return { -1 } end',
    'if not t[1] then return { -1 } end',
  ],
  [
    'model-key-for-ever',
    'nothing stays for ever',
    'lua/includes/keep_for.lua',
    "  if redis.call('PTTL', key) < tonumber(least or ms) then redis.call('PEXPIRE', key, ms) end\n",
    '',
  ],
  [
    'model-restart-log-again',
    '3: a log that starts over does so once',
    'lua/restart-log-*.lua',
    "if seq == before + 1 then return { 1, seq, t[4] or '' } end\n",
    '',
  ],
];

export const MODEL_MUTANTS = LINES.map(([id, breaks, file, from, to]) => ({
  id,
  breaks,
  edits: [{ file, from, to }],
  test: MODEL,
}));
