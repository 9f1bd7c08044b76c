import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import { backendOf, callerOf, Core, coreConfig, say } from '../support/core.js';
import { RedisServer } from '../support/redis-server.js';

const alice = callerOf('acme', 'alice');
const DELTA = 'x'.repeat(900);
/** Writes, reads, control, one subscriber (design invariant 8). */
const CONNECTIONS = 4;

let server: RedisServer;
let redis: Redis;
let core: Core;

/** `deltas n`: so many deltas of 900 B, slow enough that none is joined with the next. */
async function* talk(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
  const [command, count] = turn.text.split(' ');
  if (command === 'hang') {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    return;
  }
  for (let i = 0; i < Number(count); i += 1) {
    yield { kind: 'content', text: DELTA };
    yield { kind: 'reason', text: '.' };
    if (i % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

beforeEach(async () => {
  server = await RedisServer.start();
  redis = new Redis(server.url);
  core = await new Core(coreConfig(server.url), backendOf(talk)).start();
});
afterEach(async () => {
  await core.stop();
  redis.disconnect();
  await server.stop();
});

async function info(section: string, field: string): Promise<number> {
  const text = await redis.info(section);
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(text)?.[1]);
}

async function run(text: string): Promise<void> {
  const { taskId } = await core.tasks.submit(alice, say(text));
  const signal = new AbortController().signal;
  const task = await core.tasks.waitSettled(alice, taskId, { timeoutMs: 50_000, signal });
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
}

describe('what a delta costs', () => {
  it('should not grow with the task: ten times the deltas, about ten times the bytes', async () => {
    const bytesOf = async (deltas: number): Promise<number> => {
      const before = await info('stats', 'total_net_input_bytes');
      await run(`deltas ${deltas}`);
      return (await info('stats', 'total_net_input_bytes')) - before;
    };
    await bytesOf(20);
    const small = await bytesOf(200);
    const large = await bytesOf(2_000);
    expect(large).toBeGreaterThan(2_000 * DELTA.length);
    expect(large / small).toBeLessThan(13);
    // The log, its snapshots at about twice that, and the result artifact, which repeats the answer.
    expect(large).toBeLessThan(12 * 2_000 * DELTA.length);
  });
});

describe('the connections of an instance', () => {
  it('should be four, whatever runs and streams there are', async () => {
    const count = async (): Promise<number> => {
      const list = (await redis.client('LIST')) as string;
      return list.split('\n').filter((line) => line.includes('name=nightjar-')).length;
    };
    expect(await count()).toBe(CONNECTIONS);
    const aborts: AbortController[] = [];
    for (let i = 0; i < 15; i += 1) {
      const { taskId } = await core.tasks.submit(alice, say('hang'));
      for (let n = 0; n < 4; n += 1) {
        const abort = new AbortController();
        aborts.push(abort);
        const stream = await core.tasks.subscribe(
          alice,
          taskId,
          { from: 'snapshot' },
          abort.signal,
        );
        void stream[Symbol.asyncIterator]().next();
      }
    }
    expect(await count()).toBe(CONNECTIONS);
    aborts.forEach((abort) => {
      abort.abort();
    });
  });
});
