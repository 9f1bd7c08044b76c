import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import type { CallContext } from '../../src/domain/call-context.js';
import { backendOf, callerOf, Core, coreConfig, say } from '../support/core.js';
import { RedisServer } from '../support/redis-server.js';

const ann = callerOf('acme', 'ann');
const bob = callerOf('acme', 'bob');
const reader: CallContext = { ...callerOf('acme', 'eve'), scopes: ['a2a', 'tasks:read:tenant'] };
const foreign: CallContext = { ...reader, tenant: 'globex' };

let server: RedisServer;
let core: Core;

async function* answer(turn: Turn): AsyncIterable<Frame> {
  await Promise.resolve();
  if (turn.text === 'ask') yield { kind: 'input_required', question: 'Which?', expects: 'text' };
  else yield { kind: 'content', text: turn.text };
}

async function run(ctx: CallContext, text: string, contextId: string): Promise<string> {
  const { taskId } = await core.tasks.submit(ctx, say(text, { contextId }));
  const { signal } = new AbortController();
  await core.tasks.waitSettled(ctx, taskId, { timeoutMs: 30_000, signal });
  return taskId;
}

let anns: string;
let parked: string;
let bobs: string;

beforeAll(async () => {
  server = await RedisServer.start();
  core = await new Core(coreConfig(server.url), backendOf(answer)).start();
  anns = await run(ann, 'hello', 'chat');
  parked = await run(ann, 'ask', 'open');
  bobs = await run(bob, 'hello', 'chat');
});
afterAll(async () => {
  await core.stop();
  await server.stop();
});

async function ids(ctx: CallContext, query: Record<string, unknown> = {}): Promise<string[]> {
  const page = await core.tasks.list(ctx, { pageSize: 50, ...query });
  expect(page.totalSize).toBe(page.tasks.length);
  return page.tasks.map(({ id }) => id);
}

describe('a caller with tasks:read:tenant', () => {
  it('should get, list and follow every task of its tenant, and none of another', async () => {
    expect((await core.tasks.get(reader, anns)).id).toBe(anns);
    expect(await ids(reader)).toEqual([bobs, parked, anns]);
    const { signal } = new AbortController();
    const stream = await core.tasks.subscribe(reader, anns, { from: 'start' }, signal);
    let events = 0;
    for await (const event of stream) events += event.id === undefined ? 0 : 1;
    expect(events).toBeGreaterThan(2);
    await expect(core.tasks.get(foreign, anns)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    expect(await ids(foreign)).toEqual([]);
  });

  it('should filter by state and context, over pages', async () => {
    expect(await ids(reader, { contextId: 'chat' })).toEqual([bobs, anns]);
    expect(await ids(reader, { state: 'TASK_STATE_INPUT_REQUIRED' })).toEqual([parked]);
    expect(await ids(reader, { state: 'TASK_STATE_COMPLETED', contextId: 'open' })).toEqual([]);
    const query = { state: 'TASK_STATE_COMPLETED', pageSize: 1 } as const;
    const first = await core.tasks.list(reader, query);
    expect(first).toMatchObject({ totalSize: 2, tasks: [{ id: bobs }] });
    const second = await core.tasks.list(reader, { ...query, pageToken: first.nextPageToken });
    expect(second).toMatchObject({ totalSize: 2, tasks: [{ id: anns }], nextPageToken: '' });
  });

  it('should change nothing that is not its own', async () => {
    for (const id of [anns, parked]) {
      const refused = { code: 'TASK_NOT_FOUND' };
      await expect(core.tasks.cancel(reader, id)).rejects.toMatchObject(refused);
      await expect(core.records.removeTask(reader, id)).rejects.toMatchObject(refused);
      const answered = core.tasks.submit(reader, say('this', { taskId: id }));
      await expect(answered).rejects.toMatchObject(refused);
    }
  });

  it('should not make others read more', async () => {
    expect(await ids(bob)).toEqual([bobs]);
    await expect(core.tasks.get(bob, anns)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  });
});
