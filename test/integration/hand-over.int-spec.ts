import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TaskEvent } from '../../src/domain/event.js';
import { Keys } from '../../src/redis/keys.js';
import { RedisClock } from '../../src/redis/redis.clock.js';
import { RedisConnections } from '../../src/redis/redis.connections.js';
import { RedisTaskReader } from '../../src/store/redis-task.reader.js';
import { StreamHub } from '../../src/streams/hub.js';
import type { LogReader } from '../../src/streams/log-reader.js';
import type { TaskRef } from '../../src/store/task-ref.js';
import { coreConfig } from '../support/core.js';
import { newTask, ScriptBench } from '../support/script-bench.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { eventually, sleep, within } from '../support/wait.js';

/** Below the stall check of 5 s: what comes within this came by itself. */
const PROMPT_MS = 4_000;

let bench: ScriptBench;
let proxy: TcpProxy;
let redis: RedisConnections;
let hub: StreamHub;

beforeEach(async () => {
  bench = await ScriptBench.start();
  proxy = await TcpProxy.start(bench.port);
  redis = new RedisConnections(coreConfig(proxy.url));
  const keys = new Keys();
  hub = new StreamHub(redis, keys, new RedisTaskReader(redis, keys), new RedisClock());
  hub.onModuleInit();
  await Promise.all([redis.reads.ping(), redis.subscriber.subscribe('here')]);
});
afterEach(async () => {
  hub.onApplicationShutdown();
  redis.onApplicationShutdown();
  await proxy.stop();
  await bench.stop();
});

/** An event whose text tells it apart. */
function step(n: number): string {
  const timestamp = '2026-01-01T00:00:00.000Z';
  const message = { messageId: `m${n}`, role: 'ROLE_AGENT', parts: [{ text: String(n) }] };
  const status = { state: 'TASK_STATE_WORKING', timestamp, message };
  return JSON.stringify({ statusUpdate: { taskId: 't', contextId: 'c', status } });
}

/** Reads on its own, so that what came is known at any time. */
class Collector {
  readonly events: TaskEvent[] = [];
  readonly ended: Promise<void>;

  constructor(reader: LogReader) {
    this.ended = (async () => {
      for await (const event of reader) this.events.push(event);
    })();
  }

  get ids(): string[] {
    return this.events.map(({ id }) => `${id.seq}-${id.epoch}`);
  }
}

async function open(ref: TaskRef, start: 'snapshot' | 'start' = 'snapshot'): Promise<Collector> {
  const reader = await hub.open(ref.tenant, ref.user, ref.taskId, start);
  if (reader === undefined) throw new Error('no such task');
  return new Collector(reader);
}

describe('the hand-over from log to channel', () => {
  it('should not lose the last event when its subscription is late', async () => {
    const ref = newTask();
    await bench.create(ref);
    proxy.delaySubscribers = { toServer: () => 300 };
    const opening = open(ref);
    await sleep(120);
    // After a read that came too early, before the subscription: nobody will ever repeat it.
    await bench.settle(ref);
    const reader = await opening;
    await within('the reader ends', PROMPT_MS, reader.ended);
    expect(reader.events.at(-1)).toMatchObject({ id: { seq: 2, epoch: 1 }, settled: true });
  });

  it('should be exact while its messages come late and the log grows', async () => {
    const ref = newTask();
    await bench.create(ref);
    proxy.delaySubscribers = {
      toServer: () => Math.random() * 80,
      toClient: () => Math.random() * 80,
    };
    const readers: Collector[] = [];
    for (let seq = 1; seq < 200; seq += 1) {
      await bench.append(ref, { expected: seq, events: [step(seq)] });
      if (seq % 10 === 0) readers.push(await open(ref));
    }
    await bench.settle(ref, { expected: 200 });
    await within('all readers end', PROMPT_MS, Promise.all(readers.map(({ ended }) => ended)));
    for (const { events } of readers) {
      const first = events[0]!.id.seq;
      expect(events.map(({ id }) => id.seq)).toEqual(
        Array.from({ length: 201 - first + 1 }, (_, i) => first + i),
      );
      const texts = events.slice(1, -1).map(({ json }) => json);
      expect(texts).toEqual(texts.map((_, i) => step(first + i)));
    }
  });

  it('should give a later reader the task as of now, not as an earlier one saw it', async () => {
    const ref = newTask();
    await bench.create(ref);
    const first = await open(ref);
    await bench.append(ref, { events: [step(1)] });
    await eventually('the first reader has it', () => first.ids.includes('2-1'));
    proxy.delaySubscribers = { toClient: () => 400 };
    const second = await open(ref);
    await eventually('the second reader has its snapshot', () => second.ids.length > 0);
    expect(second.ids[0]).toBe('2-1');
  });

  it('should fill in what it missed while its subscription was cut', async () => {
    const ref = newTask();
    await bench.create(ref);
    const reader = await open(ref);
    proxy.cut(({ subscriber }) => subscriber);
    await bench.append(ref, { events: [step(1), step(2)] });
    await bench.settle(ref, { expected: 3 });
    await within('the reader ends', PROMPT_MS, reader.ended);
    expect(reader.ids).toEqual(['1-1', '2-1', '3-1', '4-1']);
  });

  it('should fill a gap from the log as soon as a later message shows it', async () => {
    const ref = newTask();
    await bench.create(ref);
    const reader = await open(ref);
    const { channel } = bench.keysOf(ref);
    await bench.redis.xadd(bench.keysOf(ref).log, '2-1', 'e', step(1));
    await bench.redis.hset(bench.keysOf(ref).task, 'seq', 2);
    await bench.append(ref, { expected: 2, events: [step(2)] });
    await eventually('the reader has all', () => reader.ids.length === 3, PROMPT_MS);
    expect(reader.ids).toEqual(['1-1', '2-1', '3-1']);
    expect(reader.events.slice(1).map(({ json }) => json)).toEqual([step(1), step(2)]);
    // A message twice, or an old one late, is dropped.
    await bench.redis.publish(channel, `2 1 -\n${step(1)}`);
    await bench.redis.publish(channel, `3 1 -\n${step(2)}`);
    await bench.append(ref, { expected: 3, events: [step(3)] });
    await eventually('the reader has the next', () => reader.ids.length >= 4, PROMPT_MS);
    expect(reader.ids).toEqual(['1-1', '2-1', '3-1', '4-1']);
  });

  it('should find a last message that was lost, by its own check', async () => {
    const ref = newTask();
    await bench.create(ref);
    const reader = await open(ref);
    await bench.settle(ref, { told: false });
    await within('the reader ends', 12_000, reader.ended);
    expect(reader.ids).toEqual(['1-1', '2-1']);
  });

  it('should start again from a snapshot when the log came back shorter, also unannounced', async () => {
    const start = async (told: boolean): Promise<void> => {
      const ref = newTask();
      const k = bench.keysOf(ref);
      await bench.create(ref);
      await bench.append(ref, { events: [step(1)] });
      const reader = await open(ref, 'start');
      await eventually('the reader is there', () => reader.ids.length === 2);
      // The acknowledged event 2-1 is gone; another run writes its own second event.
      await bench.redis.xdel(k.log, '2-1');
      await bench.redis.hset(k.task, 'seq', 1, 'epoch', 2, 'owner', 'i2');
      await bench.settle(ref, { epoch: 2, state: 4, told });
      await within('the reader ends', 12_000, reader.ended);
      expect(reader.ids).toEqual(['1-1', '2-1', '2-2']);
      expect(reader.events.at(-1)!.json).toContain('"task"');
    };
    await Promise.all([start(true), start(false)]);
  });

  it('should know no task of another user', async () => {
    const ref = newTask();
    await bench.create(ref);
    expect(await hub.open(ref.tenant, 'u2', ref.taskId, 'snapshot')).toBeUndefined();
    expect(await hub.open(ref.tenant, 'u2', ref.taskId, 'start')).toBeUndefined();
    expect(await hub.open(ref.tenant, 'u1', 'no-such-task', 'snapshot')).toBeUndefined();
  });

  it('should hold one subscription however many readers, and none after the last', async () => {
    const ref = newTask();
    await bench.create(ref);
    const readers = await Promise.all(
      Array.from({ length: 20 }, () => hub.open(ref.tenant, ref.user, ref.taskId, 'snapshot')),
    );
    const count = async (): Promise<unknown> =>
      await bench.redis.call('PUBSUB', 'NUMSUB', bench.keysOf(ref).channel);
    expect(await count()).toEqual([bench.keysOf(ref).channel, 1]);
    readers.forEach((reader) => {
      reader?.close();
    });
    await eventually('it has unsubscribed', async () => {
      const [, subscribers] = (await count()) as [string, number];
      return subscribers === 0;
    });
  });
});
