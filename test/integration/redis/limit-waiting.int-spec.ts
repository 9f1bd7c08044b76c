import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { afterWaiting } from '../../../src/redis/limit-waiting.js';
import { openRedis, type RedisClient } from '../../../src/redis/open-redis.js';
import { RedisServer } from '../../support/redis-server.js';
import { eventually, sleep } from '../../support/wait.js';

/** Nothing of this process runs meanwhile: as when many requests come at once on a busy machine. */
const block = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

describe('how long a command waits for Redis', () => {
  let server: RedisServer;
  const open: RedisClient[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterEach(() => {
    for (const client of open.splice(0)) client.disconnect();
  });

  afterAll(async () => {
    await server.stop();
  });

  function connect(commandTimeoutMs: number, waits = false): RedisClient {
    const behaviour = { name: 'test', commandTimeoutMs, waits, reconnects: true };
    const client = openRedis({ url: server.url, prefix: 'nj:', allowEviction: false }, behaviour);
    open.push(client);
    return client;
  }

  it('does not blame Redis for an event loop that was blocked', async () => {
    const client = connect(200);
    await client.set('k', 'v');
    const answers = Promise.all([client.get('k'), client.get('k')]);
    block(600);
    expect(await answers).toEqual(['v', 'v']);
    const again = client.get('k');
    block(600);
    expect(await again).toBe('v');
  });

  it('fails what a silent Redis leaves unanswered, what is sent later too, and goes on after it', async () => {
    const client = connect(200);
    await client.set('k', 'v');
    server.freeze();
    try {
      const before = performance.now();
      const first = client.get('k').catch((error: unknown) => error);
      await expect(client.get('k')).rejects.toThrow('Command timed out');
      expect(performance.now() - before).toBeGreaterThanOrEqual(190);
      expect(await first).toBeInstanceOf(Error);
      await expect(client.get('k')).rejects.toThrow('Command timed out');
    } finally {
      server.thaw();
    }
    expect(await client.get('k')).toBe('v');
  });

  it('counts the wait for a connection too', async () => {
    const behaviour = { name: 'test', commandTimeoutMs: 200, waits: true, reconnects: true };
    const client = openRedis(
      { url: 'redis://127.0.0.1:1', prefix: 'nj:', allowEviction: false },
      behaviour,
    );
    open.push(client);
    await expect(client.get('k')).rejects.toThrow('Command timed out');
  });

  it('does not count a blocked event loop in any other wait for an answer', async () => {
    let over = false;
    afterWaiting(100, () => {
      over = true;
    });
    block(400);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(over).toBe(false);
    await eventually('the wait is over', () => over);
  });

  it('calls nobody once the wait was taken back', async () => {
    let over = false;
    const stop = afterWaiting(10, () => {
      over = true;
    });
    stop();
    await sleep(50);
    expect(over).toBe(false);
  });
});
