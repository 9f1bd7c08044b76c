import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../../src/assistant/assistant-backend.js';
import type { RedisSettings } from '../../../src/config/config.types.js';
import type { StreamResponse } from '../../../src/domain/a2a.js';
import { foldEvents } from '../../../src/domain/fold.js';
import { examineRedis } from '../../../src/redis/doctor/examine-redis.js';
import { Keys } from '../../../src/redis/keys.js';
import { openRedis } from '../../../src/redis/open-redis.js';
import { RedisTokenStore } from '../../../src/store/redis-token.store.js';
import { type Certificates, clientTls, makeCertificates } from '../../support/certificates.js';
import { backendOf, callerOf, Core, coreConfig, say, tenant } from '../../support/core.js';
import { documentedAcl } from '../../support/redis-acl.js';
import { RedisCluster } from '../../support/redis-cluster.js';
import { answerOf } from '../../support/task-log.js';
import { eventually, sleep } from '../../support/wait.js';

const never = (): AbortSignal => new AbortController().signal;

async function* talk(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
  if (turn.text === 'hang') {
    yield { kind: 'step', text: 'hanging' };
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    return;
  }
  const [, count = '0', pause = '1'] = turn.text.split(' ');
  for (let i = 0; i < Number(count); i += 1) {
    yield { kind: 'content', text: `<${i}>` };
    await sleep(Number(pause));
  }
}

const counted = (n: number): string => Array.from({ length: n }, (_, i) => `<${i}>`).join('');

describe.each([
  { over: 'TCP', encrypted: false },
  { over: 'TLS with client certificates', encrypted: true },
])('a Redis Cluster with three masters over $over, with the documented rights only', (kind) => {
  let certificates: Certificates | undefined;
  let settings: RedisSettings;
  let cluster: RedisCluster;
  let tenants: string[];
  let a: Core;
  let b: Core;

  beforeAll(async () => {
    // Heartbeats fail while nobody is the master.
    Logger.overrideLogger(false);
    certificates = kind.encrypted ? await makeCertificates() : undefined;
    cluster = await RedisCluster.start(certificates === undefined ? {} : { tls: certificates });
    tenants = await Promise.all([0, 1, 2].map((n) => cluster.tagOf(n, 'tenant')));
    const rights = [...documentedAcl('gateway', 'secret'), ...documentedAcl('cluster', '')];
    for (const master of cluster.masters) {
      await cluster.ask(master, (redis) => redis.call('ACL', 'SETUSER', 'nightjar', ...rights));
    }
    settings = {
      url: cluster.url,
      prefix: 'nj:',
      allowEviction: false,
      ...(certificates === undefined ? {} : { tls: await clientTls(certificates) }),
    };
    const redis = { ...settings, username: 'nightjar', password: 'secret' };
    const config = coreConfig(cluster.url, { redis, tenants: tenants.map((id) => tenant(id)) });
    a = await new Core(config, backendOf(talk)).start();
    b = await new Core(config, backendOf(talk)).start();
  });
  afterAll(async () => {
    await Promise.all([a.stop(), b.stop()]);
    await cluster.stop();
    await certificates?.remove();
  });

  /** Reads a task to its end on an instance; fails on a gap or a repeated event. */
  async function follow(core: Core, user: ReturnType<typeof callerOf>, taskId: string) {
    const stream = await core.tasks.subscribe(user, taskId, { from: 'start' }, never());
    const events: StreamResponse[] = [];
    let last = 0;
    for await (const event of stream) {
      if (event.id === undefined) continue;
      expect(event.id.seq).toBe(last + 1);
      last = event.id.seq;
      events.push(JSON.parse(event.json) as StreamResponse);
    }
    return foldEvents(events);
  }

  it('should keep each tenant on its own master, and stream from the other instance', async () => {
    await Promise.all(
      tenants.map(async (id, n) => {
        const ann = callerOf(id, 'ann');
        const sent = await a.tasks.submit(ann, say('count 100'));
        const seen = await follow(b, ann, sent.taskId);
        expect(answerOf(seen)).toBe(counted(100));
        expect(seen).toEqual(await b.tasks.get(ann, sent.taskId));
        const { tasks } = await b.tasks.list(ann, { pageSize: 10 });
        expect(tasks.map((task) => task.id)).toEqual([sent.taskId]);
        const key = new Keys().task(id, sent.taskId);
        expect(await cluster.ask(cluster.masters[n]!, (redis) => redis.exists(key))).toBe(1);
      }),
    );
  });

  it('should watch and cancel runs of all masters at once', async () => {
    const people = tenants.map((id) => callerOf(id, 'bob'));
    const sent = await Promise.all(people.map((bob) => a.tasks.submit(bob, say('hang'))));
    await eventually('the runs stand', () => a.execution.runs().length === 3);
    await Promise.all(
      people.map(async (bob, i) => {
        const { task } = await b.tasks.cancel(bob, sent[i]!.taskId);
        expect(task.status.state).toBe('TASK_STATE_CANCELED');
      }),
    );
  });

  it('should leave its hint before it creates, although that is another server', async () => {
    const keys = new Keys();
    for (const id of tenants) {
      const sent = await a.tasks.submit(callerOf(id, 'eve'), say('hang'));
      const hints = await a.redis.reads.smembers(keys.runs(a.execution.instance));
      expect(hints).toContain(`${id}/${sent.taskId}`);
      await a.tasks.cancel(callerOf(id, 'eve'), sent.taskId);
    }
  });

  it('should list tokens of all masters', async () => {
    const store = new RedisTokenStore(a.redis.reads, new Keys());
    for (const [n, id] of tenants.entries()) {
      await store.create({
        ...{ sha256: String(n).repeat(64), tenant: id, user: 'ann', label: '' },
        ...{ scopes: ['a2a'], created: n },
      });
    }
    expect((await store.list()).map((record) => record.tenant)).toEqual([...tenants].reverse());
  });

  it('should be examined: every master, its clock, what cannot fail over', async () => {
    const client = openRedis(settings, {
      ...{ name: 'test', commandTimeoutMs: 5000, waits: false, reconnects: false },
    });
    await client.connect();
    const findings = await examineRedis(client, settings, 8000);
    client.disconnect();
    expect(findings.filter(({ check }) => check === 'version')).toHaveLength(3);
    const said = new Set(findings.map(({ check, level }) => `${check} ${level}`));
    for (const line of ['cluster ok', 'clocks ok', 'channels ok', 'failover time ok']) {
      expect(said).toContain(line);
    }
    expect(said).toContain('replicas warning');
    expect([...said].filter((line) => line.endsWith('error'))).toEqual([]);
  });

  it('should have Redis itself refuse a script whose keys are in two slots', async () => {
    const keys = new Keys();
    const [one = '', two = ''] = tenants;
    const script = '#!lua flags=no-writes\nreturn redis.call("GET", KEYS[1])';
    const call = cluster.ask(cluster.masters[0]!, (redis) =>
      redis.eval(script, 2, keys.meta(one), keys.meta(two)),
    );
    await expect(call).rejects.toThrow('CROSSSLOT');
    // A key that a script makes up itself is refused, too, also on the server that has its slot.
    const sneaky = `#!lua\nreturn redis.call("SET", "${keys.meta(`${one}x`)}", "1")`;
    const made = cluster.ask(cluster.masters[0]!, (redis) => redis.eval(sneaky, 1, keys.meta(one)));
    await expect(made).rejects.toThrow();
  });

  it('should go on through a slot that moves, and on another node for its subscription', async () => {
    const ann = callerOf(tenants[1]!, 'ann');
    const slot = await cluster.slotOf(tenants[1]!);
    const sent = await a.tasks.submit(ann, say('count 150 10'));
    const seen = follow(b, ann, sent.taskId);
    await sleep(200);
    // The subscription's node is lost to this client, without a word to anybody else.
    for (const master of cluster.masters) {
      await cluster.ask(master, (redis) => redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub'));
    }
    await cluster.moveSlot(slot, cluster.masters[1]!, cluster.masters[2]!);
    expect(answerOf(await seen)).toBe(counted(150));
    await cluster.moveSlot(slot, cluster.masters[2]!, cluster.masters[1]!);
    expect(answerOf(await b.tasks.get(ann, sent.taskId))).toBe(counted(150));
    for (const master of cluster.masters) {
      expect(await cluster.ask(master, (redis) => redis.call('ACL', 'LOG'))).toEqual([]);
    }
  });
});
