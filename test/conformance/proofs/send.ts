import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { JsonObject, JsonValue, Message, Task } from '../../../src/domain/a2a.js';
import { A2A, A2A_1_0, isMcp, MCP } from '../support/cells.js';
import { prove } from '../support/registry.js';
import { type MessageOptions, sendParams, textOf, type Wire } from '../support/wire.js';
import { type Person, SMALL, type World } from '../support/world.js';

const RFC_3339_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const SENDS = ['SendMessage', 'SendStreamingMessage'] as const;

/** What the assistant answers to a text, over A2A or MCP. */
async function answer(world: World, text: string, who: Person = world.me): Promise<string> {
  if (isMcp(world.cell)) return (await world.mcp(who).ask(text)).texts[0] ?? '';
  return textOf(await world.wire(who).send(text));
}

/** A request whose message is as given, besides what it needs. */
function withMessage(message: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const params = sendParams('instant');
  const whole = { ...(params['message'] as JsonObject), ...message };
  const kept = Object.entries(whole).filter((entry): entry is [string, JsonValue] => {
    return entry[1] !== undefined;
  });
  return { ...params, message: Object.fromEntries(kept) };
}

/** Both sends refuse, and no task was made. */
async function refusedWhole(
  wire: Wire,
  params: JsonObject,
  reason: 'INVALID_PARAMS' | 'CONTENT_TYPE_NOT_SUPPORTED' | 'TOO_LARGE',
  named?: RegExp,
): Promise<void> {
  for (const operation of SENDS) {
    const refused = (await wire.refusal(operation, params)).expect(reason);
    if (named !== undefined) expect(refused.text).toMatch(named);
  }
}

/** Over REST, since 0.3 has no list. */
async function countOf(world: World, who: Person = world.me): Promise<number> {
  const { body } = await world.http(who).call('GET', '/a2a/tasks?pageSize=1');
  return Number(body['totalSize']);
}

prove('SEND-BLOCKING', A2A, async (world) => {
  const wire = world.wire();
  for (const options of [{}, { configuration: {} }] as const) {
    const task = await wire.send('deltas count=5 every=30', options);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(textOf(task)).toBe('1.1 1.2 1.3 1.4 1.5 ');
    expect(await wire.get(task.id)).toEqual(task);
  }
});

prove('SEND-IMMEDIATE', A2A, async (world) => {
  const wire = world.wire();
  const task = await wire.start('deltas count=10 every=60');
  expect(task.status.state).toMatch(/SUBMITTED|WORKING/);
  expect(textOf(await wire.reaches(task.id, 'TASK_STATE_COMPLETED'))).toContain('1.10 ');
});

prove('SEND-TASK', A2A, async (world) => {
  const messageId = randomUUID();
  const task = await world.wire().send('instant', { messageId });
  expect(task.status.timestamp).toMatch(RFC_3339_UTC);
  expect(task.metadata).toMatchObject({ 'n9e.chat_id': task.contextId, 'n9e.seq_id': 1 });
  expect(task.history).toHaveLength(1);
  expect(task.history?.[0]).toMatchObject({
    messageId,
    role: 'ROLE_USER',
    parts: [{ text: 'instant' }],
  });
  expect(task.artifacts?.every(({ parts }) => parts.length > 0)).toBe(true);
});

prove('SEND-CONTEXT', A2A, async (world) => {
  const wire = world.wire();
  const contextId = `demo-${randomUUID()}`;
  for (const turn of [1, 2, 3]) {
    const task = await (turn === 2 ? world.other() : wire).send('instant', { contextId });
    expect(task.contextId).toBe(contextId);
    expect(task.metadata).toMatchObject({ 'n9e.chat_id': contextId, 'n9e.seq_id': turn });
  }
  const [one, two] = [await wire.send('instant'), await wire.send('instant')];
  expect(new Set([contextId, one.contextId, two.contextId]).size).toBe(3);
});

prove('SEND-REQUIRED', A2A, async (world) => {
  const wire = world.wire();
  await refusedWhole(wire, withMessage({ messageId: undefined }), 'INVALID_PARAMS', /messageId/);
  await refusedWhole(wire, withMessage({ messageId: '' }), 'INVALID_PARAMS', /messageId/);
  await refusedWhole(wire, withMessage({ role: undefined }), 'INVALID_PARAMS', /role/);
  await refusedWhole(wire, withMessage({ parts: undefined }), 'INVALID_PARAMS', /parts/);
  await refusedWhole(wire, withMessage({ parts: [] }), 'INVALID_PARAMS', /parts/);
  await refusedWhole(wire, {}, 'INVALID_PARAMS', /message/);
  const several = await wire.refusal(
    'SendMessage',
    withMessage({ messageId: undefined, parts: undefined, role: undefined }),
  );
  expect(several.text).toMatch(/messageId[^]*parts|parts[^]*messageId/);
  expect(several.details[1]).toMatchObject({
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
  });
  expect(await countOf(world)).toBe(0);
});

prove('SEND-ROLE', A2A, async (world) => {
  for (const role of ['ROLE_AGENT', 'ROLE_UNSPECIFIED', 'assistant', 1, null]) {
    await refusedWhole(world.wire(), withMessage({ role }), 'INVALID_PARAMS', /role/);
  }
});

prove('SEND-TYPES', A2A, async (world) => {
  const wire = world.wire();
  const params = sendParams('instant');
  for (const configuration of [
    { returnImmediately: 'false' },
    { historyLength: '1' },
    { acceptedOutputModes: 'text' },
  ]) {
    await refusedWhole(wire, { ...params, configuration }, 'INVALID_PARAMS', /configuration/);
  }
  await refusedWhole(wire, { ...params, metadata: [] }, 'INVALID_PARAMS', /metadata/);
  await refusedWhole(wire, { ...params, message: 'instant' }, 'INVALID_PARAMS', /message/);
  await refusedWhole(wire, withMessage({ messageId: 7 }), 'INVALID_PARAMS', /messageId/);
  await refusedWhole(wire, withMessage({ contextId: {} }), 'INVALID_PARAMS', /contextId/);
  await refusedWhole(wire, withMessage({ parts: {} }), 'INVALID_PARAMS', /parts/);
});

prove('SEND-PART', A2A, async (world) => {
  const wire = world.wire();
  const bad: readonly JsonValue[] = [{}, null, 'text', { text: 7 }, { metadata: {} }];
  const two: readonly JsonValue[] = [
    { text: 'a', url: 'https://example.org/a' },
    { text: 'a', data: {} },
  ];
  // In 0.3 the kind says which content counts: a second one is an unknown field there.
  for (const part of world.cell === 'jsonrpc-0.3' ? [...bad, { kind: 'tune' }] : [...bad, ...two]) {
    await refusedWhole(wire, withMessage({ parts: [part] }), 'INVALID_PARAMS', /parts\[0\]/);
  }
});

prove('SEND-BLANK', A2A, async (world) => {
  for (const parts of [[{ text: '' }], [{ text: ' \n\t ' }], [{ text: ' ' }, { text: '' }]]) {
    await refusedWhole(world.wire(), withMessage({ parts }), 'INVALID_PARAMS', /parts/);
  }
});

prove('SEND-TEXT-ONLY', A2A, async (world) => {
  for (const file of [
    { raw: 'aGk=', mediaType: 'image/png', filename: 'a.png' },
    { url: 'https://example.org/a.png', mediaType: 'image/png' },
  ]) {
    const parts = [{ text: 'look' }, file];
    const params = withMessage({ parts });
    await refusedWhole(world.wire(), params, 'CONTENT_TYPE_NOT_SUPPORTED', /parts\[1\]/);
  }
});

prove('SEND-PARTS', A2A, async (world) => {
  const task = await world.wire().send('', { parts: [{ text: 'one' }, { text: 'two' }] });
  expect(textOf(task)).toBe('echo one\ntwo');
});

prove('SEND-TEXT-LIMIT', [...A2A, ...MCP], async (world) => {
  const who = world.of('small');
  // 'é' is one character and two bytes.
  const fits = `${'é'.repeat(SMALL.textBytes / 2 - 1)}xy`;
  expect(await answer(world, fits, who)).toBe(`echo ${fits}`);
  if (isMcp(world.cell)) {
    expect(
      (
        await world
          .mcp(who)
          .refusal('tools/call', { name: 'n9e_assistant', arguments: { message: `${fits}z` } })
      ).http,
    ).toBe(413);
  } else {
    await refusedWhole(world.wire(who), sendParams(`${fits}z`), 'TOO_LARGE', /64/);
  }
});

prove('SEND-SLASH', [...A2A, ...MCP], async (world) => {
  expect(await answer(world, '/quit !ls --help')).toBe('echo /quit !ls --help');
});

prove('SEND-ID-LIMIT', A2A, async (world) => {
  const wire = world.wire();
  const fits = `${'é'.repeat(118)}${randomUUID().slice(0, 20)}`;
  const task = await wire.send('instant', { messageId: fits, contextId: fits });
  expect(task.contextId).toBe(fits);
  await refusedWhole(wire, withMessage({ messageId: `${fits}z` }), 'INVALID_PARAMS', /messageId/);
  await refusedWhole(wire, withMessage({ contextId: `${fits}z` }), 'INVALID_PARAMS', /contextId/);
  (await wire.refusal('GetTask', { id: `${fits}z` })).expect('INVALID_PARAMS');
});

prove('SEND-UNKNOWN-TASK', A2A, async (world) => {
  const taskId = randomUUID();
  for (const operation of SENDS) {
    const refused = await world.wire().refusal(operation, sendParams('instant', { taskId }));
    refused.expect('TASK_NOT_FOUND');
  }
  (await world.wire().refusal('GetTask', { id: taskId })).expect('TASK_NOT_FOUND');
  expect(await countOf(world)).toBe(0);
});

prove('SEND-ENDED-TASK', A2A, async (world) => {
  const wire = world.wire();
  const running = await wire.start('hang');
  const ended = [
    await wire.send('instant'),
    await wire.send('fail'),
    await wire.send('reject'),
    await wire.cancel(running.id),
  ];
  for (const { id: taskId } of ended) {
    const before = await wire.get(taskId);
    for (const operation of SENDS) {
      const refused = await world.other().refusal(operation, sendParams('instant', { taskId }));
      refused.expect('UNSUPPORTED_OPERATION');
    }
    expect(await wire.get(taskId)).toEqual(before);
  }
});

prove('SEND-OTHER-CONTEXT', A2A, async (world) => {
  const wire = world.wire();
  const { id: taskId, contextId } = await wire.send('ask');
  const params = sendParams('no', { taskId, contextId: randomUUID() });
  await refusedWhole(wire, params, 'INVALID_PARAMS', /contextId/);
  const answered = await wire.send('yes', { taskId, contextId });
  expect(answered.status.state).toBe('TASK_STATE_COMPLETED');
});

prove('SEND-BUSY', [...A2A, ...MCP], async (world) => {
  if (isMcp(world.cell)) {
    const rest = world.http();
    const { task } = (
      await rest.call<{ task: Task }>('POST', '/a2a/message:send', {
        ...sendParams('hang'),
        configuration: { returnImmediately: true },
      })
    ).body;
    const second = await world.mcp(world.me, world.site.b).ask('instant', task.contextId);
    expect([second.isError, second.texts[0]]).toEqual([true, expect.stringMatching(/continue/)]);
    expect(await countOf(world)).toBe(1);
    await rest.cancel(task.id);
    return;
  }
  const wire = world.wire();
  const first = await wire.stream('hang');
  const [{ event }] = first.events as [(typeof first.events)[0]];
  const { task } = event as { task: Task };
  for (const options of [{ contextId: task.contextId }, { taskId: task.id }]) {
    for (const operation of SENDS) {
      const refused = await world.other().refusal(operation, sendParams('instant', options));
      refused.expect('CONTEXT_BUSY');
    }
  }
  expect(await countOf(world)).toBe(1);
  await wire.cancel(task.id);
  const events = await first.end();
  expect(events.at(-1)?.event).toMatchObject({
    statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } },
  });
});

prove('SEND-QUEUE', A2A, async (world) => {
  const who = world.of('queue');
  const contextId = randomUUID();
  const options: MessageOptions = { contextId };
  const first = await world.wire(who).start('deltas count=8 every=60', options);
  const second = await world.other(who).start('instant', options);
  const third = await world.wire(who).send('instant', options);
  expect(third.status.state).toBe('TASK_STATE_COMPLETED');
  const ends = [
    await world.wire(who).reaches(first.id, 'TASK_STATE_COMPLETED'),
    await world.wire(who).reaches(second.id, 'TASK_STATE_COMPLETED'),
    third,
  ].map(({ status }) => status.timestamp);
  expect(ends).toEqual([...ends].sort());
  expect(third.metadata).toMatchObject({ 'n9e.seq_id': 3 });
});

prove('SEND-SAME-MESSAGE', A2A, async (world) => {
  const messageId = randomUUID();
  const first = await world.wire().start('hang', { messageId });
  const again = await world.other().start('hang', { messageId });
  expect(again.id).toBe(first.id);
  const other = await world.wire().start('hang 2', { messageId });
  expect(other.id).not.toBe(first.id);
  const foreign = await world.wire(world.colleague).start('hang', { messageId });
  expect([first.id, other.id]).not.toContain(foreign.id);
  expect(await countOf(world)).toBe(2);
  await world.wire().cancel(first.id);
  await world.wire().cancel(other.id);
  await world.wire(world.colleague).cancel(foreign.id);
});

prove('SEND-IDEMPOTENT', A2A, async (world) => {
  const headers = { 'idempotency-key': randomUUID() };
  const params = (): JsonObject => sendParams('instant', { contextId: 'one' });
  const twins = await Promise.all(
    [world.wire(), world.other(), world.wire(), world.other()].map((wire) =>
      wire.call('SendMessage', params(), headers),
    ),
  );
  const ids = twins.map(({ task }) => (task as JsonObject)['id']);
  expect(ids).toEqual(ids.map(() => expect.stringMatching(/./) as unknown));
  expect(new Set(ids).size).toBe(1);
  expect((await world.other().send('instant', { contextId: 'one', headers })).id).toBe(ids[0]);
  expect(await countOf(world)).toBe(1);
  const changed = sendParams('instant 2', { contextId: 'one' });
  (await world.other().refusal('SendMessage', changed, headers)).expect('IDEMPOTENCY_CONFLICT');
  const foreign = await world.wire(world.colleague).send('instant', { headers });
  expect(foreign.id).not.toBe(ids[0]);
});

prove('SEND-FAILED', A2A, async (world) => {
  const wire = world.wire();
  const failed = await wire.send('fail');
  expect(failed.status).toMatchObject({
    state: 'TASK_STATE_FAILED',
    message: { role: 'ROLE_AGENT', parts: [{ text: 'the reason for the user' }] },
  });
  const broken = await wire.send('throw');
  expect(broken.status).toMatchObject({
    state: 'TASK_STATE_FAILED',
    message: { parts: [{ text: expect.stringMatching(/./) as unknown }] },
  });
  expect(JSON.stringify(broken)).not.toMatch(/internal matter|scripted\.mjs|\bat /);
});

prove('SEND-STATES', A2A, async (world) => {
  const wire = world.wire();
  const running = await wire.start('hang');
  const states = [];
  for (const text of ['instant', 'fail', 'reject', 'ask', 'auth']) {
    states.push((await wire.send(text)).status.state);
  }
  expect(states).toEqual([
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
  ]);
  await wire.reaches(running.id, 'TASK_STATE_WORKING');
  expect((await wire.cancel(running.id)).status.state).toBe('TASK_STATE_CANCELED');
});

prove('SEND-OUTPUT-MODES', A2A, async (world) => {
  const wire = world.wire();
  const files = async (acceptedOutputModes?: readonly string[]): Promise<Task> =>
    wire.send('files 3', {
      configuration: acceptedOutputModes === undefined ? {} : { acceptedOutputModes },
    });
  const kinds = (task: Task): string[] =>
    (task.artifacts ?? []).flatMap(({ parts }) => parts.flatMap((part) => Object.keys(part)));
  expect(kinds(await files())).toContain('raw');
  for (const modes of [['text/plain'], ['text']]) {
    const task = await files(modes);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(kinds(task)).not.toContain('raw');
    expect(kinds(task)).not.toContain('data');
  }
  expect(kinds(await files(['image/png']))).toContain('raw');
  const configuration = { acceptedOutputModes: ['image/png'] };
  expect(textOf(await wire.send('instant', { configuration }))).toBe('done');
});

prove('SEND-HISTORY', A2A, async (world) => {
  const wire = world.wire();
  const asked = await wire.send('ask');
  const { id, contextId } = asked;
  const whole = await wire.send('yes', { taskId: id, contextId });
  const texts = (messages: readonly Message[] | undefined): unknown =>
    messages?.map(({ parts }) => parts.map(({ text }) => text).join());
  expect(texts(whole.history)).toEqual(['ask', 'Which one?', 'yes']);
  for (const [historyLength, expected] of [
    [0, undefined],
    [1, ['yes']],
    [2, ['Which one?', 'yes']],
    [1_000_000, ['ask', 'Which one?', 'yes']],
  ] as const) {
    expect(texts((await wire.get(id, { historyLength })).history)).toEqual(expected);
  }
  const none = await wire.send('instant', { configuration: { historyLength: 0 } });
  expect(none).not.toHaveProperty('history');
  expect((await wire.get(none.id)).history).toHaveLength(1);
});

prove('SEND-HISTORY-BAD', A2A, async (world) => {
  const wire = world.wire();
  const { id } = await wire.send('instant');
  for (const historyLength of [-1, 1.5, 'abc', 2 ** 40]) {
    const params = { ...sendParams('instant'), configuration: { historyLength } };
    await refusedWhole(wire, params, 'INVALID_PARAMS', /historyLength/);
    (await wire.refusal('GetTask', { id, historyLength })).expect('INVALID_PARAMS');
  }
});

prove('SEND-RESULT', A2A, async (world) => {
  const task = await world.wire(world.of('demo')).send('what is firing?');
  const result = task.artifacts?.find(({ name }) => name === 'result');
  expect(result?.parts).toEqual([
    {
      data: {
        session: task.contextId,
        answer: textOf(task),
        steps: expect.any(Number) as unknown,
        tool_calls: expect.any(Number) as unknown,
        failed_tools: [],
        evidence: expect.any(Array) as unknown,
        evidence_truncated: false,
      },
    },
  ]);
});

prove('SEND-LANG', A2A, async (world) => {
  const wire = world.wire(world.of('demo'));
  const chinese = /\p{Script=Han}/u;
  const say = async (options: MessageOptions): Promise<string> =>
    textOf(await wire.send('help', options));
  expect(await say({ metadata: { lang: 'zh' } })).toMatch(chinese);
  expect(await say({ message: { metadata: { lang: 'zh' } } })).toMatch(chinese);
  const english = await say({
    metadata: { lang: 'en' },
    message: { metadata: { lang: 'zh' } },
  });
  expect(english.replace(/["“”].*?["“”]/gu, '')).toMatch(/[a-z]{4}/);
  expect(english.length).toBeGreaterThan((await say({ metadata: { lang: 'zh' } })).length);
});

prove('SEND-FALSY', A2A, async (world) => {
  const metadata = { a: 0, b: false, c: '', d: null, e: [], f: {}, g: 1e21, h: -0.5 };
  const task = await world.wire().send('instant', { message: { metadata } });
  expect(task.history?.[0]?.metadata).toEqual(metadata);
  const read = await world.other().get(task.id);
  expect(read.history?.[0]?.metadata).toEqual(metadata);
});

const ODD =
  'a\r\nb\rc\u2028d\u2029e\u0085f "quoted" \\u0041 \ttab 你好🌍é\u0301 data: x\n\nevent: y';

prove('SEND-UNICODE', [...A2A, ...MCP], async (world) => {
  const text = `${ODD} end`;
  expect(await answer(world, text)).toBe(`echo ${text}`);
  if (isMcp(world.cell)) return;
  const stream = await world.wire().stream(text);
  const parts = (await stream.end()).flatMap(({ event }) =>
    'artifactUpdate' in event ? event.artifactUpdate.artifact.parts : [],
  );
  expect(parts.map((part) => part.text ?? '').join('')).toBe(`echo ${text}`);
});

prove('SEND-REFERENCES', A2A, async (world) => {
  const wire = world.wire();
  const own = await wire.send('instant');
  const foreign = await world.wire(world.colleague).send('instant');
  const using = (referenceTaskIds: string[]): MessageOptions => ({ message: { referenceTaskIds } });
  expect((await wire.send('instant', using([own.id]))).status.state).toBe('TASK_STATE_COMPLETED');
  const random = randomUUID();
  const answers = [];
  for (const id of [foreign.id, random]) {
    const refused = await wire.refusal('SendMessage', sendParams('instant', using([own.id, id])));
    answers.push(refused.expect('TASK_NOT_FOUND').message.replaceAll(id, '<id>'));
  }
  expect(answers[0]).toBe(answers[1]);
});

prove('SEND-NO-WIDENING', A2A, async (world) => {
  const metadata = {
    user: world.colleague.user,
    tenant: 'globex',
    backend: 'llm',
    mode: 'root',
    policy: 'auto',
    scopes: ['*'],
    readOnly: false,
    approvals: 'auto',
  };
  const task = await world.wire().send('instant', { metadata, message: { metadata } });
  expect(textOf(task)).toBe('done');
  expect((await world.wire().get(task.id)).id).toBe(task.id);
  for (const who of [world.colleague, world.stranger]) {
    (await world.wire(who).refusal('GetTask', { id: task.id })).expect('TASK_NOT_FOUND');
  }
});

prove('SEND-TENANT', A2A_1_0, async (world) => {
  const wire = world.wire();
  const { task } = await wire.call('SendMessage', { ...sendParams('instant'), tenant: 'acme' });
  expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  for (const tenant of ['globex', 'no-such-tenant']) {
    const refused = await wire.refusal('SendMessage', { ...sendParams('instant'), tenant });
    refused.expect('PATH_NOT_FOUND');
  }
  if (world.cell !== 'rest-1.0') return;
  const own = await wire.http.call('POST', '/a2a/acme/message:send', sendParams('instant'));
  expect(own.body).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
  const texts = [];
  for (const tenant of ['globex', 'no-such-tenant']) {
    const foreign = await wire.http.call('GET', `/a2a/${tenant}/tasks`);
    expect(foreign.status).toBe(404);
    texts.push(foreign.text);
  }
  expect(texts[0]).toBe(texts[1]);
});

prove('SEND-ACTIVE-LIMIT', [...A2A, ...MCP], async (world) => {
  const who = world.of('small');
  const starter = world.http(who);
  const running = [await starter.start('hang'), await starter.start('hang')];
  if (isMcp(world.cell)) {
    const refused = await world.mcp(who, world.site.b).ask('instant');
    expect([refused.isError, refused.texts[0]]).toEqual([
      true,
      expect.stringMatching(/2|again/) as unknown,
    ]);
  } else {
    for (const operation of SENDS) {
      const refused = await world.other(who).refusal(operation, sendParams('instant'));
      refused.expect('QUOTA');
      if (operation === 'SendStreamingMessage') continue;
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
  }
  for (const { id } of running) await starter.cancel(id);
  expect(await answer(world, 'instant', who)).toBe('done');
});
