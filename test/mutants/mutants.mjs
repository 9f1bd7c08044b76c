// Each mutant breaks one invariant of design section 4.3 by an exact replacement of text, and names
// the test that must turn red. A replacement that no longer fits its file is a failure as well: then
// the mutant has to follow the code. A * in a file's name stands for what may change (a script's
// number of keys).

/** @typedef {{ file: string, from: string, to: string }} Edit */
/** @typedef {{ project: 'integration' | 'e2e', file: string, name: string }} NamedTest */
/** @type {readonly { id: string, breaks: string, edits: readonly Edit[], test: NamedTest }[]} */
export const MUTANTS = [
  {
    id: 'read-then-subscribe',
    breaks: '5: the channel is confirmed before the log is read',
    edits: [
      {
        file: 'src/streams/hub.ts',
        from: `      await confirmed(topic);
      const found = await reader.begin(start === 'start' ? LOG_START : start);
`,
        to: `      const found = await reader.begin(start === 'start' ? LOG_START : start);
      await confirmed(topic);
`,
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/hand-over.int-spec.ts',
      name: 'should not lose the last event when its subscription is late',
    },
  },
  {
    id: 'publish-then-persist',
    breaks: '4: what a subscriber sees is in the log',
    edits: [
      {
        file: 'lua/includes/append_events.lua',
        from: `  for i = first, #ARGV do
    seq = seq + 1
    redis.call('XADD', log, seq .. '-' .. epoch, 'e', ARGV[i])
  end
  local t = redis.call('TIME')
  local at = string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000))
  local head = base .. ' ' .. epoch .. ' ' .. flags .. ' ' .. at
  redis.call('PUBLISH', channel, head .. '\\n' .. table.concat(ARGV, '\\n', first))
`,
        to: `  local t = redis.call('TIME')
  local at = string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000))
  local head = base .. ' ' .. epoch .. ' ' .. flags .. ' ' .. at
  redis.call('PUBLISH', channel, head .. '\\n' .. table.concat(ARGV, '\\n', first))
  for i = first, #ARGV do
    seq = seq + 1
    redis.call('XADD', log, seq .. '-' .. epoch, 'e', ARGV[i])
  end
`,
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/lua/append-events.int-spec.ts',
      name: 'should tell nobody what it could not store',
    },
  },
  {
    id: 'no-epoch-check',
    breaks: '2: a script refuses a stale epoch',
    edits: [
      {
        file: 'lua/includes/check_owner.lua',
        from: '  if t[1] ~= epoch then return { -3 } end\n',
        to: '',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/lua/append-events.int-spec.ts',
      name: 'should refuse a stale epoch, also one that is too high',
    },
  },
  {
    id: 'no-owner-check',
    breaks: '9: another user’s task is not found',
    edits: [
      {
        file: 'lua/read-task-*.lua',
        from: "if not t[1] or (ARGV[1] ~= '' and t[1] ~= ARGV[1]) then return { -1 } end",
        to: 'if not t[1] then return { -1 } end',
      },
    ],
    test: {
      project: 'e2e',
      file: 'test/e2e/cross-table.e2e-spec.ts',
      name: 'should be what is missing, to the other user',
    },
  },
  {
    id: 'run-ends-with-its-client',
    breaks: '7: a run outlives its client',
    edits: [
      {
        file: 'src/tasks/task.service.ts',
        from: '    reader.closeOn(signal);\n    return withHeartbeats(',
        to: `    reader.closeOn(signal);
    signal.addEventListener('abort', () => {
      this.execution.runOf(ctx.tenant, taskId)?.stop({ kind: 'cancel', mark: 'gone' });
    });
    return withHeartbeats(`,
      },
    ],
    test: {
      project: 'e2e',
      file: 'test/e2e/across-instances.e2e-spec.ts',
      name: 'should outlive its client',
    },
  },
  {
    id: 'resend-applied-again',
    breaks: '3: what is sent twice is applied once',
    edits: [
      {
        file: 'lua/includes/check_owner.lua',
        from: "  if seq >= expected + n then return { 1, seq, t[4] or '' } end\n",
        to: '',
      },
      {
        file: 'lua/includes/check_owner.lua',
        from: '  if seq > expected then return { -12, seq } end\n',
        to: '',
      },
      {
        file: 'lua/append-events-5.lua',
        from: 'append_events(KEYS[2], KEYS[4], tonumber(ARGV[2]),',
        to: "append_events(KEYS[2], KEYS[4], tonumber(redis.call('HGET', KEYS[1], 'seq')),",
      },
    ],
    test: {
      project: 'e2e',
      file: 'test/e2e/cut-connections.e2e-spec.ts',
      name: 'should double no delta, no task and no count',
    },
  },
  {
    id: 'terminal-is-not-for-ever',
    breaks: '1: no script changes a settled task',
    edits: [
      {
        file: 'lua/settle-task-*.lua',
        from: 'if state > 2 and (parks or not parked) then return { -2, state } end\n',
        to: '',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/lua/settle-task.int-spec.ts',
      name: 'should leave state 3 for ever',
    },
  },
  {
    id: 'snapshot-every-batch',
    breaks: '6: an append costs the same however long the task is',
    edits: [
      {
        file: 'src/streams/log-writer.ts',
        from: 'this.bytesSinceSnapshot > Math.max(SNAPSHOT_BYTES, this.snapshotBytes / 2)',
        to: 'this.bytesSinceSnapshot > Math.min(SNAPSHOT_BYTES, this.snapshotBytes, 0)',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/cost.int-spec.ts',
      name: 'should not grow with the task: ten times the deltas, about ten times the bytes',
    },
  },
  {
    id: 'gap-not-filled',
    breaks: '5: a message that does not follow leads back to the log',
    edits: [
      {
        file: 'src/streams/log-reader.ts',
        from: 'const follows = message.epoch === epoch && message.base <= seq + 1;',
        to: 'const follows = message.base > 0;',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/hand-over.int-spec.ts',
      name: 'should fill a gap from the log as soon as a later message shows it',
    },
  },
  {
    id: 'write-repeated',
    breaks: '2: nobody repeats a write whose outcome is not known',
    edits: [
      {
        file: 'src/execution/takeover.service.ts',
        from: '    if (taken.openEffects === 0) return end;\n',
        to: '    if (taken.openEffects < 1_000) return end;\n',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/writes-takeover.int-spec.ts',
      name: 'should fail the task with what may have been done while its outcome is not known',
    },
  },
  {
    id: 'unseen-write-repeated',
    breaks: '2: nobody repeats a write that a look did not show',
    edits: [
      {
        file: 'src/execution/run.ts',
        from: '    if (open.length > 0) {\n',
        to: '    if (open.length > 1_000) {\n',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/writes-takeover.int-spec.ts',
      name: 'should fail the task with what may have been done where a look does not show it',
    },
  },
  {
    id: 'intent-of-a-twin',
    breaks: '2: of two instances with one epoch only the owner may write outside',
    edits: [
      {
        file: 'lua/mark-effect-1.lua',
        from: 'if t[5] ~= ARGV[5] then return { -3 } end\n',
        to: '',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/lua/mark-effect.int-spec.ts',
      name: 'should refuse another instance that has the same epoch, since a fail-over forgot its take-over',
    },
  },
  {
    id: 'known-write-repeated',
    breaks: '2: nobody repeats a write that is known to be done',
    edits: [
      {
        file: 'lua/mark-effect-1.lua',
        from: "if recorded == 'outcome' then return { 2, string.sub(t[4], 9) } end",
        to: "if recorded == 'outcome' then return { 1 } end",
      },
      {
        file: 'src/execution/run-desk.ts',
        from: '    if (attempt === 1) return undefined;',
        to: '    if (attempt > 0) return undefined;',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/writes-takeover.int-spec.ts',
      name: 'should be told, not repeated, once its outcome is known',
    },
  },
  {
    id: 'oidc-any-audience',
    breaks: 'an access token is for this gateway (RFC 8707)',
    edits: [
      {
        file: 'src/auth/oidc/oidc-identity.ts',
        from: "    if (surfaces.length === 0) throw new RefusedToken('audience');\n",
        to: '',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/oidc-tokens.int-spec.ts',
      name: 'should be refused for its audience: {"aud":"https://other.example.com"} {}',
    },
  },
  {
    id: 'oidc-any-surface',
    breaks: 'a token for one surface is good on no other',
    edits: [
      {
        file: 'src/auth/oidc/oidc-identity.ts',
        from: 'bare.has(`${resource}/${surface}`)',
        to: '`${resource}/${surface}` !== resource && named.length > 0',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/oidc-tokens.int-spec.ts',
      name: 'should be good where its audience says: "https://nightjar.example.com/mcp"',
    },
  },
  {
    id: 'oidc-id-token',
    breaks: 'an ID token opens nothing',
    edits: [
      {
        file: 'src/auth/oidc/access-token.ts',
        from: '  checkType(protectedHeader.typ, payload, issuer.requireTyp);\n',
        to: '  if (payload.sub === undefined) checkType(protectedHeader.typ, payload, issuer.requireTyp);\n',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/oidc-tokens.int-spec.ts',
      name: 'should be refused for its type: {"at_hash":"x"} {"typ":"JWT"}',
    },
  },
  {
    id: 'oidc-bound-token',
    breaks: 'a token that is bound to a key is no bearer’s',
    edits: [
      {
        file: 'src/auth/oidc/access-token.ts',
        from: "  if (payload['cnf'] !== undefined) throw new RefusedToken('bound');\n",
        to: '',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/oidc-tokens.int-spec.ts',
      name: 'should be refused for its bound: {"cnf":{"jkt":"x"}} {}',
    },
  },
  {
    id: 'oidc-told-wins',
    breaks: 'what is signed wins over what an issuer tells',
    edits: [
      {
        file: 'src/auth/oidc/oidc-identity.ts',
        from: '{ ...told, ...signed }',
        to: '{ ...signed, ...told }',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/oidc-tokens.int-spec.ts',
      name: 'should change nothing of what a JWT has signed',
    },
  },
  {
    id: 'oidc-own-token-shown',
    breaks: 'a token of our own is shown to no issuer',
    edits: [
      {
        file: 'src/auth/oidc/oidc-identity.ts',
        from: '!secret.startsWith(OWN_PREFIX) && ',
        to: 'secret !== OWN_PREFIX && ',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/oidc-tokens.int-spec.ts',
      name: 'should not be asked about again at once when it is none, and never when it is ours',
    },
  },
  {
    id: 'rate-of-the-refused',
    breaks: 'what one rate refuses takes nothing of the others',
    edits: [
      {
        file: 'lua/take-rate-*.lua',
        from: '    if short > wait then wait, empty = short, i end',
        to: "    redis.call('SET', KEYS[i], at[i])\n    if short > wait then wait, empty = short, i end",
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/lua/take-rate.int-spec.ts',
      name: 'should take out of all or none, and name the one that takes longest to come back',
    },
  },
  {
    id: 'rate-grows-for-ever',
    breaks: 'a bucket holds a burst and no more',
    edits: [
      {
        file: 'lua/take-rate-*.lua',
        from: "math.max(now, tonumber(redis.call('GET', KEYS[i])) or 0)",
        to: "(tonumber(redis.call('GET', KEYS[i])) or now)",
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/lua/take-rate.int-spec.ts',
      name: 'should hold no more than a burst, however long nothing was asked',
    },
  },
  {
    id: 'allowance-passed-once',
    breaks: 'nothing is spent beyond an allowance',
    edits: [
      {
        file: 'lua/includes/allowance.lua',
        from: ' + amount > most[i]',
        to: ' >= most[i]',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/lua/spend-allowance.int-spec.ts',
      name: 'should say whose allowance would be passed, and spend nothing then',
    },
  },
  {
    id: 'allowance-of-the-deleted',
    breaks: 'a deleted tenant gets no key back',
    edits: [
      {
        file: 'lua/spend-allowance-*.lua',
        from: "tenant[1] == 'deleted' or ",
        to: '',
      },
    ],
    test: {
      project: 'integration',
      file: 'test/integration/lua/spend-allowance.int-spec.ts',
      name: 'should not bring keys of a deleted tenant back',
    },
  },
];
