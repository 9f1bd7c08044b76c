import { expect } from 'vitest';
import type { Artifact, StreamResponse, Task } from '../../../src/domain/a2a.js';
import { formatEventId } from '../../../src/domain/event.js';
import { sleep } from '../../support/wait.js';
import { A2A, type A2aCell, JSON_RPC } from '../support/cells.js';
import { COMMENT_MS, HEARTBEAT_MS } from '../support/deployment.js';
import { prove } from '../support/registry.js';
import { RPC_PATH, sendParams, type WireEvent } from '../support/wire.js';
import { SMALL } from '../support/world.js';

/** The events of the task itself: heartbeats have no id. */
function story(events: readonly WireEvent[]): StreamResponse[] {
  return events.filter(({ id }) => id !== undefined).map(({ event }) => event);
}

function stateOf(event: StreamResponse | undefined): string | undefined {
  if (event === undefined) return undefined;
  if ('task' in event) return event.task.status.state;
  return 'statusUpdate' in event ? event.statusUpdate.status.state : undefined;
}

function taskOf(events: readonly WireEvent[]): Task {
  const [first] = events;
  expect(first?.event).toHaveProperty('task.id');
  return (first!.event as { task: Task }).task;
}

/** The artifacts that a reader has after these events, by id, texts joined. */
function fold(events: readonly StreamResponse[]): Record<string, string> {
  const texts: Record<string, string> = {};
  const add = ({ artifactId, parts }: Artifact, append: boolean): void => {
    const text = parts.map((part) => part.text ?? JSON.stringify(part)).join('');
    texts[artifactId] = (append ? (texts[artifactId] ?? '') : '') + text;
  };
  for (const event of events) {
    if ('task' in event) {
      event.task.artifacts?.forEach((artifact) => {
        add(artifact, false);
      });
    } else if ('artifactUpdate' in event) {
      add(event.artifactUpdate.artifact, event.artifactUpdate.append === true);
    }
  }
  return texts;
}

prove('STREAM-ORDER', A2A, async (world) => {
  const events = story(await (await world.wire().stream('steps')).end());
  const [first] = events;
  expect(first).toMatchObject({
    task: {
      status: { state: 'TASK_STATE_SUBMITTED' },
      metadata: { 'n9e.chat_id': expect.any(String) as unknown, 'n9e.seq_id': 1 },
    },
  });
  expect(first).not.toHaveProperty('task.artifacts.0');
  const states = events.slice(1).map(stateOf);
  expect(states[0]).toBe('TASK_STATE_WORKING');
  const terminal = states.filter((state) => state === 'TASK_STATE_COMPLETED');
  expect([terminal.length, states.at(-1)]).toEqual([1, 'TASK_STATE_COMPLETED']);
  for (const event of events) {
    if ('artifactUpdate' in event) {
      expect(event.artifactUpdate.artifact.parts.length).toBeGreaterThan(0);
    }
    if ('statusUpdate' in event) {
      expect(event.statusUpdate.status.message?.parts.length ?? 1).toBeGreaterThan(0);
    }
  }
  expect(JSON.stringify(first)).not.toContain('"parts":[]');
});

prove('STREAM-FOLD', A2A, async (world) => {
  const stream = await world.wire().stream('deltas count=12 every=80');
  const events = story(await stream.end());
  const updates = events.flatMap((event) =>
    'artifactUpdate' in event && event.artifactUpdate.artifact.artifactId.includes('answer')
      ? [event.artifactUpdate]
      : [],
  );
  expect(updates.length).toBeGreaterThan(2);
  expect(updates.map(({ append }) => append === true)).toEqual(updates.map((_, at) => at > 0));
  const stored = await world.other().get(taskOf(stream.events).id);
  expect(fold(events)).toEqual(fold([{ task: stored }]));
  expect(stateOf(events.at(-1))).toBe(stored.status.state);
});

prove('STREAM-THOUGHTS', A2A, async (world) => {
  const events = story(await (await world.wire().stream('steps')).end());
  const thoughts = events.flatMap((event) =>
    'artifactUpdate' in event
      ? event.artifactUpdate.artifact.parts.filter(
          (part) => part.metadata?.['adk_thought'] === true,
        )
      : [],
  );
  expect(thoughts.map((part) => part.text)).toEqual(['thinking']);
  const steps = events.filter(
    (event) => 'statusUpdate' in event && event.statusUpdate.status.message !== undefined,
  );
  expect(steps[0]).toMatchObject({
    statusUpdate: {
      status: {
        state: 'TASK_STATE_WORKING',
        message: { role: 'ROLE_AGENT', parts: [{ text: 'looking' }] },
      },
    },
  });
});

prove('STREAM-WIRE', A2A, async (world) => {
  const { method, path, body } = world
    .wire()
    .request('SendStreamingMessage', sendParams('line one\nline two\r\nthree'));
  const reply = await world.http().call(method, path, body, { accept: 'text/event-stream' });
  expect(reply.status).toBe(200);
  expect(reply.headers['content-type']).toMatch(/^text\/event-stream/);
  expect(reply.headers['x-accel-buffering']).toBe('no');
  expect(reply.headers['cache-control']).toMatch(/no-cache|no-store/);
  const blocks = reply.text.split('\n\n').filter((block) => /^data:/m.test(block));
  expect(blocks.length).toBeGreaterThan(3);
  expect(reply.text).toMatch(/^retry: \d+$/m);
  for (const block of blocks) {
    expect(block.match(/^data: /gm)).toHaveLength(1);
    if (!/^id: /m.test(block)) continue;
    expect(block).toMatch(/^id: \d+-\d+$/m);
  }
  const ids = [...reply.text.matchAll(/^id: (\d+)-\d+$/gm)].map(([, seq]) => Number(seq));
  expect(ids).toEqual(ids.map((_, at) => ids[0]! + at));
});

prove('STREAM-FINAL', ['jsonrpc-0.3'], async (world) => {
  for (const text of ['steps', 'ask', 'auth', 'fail']) {
    const events = await (await world.wire().stream(text)).end();
    const finals = events.flatMap(({ data }) => {
      const result = data['result'] as { kind: string; final?: boolean };
      return result.kind === 'status-update' ? [result.final === true] : [];
    });
    expect(finals).toEqual(finals.map((_, at) => at === finals.length - 1));
    expect(finals.length).toBeGreaterThan(1);
  }
});

prove('STREAM-RPC-ID', JSON_RPC, async (world) => {
  const path = RPC_PATH[world.cell as Exclude<A2aCell, 'rest-1.0'>];
  for (const id of [0, 42, '', 'seven', null]) {
    const { body } = world.wire().request('SendStreamingMessage', sendParams('instant'), id);
    const reply = await world.http().call('POST', path, body, { accept: 'text/event-stream' });
    const events = [...reply.text.matchAll(/^data: (.+)$/gm)].map(
      ([, data]) => JSON.parse(data!) as { id: unknown; result: unknown },
    );
    expect(events.length).toBeGreaterThan(2);
    expect(events.map((event) => event.id)).toEqual(events.map(() => id));
  }
});

prove('STREAM-HEARTBEAT', A2A, async (world) => {
  const stream = await world.wire().stream('hang');
  const { id } = taskOf(stream.events);
  await stream.find((event) => 'artifactUpdate' in event);
  await sleep(Math.min(HEARTBEAT_MS * 1.7, world.patience));
  await stream.raw.find((event) => event.id === undefined);
  const beats = stream.events.filter((event) => event.id === undefined);
  expect(beats[0]?.event).toMatchObject({
    statusUpdate: { taskId: id, status: { state: 'TASK_STATE_WORKING' } },
  });
  expect(stream.raw.comments.length).toBeGreaterThanOrEqual(HEARTBEAT_MS / COMMENT_MS - 1);
  expect(stream.raw.closed).toBe(false);
  await world.other().cancel(id);
  expect(stateOf((await stream.end()).at(-1)?.event)).toBe('TASK_STATE_CANCELED');
});

prove('STREAM-REFUSED', A2A, async (world) => {
  const { method, path, body } = world.wire().request('SendStreamingMessage', {
    message: { messageId: 'm', role: 'ROLE_USER', parts: [] },
  });
  const reply = await world.http().call(method, path, body, { accept: 'text/event-stream' });
  expect(reply.headers['content-type']).toMatch(/json/);
  expect(reply.text).toMatch(/INVALID_PARAMS/);
  expect(reply.status).toBe(world.cell === 'rest-1.0' ? 400 : 200);
});

prove('STREAM-LIMIT', A2A, async (world) => {
  const who = world.of('small');
  const wire = world.wire(who);
  const { id } = await wire.start('hang');
  const open = [];
  for (let count = 0; count < SMALL.streamsPerUser; count += 1) open.push(await wire.subscribe(id));
  (await wire.refusal('SubscribeToTask', { id })).expect('QUOTA');
  open.forEach((stream) => {
    stream.disconnect();
  });
  await wire.cancel(id);
});

prove('SUBSCRIBE-ANY-INSTANCE', A2A, async (world) => {
  const { id } = await world.wire().start('deltas count=60 every=15');
  const streams = [];
  for (let count = 0; count < 4; count += 1) {
    streams.push(await world.other().subscribe(id));
    await sleep(40);
  }
  const stored = await world.wire().reaches(id, 'TASK_STATE_COMPLETED');
  for (const stream of streams) {
    const events = await stream.end();
    expect(taskOf(events).id).toBe(id);
    const seqs = events.flatMap((event) => (event.id === undefined ? [] : [event.id.seq]));
    expect(seqs).toEqual(seqs.map((_, at) => seqs[0]! + at));
    expect(fold(story(events))).toEqual(fold([{ task: stored }]));
    expect(stateOf(events.at(-1)?.event)).toBe('TASK_STATE_COMPLETED');
  }
});

prove('SUBSCRIBE-MANY', A2A, async (world) => {
  const { id } = await world.wire().start('deltas count=30 every=40');
  const streams = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      (at % 2 === 0 ? world.wire() : world.other()).subscribe(id),
    ),
  );
  streams[5]!.disconnect();
  const stored = await world.wire().reaches(id, 'TASK_STATE_COMPLETED');
  for (const [at, stream] of streams.entries()) {
    if (at === 5) continue;
    expect(fold(story(await stream.end()))).toEqual(fold([{ task: stored }]));
  }
});

prove('SUBSCRIBE-RESUME', A2A, async (world) => {
  const first = await world.wire().stream('deltas count=40 every=20');
  const { id } = taskOf(first.events);
  await first.raw.until(5);
  first.disconnect();
  const seen = first.events.filter((event) => event.id !== undefined);
  const last = formatEventId(seen.at(-1)!.id!);
  const rest = await (await world.other().subscribe(id, last)).end();
  const after = rest.filter((event) => event.id !== undefined);
  expect(after[0]?.id?.seq).toBe(seen.at(-1)!.id!.seq + 1);
  const stored = await world.wire().get(id);
  expect(fold(story([...seen, ...after]))).toEqual(fold([{ task: stored }]));
  const late = await (await world.other().subscribe(id, last)).end();
  expect(story(late)).toEqual(story(rest));
  for (const lost of ['no-id-at-all', '999999-1', '1-999999', '0']) {
    const odd = await (await world.other().subscribe(id, lost)).end();
    expect(fold(story(odd)), lost).toEqual(fold([{ task: stored }]));
    expect(taskOf(odd)).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
  }
});

prove('SUBSCRIBE-ENDED', A2A, async (world) => {
  for (const text of ['instant', 'fail', 'reject']) {
    const { id } = await world.wire().send(text);
    for (const wire of [world.wire(), world.other()]) {
      (await wire.refusal('SubscribeToTask', { id })).expect('UNSUPPORTED_OPERATION');
    }
  }
});

prove('SUBSCRIBE-GET-POST', ['rest-1.0'], async (world) => {
  const { id } = await world.wire().start('hang');
  const http = world.http(world.me, world.site.b);
  for (const [method, body] of [['GET'], ['POST'], ['POST', {}]] as const) {
    const stream = await http.open(method, `/a2a/tasks/${id}:subscribe`, {}, body);
    await stream.until(1);
    expect(stream.events[0]?.data).toMatchObject({ task: { id } });
    stream.disconnect();
  }
  const empty = await http.call('POST', `/a2a/tasks/${id}:cancel`, '', {
    'content-type': 'application/json',
  });
  expect([empty.status, empty.body]).toMatchObject([
    200,
    { status: { state: 'TASK_STATE_CANCELED' } },
  ]);
});

prove('DISCONNECT', A2A, async (world) => {
  const stream = await world.wire().stream('deltas count=25 every=20');
  const { id } = taskOf(stream.events);
  stream.disconnect();
  const ended = await world.other().reaches(id, 'TASK_STATE_COMPLETED');
  const text = fold([{ task: ended }]);
  // Numbered by attempt: a second start would say 2.
  expect(Object.values(text).join('')).toMatch(/^1\.1 1\.2 [^]*1\.25 /);
});

prove('PARKED-ENDS-STREAM', A2A, async (world) => {
  for (const [text, state] of [
    ['ask', 'TASK_STATE_INPUT_REQUIRED'],
    ['auth', 'TASK_STATE_AUTH_REQUIRED'],
  ] as const) {
    const events = await (await world.wire().stream(text)).end();
    expect(stateOf(events.at(-1)?.event)).toBe(state);
    const { id } = taskOf(events);
    const again = await (await world.other().subscribe(id)).end();
    expect(stateOf(again[0]?.event)).toBe(state);
    const resumed = await world
      .wire()
      .stream('go on', { taskId: id, contextId: taskOf(events).contextId });
    expect(stateOf((await resumed.end()).at(-1)?.event)).toBe('TASK_STATE_COMPLETED');
  }
});
