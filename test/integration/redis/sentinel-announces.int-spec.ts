import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisConnections } from '../../../src/redis/redis.connections.js';
import { coreConfig } from '../../support/core.js';
import { RedisSentinels } from '../../support/redis-sentinels.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { eventually } from '../../support/wait.js';

describe('A failover that is announced while the connections ask who is the master', () => {
  let set: RedisSentinels;
  let sentinel: TcpProxy;
  let redis: RedisConnections;

  beforeAll(async () => {
    set = await RedisSentinels.start();
    sentinel = await TcpProxy.start(set.port);
    redis = new RedisConnections(
      coreConfig(`redis+sentinel://127.0.0.1:${sentinel.port}/mymaster`),
    );
  });
  afterAll(async () => {
    redis.onApplicationShutdown();
    await sentinel.stop();
    await set.stop();
  });

  it('should leave none of them closed for good', async () => {
    const links = [redis.writes, redis.reads, redis.control];
    await eventually('each has a master, and hears its Sentinel', async () => {
      await Promise.all(links.map((link) => link.ping()));
      return sentinel.connections.filter(({ subscriber }) => subscriber).length > links.length;
    });
    // An answer is on its way nearly always, and what the Sentinel announces overtakes it.
    sentinel.delay = { toClient: () => 1500 };
    sentinel.delaySubscribers = { toClient: () => 0 };
    let ended = 0;
    links.forEach((link) => link.on('end', () => (ended += 1)));
    const old = await set.master();
    await old.kill9();
    await set.failedOver(old);
    await eventually('the announcement met a connection that was asking', () => ended > 0);
    sentinel.delay = {};
    await eventually('each is connected to the new master', async () => {
      const roles = await Promise.all(links.map((link) => link.call('ROLE').catch(() => [])));
      return roles.every((role) => (role as unknown[])[0] === 'master');
    });
    expect(links.map(({ status }) => status)).toEqual(['ready', 'ready', 'ready']);
  });
});
