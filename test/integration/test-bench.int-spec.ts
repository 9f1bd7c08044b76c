import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { GUARD, OwnedProcess } from '../support/owned-process.js';
import { RedisServer } from '../support/redis-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { eventually, sleep } from '../support/wait.js';

const opened: { stop: () => Promise<unknown> }[] = [];
function own<T extends { stop: () => Promise<unknown> }>(thing: T): T {
  opened.push(thing);
  return thing;
}
function client(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  redis.on('error', () => undefined);
  own({
    stop: () => {
      redis.disconnect();
      return Promise.resolve();
    },
  });
  return redis;
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.stop();
});

describe('the test bench', () => {
  it('should tell the pid of the program itself, signal it and end it', async () => {
    const child = own(
      await OwnedProcess.start(process.execPath, [
        '-e',
        'console.log(process.pid); setInterval(() => 0, 1000)',
      ]),
    );
    await eventually('the child prints', () => child.logs !== '');
    expect(child.logs.trim()).toBe(String(child.pid));
    await child.kill9();
    expect(child.exitCode).toBe(128 + 9);
    child.signal('SIGTERM');
  });

  it('should end a program when the process that started it is killed', async () => {
    const holder = own(
      await OwnedProcess.start(process.execPath, [
        '-e',
        `const { spawn } = require('node:child_process');
         const shell = spawn('/bin/sh', ['-c', ${JSON.stringify(GUARD)}, 'sh', 'sleep', '300'],
           { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
         shell.stdio[3].on('data', (pid) => console.log(String(pid).trim()));`,
      ]),
    );
    const pid = await eventually('the program runs', () => Number(holder.logs) || undefined);
    expect(alive(pid)).toBe(true);
    await holder.kill9();
    await eventually('the program is gone', () => !alive(pid));
  });

  it('should keep what was acknowledged over a kill with an append-only file', async () => {
    const server = own(await RedisServer.start({ aof: true }));
    const redis = client(server.url);
    await redis.set('k', 'v');
    await server.kill9();
    await server.restart();
    expect(await redis.get('k')).toBe('v');
  });

  it('should lose everything over a restart without one', async () => {
    const server = own(await RedisServer.start());
    const redis = client(server.url);
    await redis.set('k', 'v');
    await server.restart();
    expect(await redis.get('k')).toBeNull();
  });

  it('should cut a connection after the command has run', async () => {
    const server = own(await RedisServer.start());
    const proxy = own(await TcpProxy.start(server.port));
    const redis = client(proxy.url);
    await redis.set('n', '0');
    let armed = true;
    proxy.judge = ([name]) => {
      if (name !== 'incr' || !armed) return 'forward';
      armed = false;
      return 'cut-after';
    };
    // ioredis sends it again: the reply says 2 because the first one ran.
    expect(await redis.incr('n')).toBe(2);
    expect(proxy.cuts).toBe(1);
  });

  it('should cut a connection before the command has run', async () => {
    const server = own(await RedisServer.start());
    const proxy = own(await TcpProxy.start(server.port));
    const redis = client(proxy.url);
    await redis.set('n', '0');
    let armed = true;
    proxy.judge = ([name]) => {
      if (name !== 'incr' || !armed) return 'forward';
      armed = false;
      return 'cut-before';
    };
    expect(await redis.incr('n')).toBe(1);
    expect(proxy.cuts).toBe(1);
  });

  it('should delay subscribers alone', async () => {
    const server = own(await RedisServer.start());
    const proxy = own(await TcpProxy.start(server.port));
    const subscriber = client(proxy.url);
    const redis = client(proxy.url);
    await redis.ping();
    proxy.delaySubscribers = { toClient: () => 600 };
    const start = performance.now();
    await subscriber.subscribe('c');
    const arrived: string[] = [];
    subscriber.on('message', (_channel, message: string) => arrived.push(message));
    expect(performance.now() - start).toBeGreaterThan(590);
    expect(proxy.connections.map(({ subscriber }) => subscriber).sort()).toEqual([false, true]);

    const fast = performance.now();
    for (let i = 0; i < 20; i += 1) await redis.publish('c', String(i));
    expect(performance.now() - fast).toBeLessThan(590);
    expect(arrived).toEqual([]);
    await eventually('all messages arrive', () => arrived.length === 20);
    expect(arrived).toEqual(Array.from({ length: 20 }, (_, i) => String(i)));
  });

  it('should refuse connections, then allow them again', async () => {
    const server = own(await RedisServer.start());
    const proxy = own(await TcpProxy.start(server.port));
    const redis = client(proxy.url);
    await redis.ping();
    proxy.refuse();
    const answer = redis.ping();
    await sleep(100);
    expect(proxy.connections).toEqual([]);
    proxy.allow();
    expect(await answer).toBe('PONG');
  });
});
