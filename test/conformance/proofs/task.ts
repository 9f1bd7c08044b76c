import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { JsonObject, Task } from '../../../src/domain/a2a.js';
import { A2A, A2A_1_0 } from '../support/cells.js';
import type { Operation } from '../support/operations.js';
import { Refused } from '../support/refused.js';
import { prove } from '../support/registry.js';
import { sendParams, textOf, type Wire } from '../support/wire.js';

const COMPLETED = 'TASK_STATE_COMPLETED';

prove('GET-ANY-INSTANCE', A2A, async (world) => {
  const task = await world.wire().send('steps');
  expect(await world.other().get(task.id)).toEqual(task);
  const running = await world.wire().start('hang');
  await world.other().reaches(running.id, 'TASK_STATE_WORKING');
  await world.other().cancel(running.id);
});

prove('GET-UNKNOWN', A2A, async (world) => {
  await world.wire().send('instant');
  for (const id of [randomUUID(), 'no-uuid', '../x', 'a b?c#d']) {
    for (const operation of ['GetTask', 'CancelTask', 'SubscribeToTask'] as const) {
      (await world.wire().refusal(operation, { id })).expect('TASK_NOT_FOUND');
    }
  }
});

/** What an operation answers, with what it was asked for blotted out. */
async function blind(
  wire: Wire,
  operation: Operation,
  params: JsonObject,
  ids: readonly string[],
): Promise<string> {
  let shown: string;
  try {
    if (operation === 'SendStreamingMessage' || operation === 'SubscribeToTask') {
      const stream = await wire.open(operation, params);
      stream.disconnect();
      shown = 'a stream';
    } else shown = JSON.stringify(await wire.call(operation, params));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    shown = error.message;
  }
  return ids.reduce((text, id) => text.replaceAll(id, '<id>'), shown);
}

function askedOf(task: string, context: string, hook: string): readonly [Operation, JsonObject][] {
  const url = hook;
  return [
    ['GetTask', { id: task }],
    ['CancelTask', { id: task }],
    ['SubscribeToTask', { id: task }],
    ['SendMessage', sendParams('instant', { taskId: task })],
    ['SendMessage', sendParams('instant', { taskId: task, contextId: context })],
    ['SendStreamingMessage', sendParams('instant', { taskId: task })],
    ['CreateTaskPushNotificationConfig', { taskId: task, id: 'mine', url }],
    ['GetTaskPushNotificationConfig', { taskId: task, id: 'hook' }],
    ['ListTaskPushNotificationConfigs', { taskId: task }],
    ['DeleteTaskPushNotificationConfig', { taskId: task, id: 'hook' }],
  ];
}

prove('FOREIGN-IS-UNKNOWN', A2A, async (world) => {
  const mine = world.wire();
  const url = world.hook.url(`/${randomUUID()}`);
  const running = await mine.start('hang');
  const tasks = [running, await mine.send('ask'), await mine.send('instant')];
  for (const { id: taskId } of tasks) {
    await mine.call('CreateTaskPushNotificationConfig', { taskId, id: 'hook', url });
  }
  for (const who of [world.colleague, world.stranger]) {
    const wire = world.other(who);
    for (const { id, contextId } of tasks) {
      const [noTask, noContext] = [randomUUID(), randomUUID()];
      const real = askedOf(id, contextId, url);
      const random = askedOf(noTask, noContext, url);
      for (const [at, [operation, params]] of real.entries()) {
        const answer = await blind(wire, operation, params, [id, contextId]);
        const other = await blind(wire, operation, random[at]![1], [noTask, noContext]);
        expect(answer, operation).toBe(other);
        expect(answer, operation).toMatch(/TASK_NOT_FOUND/);
      }
    }
  }
  // Nothing of it was touched, and for the owner the ids are not unknown.
  expect((await mine.get(tasks[1]!.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect((await mine.get(running.id)).status.state).toBe('TASK_STATE_WORKING');
  const { configs } = await mine.call('ListTaskPushNotificationConfigs', { taskId: running.id });
  expect(configs).toHaveLength(1);
  await mine.cancel(running.id);
});

prove('FOREIGN-CONTEXT', A2A, async (world) => {
  const mine = await world.wire().start('hang');
  const { contextId } = mine;
  for (const who of [world.colleague, world.stranger]) {
    const task = await world.other(who).send('instant', { contextId });
    expect(task.status.state).toBe(COMPLETED);
    expect(task.metadata).toMatchObject({ 'n9e.seq_id': 1 });
    const { body } = await world.http(who).call('GET', `/a2a/tasks?contextId=${contextId}`);
    expect(body).toMatchObject({ totalSize: 1, tasks: [{ id: task.id }] });
  }
  expect((await world.wire().get(mine.id)).status.state).toBe('TASK_STATE_WORKING');
  await world.wire().cancel(mine.id);
});

prove('LIST-OWN', A2A_1_0, async (world) => {
  const wire = world.wire();
  const tasks = [];
  for (let count = 0; count < 3; count += 1) tasks.push(await wire.send('instant'));
  await world.wire(world.colleague).send('instant');
  const page = await world.other().list();
  expect(page.tasks.map(({ id }) => id)).toEqual(tasks.map(({ id }) => id).reverse());
  expect([page.totalSize, page.pageSize, page.nextPageToken]).toEqual([3, 50, '']);
  const times = page.tasks.map(({ status }) => status.timestamp);
  expect(times).toEqual([...times].sort().reverse());
});

prove('LIST-FILTERS', A2A_1_0, async (world) => {
  const wire = world.wire();
  const done = await wire.send('instant');
  const failed = await wire.send('fail');
  const idsOf = async (params: JsonObject): Promise<string[]> =>
    (await wire.list(params)).tasks.map(({ id }) => id);
  expect(await idsOf({ contextId: done.contextId })).toEqual([done.id]);
  expect(await idsOf({ contextId: randomUUID() })).toEqual([]);
  expect(await idsOf({ status: 'TASK_STATE_FAILED' })).toEqual([failed.id]);
  expect(await idsOf({ status: 'TASK_STATE_CANCELED' })).toEqual([]);
  expect(await idsOf({ status: COMPLETED, contextId: done.contextId })).toEqual([done.id]);
  expect(await idsOf({ statusTimestampAfter: '2020-01-01T00:00:00Z' })).toHaveLength(2);
  expect(await idsOf({ statusTimestampAfter: '2999-01-01T00:00:00Z' })).toEqual([]);
  for (const params of [
    { status: 'completed' },
    { status: 'TASK_STATE_DONE' },
    { statusTimestampAfter: 'yesterday' },
    { includeArtifacts: 'maybe' },
  ]) {
    (await wire.refusal('ListTasks', params)).expect('INVALID_PARAMS');
  }
});

prove('LIST-PAGES', A2A_1_0, async (world) => {
  const wire = world.wire();
  const sent = [];
  for (let count = 0; count < 5; count += 1) sent.push((await wire.send('instant')).id);
  const seen: string[] = [];
  let pageToken = '';
  for (let pages = 0; pages < 3; pages += 1) {
    const page = await (pages === 1 ? world.other() : wire).list({ pageSize: 2, pageToken });
    expect([page.totalSize, page.pageSize]).toEqual([5, 2]);
    expect(page.nextPageToken === '').toBe(pages === 2);
    seen.push(...page.tasks.map(({ id }) => id));
    pageToken = page.nextPageToken;
  }
  expect(seen).toEqual(sent.reverse());
  expect((await wire.list({ pageSize: 100 })).tasks).toHaveLength(5);
  for (const pageSize of [0, 101, -1, 1.5]) {
    (await wire.refusal('ListTasks', { pageSize })).expect('INVALID_PARAMS');
  }
  (await wire.refusal('ListTasks', { pageToken: 'made-up' })).expect('INVALID_PARAMS');
  const { nextPageToken } = await wire.list({ pageSize: 1 });
  const foreign = world.wire(world.colleague);
  try {
    const page = await foreign.list({ pageToken: nextPageToken });
    expect([page.tasks, page.totalSize]).toEqual([[], 0]);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    error.expect('INVALID_PARAMS');
  }
});

prove('LIST-CHANGING', A2A_1_0, async (world) => {
  const wire = world.wire();
  const oldest = await wire.send('instant');
  const middle = await wire.send('instant');
  const { id: taskId, contextId } = await wire.send('ask');
  const first = await wire.list({ pageSize: 1 });
  expect(first.tasks.map(({ id }) => id)).toEqual([taskId]);
  await wire.send('yes', { taskId, contextId });
  const rest = await wire.list({ pageSize: 2, pageToken: first.nextPageToken });
  expect(rest.tasks.map(({ id }) => id)).toEqual([middle.id, oldest.id]);
});

prove('LIST-VIEW', A2A_1_0, async (world) => {
  const wire = world.wire();
  await wire.send('instant');
  const [plain] = (await wire.list()).tasks as [Task];
  expect(plain).not.toHaveProperty('artifacts');
  expect(plain.history).toHaveLength(1);
  const [whole] = (await wire.list({ includeArtifacts: true, historyLength: 0 })).tasks as [Task];
  expect(textOf(whole)).toBe('done');
  expect(whole).not.toHaveProperty('history');
});

prove('LIST-NOT-03', ['jsonrpc-0.3'], async (world) => {
  (await world.wire().refusal('ListTasks', {})).expect('METHOD_NOT_FOUND');
});

prove('CANCEL-RUNNING', A2A, async (world) => {
  const stream = await world.wire().stream('deltas count=1000 every=20');
  const [first] = stream.events;
  const { task } = first!.event as { task: Task };
  await stream.find((event) => 'artifactUpdate' in event);
  const canceled = await world.other().cancel(task.id);
  expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
  const events = await stream.end();
  expect(events.at(-1)?.event).toMatchObject({
    statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } },
  });
  const [then, later] = [await world.wire().get(task.id), await world.other().get(task.id)];
  expect(then).toEqual(later);
  expect(then.status).toEqual(canceled.status);
  const again = await world.wire().send('instant', { contextId: task.contextId });
  expect(again.status.state).toBe(COMPLETED);
  expect(await world.other().get(task.id)).toEqual(then);
});

prove('CANCEL-ENDED', A2A, async (world) => {
  for (const text of ['instant', 'fail', 'reject']) {
    const task = await world.wire().send(text);
    const refused = await world.other().refusal('CancelTask', { id: task.id });
    refused.expect('TASK_NOT_CANCELABLE');
    expect(await world.wire().get(task.id)).toEqual(task);
  }
});

prove('CANCEL-TWICE', A2A, async (world) => {
  const { id } = await world.wire().start('hang');
  const both = await Promise.allSettled([world.wire().cancel(id), world.other().cancel(id)]);
  for (const outcome of both) {
    if (outcome.status === 'fulfilled') {
      expect(outcome.value.status.state).toBe('TASK_STATE_CANCELED');
    } else {
      expect(world.cell).toBe('jsonrpc-0.3');
      (outcome.reason as Refused).expect('TASK_NOT_CANCELABLE');
    }
  }
  const stored = await world.wire().get(id);
  expect(stored.status.state).toBe('TASK_STATE_CANCELED');
  if (world.cell === 'jsonrpc-0.3') {
    (await world.other().refusal('CancelTask', { id })).expect('TASK_NOT_CANCELABLE');
  } else expect(await world.other().cancel(id)).toEqual(stored);
});

prove('CANCEL-PARKED', A2A, async (world) => {
  for (const text of ['ask', 'ask expects=approval', 'auth']) {
    const { id, contextId } = await world.wire().send(text);
    expect((await world.other().cancel(id)).status.state).toBe('TASK_STATE_CANCELED');
    const next = await world.wire().send('instant', { contextId });
    expect(textOf(next)).toBe('done');
    expect(next.id).not.toBe(id);
  }
});

prove('ASK-CONTINUES', A2A, async (world) => {
  const asked = await world.wire().send('ask');
  const { id: taskId, contextId } = asked;
  expect(asked.status).toMatchObject({
    state: 'TASK_STATE_INPUT_REQUIRED',
    message: { role: 'ROLE_AGENT', parts: [{ text: 'Which one?' }] },
  });
  const answered = await world.other().send('the second', { taskId, contextId });
  expect([answered.id, answered.status.state]).toEqual([taskId, COMPLETED]);
  expect(textOf(answered)).toBe('before the question you said the second');
  const said = answered.history?.map(({ parts }) => parts[0]?.text);
  expect(said).toEqual(['ask', 'Which one?', 'the second']);
});

prove('ASK-BY-CONTEXT', A2A, async (world) => {
  const { id, contextId } = await world.wire().send('ask');
  const answered = await world.other().send('that one', { contextId });
  expect([answered.id, answered.status.state]).toEqual([id, COMPLETED]);
  expect(textOf(answered)).toContain('you said that one');
});

prove('ASK-PARKED-LIMIT', A2A, async (world) => {
  const wire = world.wire(world.of('small'));
  const parked = [await wire.send('ask'), await wire.send('ask'), await wire.send('ask')];
  const oldest = await wire.reaches(parked[0]!.id, 'TASK_STATE_FAILED').catch(() => undefined);
  const states = [];
  for (const { id } of parked) states.push((await wire.get(id)).status.state);
  expect(states.slice(1)).toEqual(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_INPUT_REQUIRED']);
  expect(states[0]).toMatch(/FAILED|CANCELED/);
  expect(oldest?.status.message?.parts[0]?.text ?? states[0]).toMatch(/./);
  expect(textOf(await wire.send('instant'))).toBe('done');
});

prove('DELETE-TASK', ['rest-1.0'], async (world) => {
  const { http } = world.wire();
  const done = await world.wire().send('instant');
  const running = await world.wire().start('hang');
  for (const who of [world.colleague, world.stranger]) {
    const foreign = await world.http(who).call('DELETE', `/a2a/tasks/${done.id}`);
    expect([foreign.status, foreign.text]).toEqual([
      404,
      expect.stringContaining('TASK_NOT_FOUND') as unknown,
    ]);
  }
  const early = await http.call('DELETE', `/a2a/tasks/${running.id}`);
  expect([early.status, early.text]).toEqual([
    400,
    expect.stringContaining('UNSUPPORTED_OPERATION') as unknown,
  ]);
  const deleted = await world.other().http.call('DELETE', `/a2a/tasks/${done.id}`);
  expect([deleted.status, deleted.text]).toEqual([204, '']);
  (await world.wire().refusal('GetTask', { id: done.id })).expect('TASK_NOT_FOUND');
  expect((await world.wire().list()).tasks.map(({ id }) => id)).toEqual([running.id]);
  await world.wire().cancel(running.id);
});

prove('CONTEXTS', ['rest-1.0'], async (world) => {
  const { http } = world.wire();
  const contextId = randomUUID();
  await world.wire().send('instant', { contextId });
  await world.wire().send('steps', { contextId });
  const list = await world.other().http.call('GET', '/a2a/contexts');
  expect(list.body).toMatchObject({ contexts: [{ contextId }], nextPageToken: '' });
  const one = await http.call('GET', `/a2a/contexts/${contextId}`);
  expect(one.text).toContain(contextId);
  for (const text of ['instant', 'done', 'steps', 'seen']) expect(one.text).toContain(text);
  for (const who of [world.colleague, world.stranger]) {
    const foreign = await world.http(who).call('GET', `/a2a/contexts/${contextId}`);
    const random = await world.http(who).call('GET', `/a2a/contexts/${randomUUID()}`);
    expect([foreign.status, random.status]).toEqual([404, 404]);
    expect(foreign.text.replaceAll(contextId, '')).toBe(
      random.text.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, ''),
    );
  }
  expect((await http.call('DELETE', `/a2a/contexts/${contextId}`)).status).toBe(204);
  expect((await http.call('GET', `/a2a/contexts/${contextId}`)).status).toBe(404);
  const fresh = await world.wire().send('instant', { contextId });
  expect(fresh.metadata).toMatchObject({ 'n9e.seq_id': 1 });
});
