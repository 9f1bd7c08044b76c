import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../../src/assistant/assistant-backend.js';
import type { RedisSettings } from '../../../src/config/config.types.js';
import { examineRedis } from '../../../src/redis/doctor/examine-redis.js';
import { Keys } from '../../../src/redis/keys.js';
import { openRedis } from '../../../src/redis/open-redis.js';
import { RedisStartCheck } from '../../../src/store/redis-start.check.js';
import { RedisTokenStore } from '../../../src/store/redis-token.store.js';
import { RedisReadinessProbe } from '../../../src/streams/redis-readiness.probe.js';
import { type Certificates, clientTls, makeCertificates } from '../../support/certificates.js';
import { backendOf, callerOf, Core, coreConfig, say, tenant } from '../../support/core.js';
import { documentedAcl } from '../../support/redis-acl.js';
import { RedisSentinels } from '../../support/redis-sentinels.js';
import { answerOf } from '../../support/task-log.js';
import { eventually, sleep } from '../../support/wait.js';

const PASSWORD = 'a-pass:word/with@signs';
const never = (): AbortSignal => new AbortController().signal;
const ann = callerOf('acme', 'ann');

async function* talk(turn: Turn): AsyncIterable<Frame> {
  if (turn.text === 'ask') {
    yield { kind: 'input_required', question: 'Which?', expects: 'text' };
    return;
  }
  if (turn.text === 'big') {
    for (let i = 0; i < 10; i += 1) yield { kind: 'content', text: 'x'.repeat(30_000) };
    return;
  }
  const [, count = '3', pause = '1'] = turn.text.split(' ');
  for (let i = 0; i < Number(count); i += 1) {
    yield { kind: 'content', text: `<${i}>` };
    await sleep(Number(pause));
  }
}

const counted = (n: number): string => Array.from({ length: n }, (_, i) => `<${i}>`).join('');

describe('Sentinel, over TLS with client certificates, as users with the documented rights only', () => {
  let certificates: Certificates;
  let set: RedisSentinels;
  let settings: RedisSettings;
  let a: Core;
  let b: Core;

  beforeAll(async () => {
    // Heartbeats fail while nobody is the master.
    Logger.overrideLogger(false);
    certificates = await makeCertificates();
    set = await RedisSentinels.start({ tls: certificates, aof: true });
    for (const server of set.servers) {
      const admin = server.client();
      await admin.call('ACL', 'SETUSER', 'nightjar', ...documentedAcl('gateway', PASSWORD));
      admin.disconnect();
    }
    await set.client.call('ACL', 'SETUSER', 'nightjar', ...documentedAcl('sentinel', PASSWORD));
    settings = {
      url: set.url,
      username: 'nightjar',
      password: PASSWORD,
      sentinel: { username: 'nightjar', password: PASSWORD },
      tls: await clientTls(certificates),
      prefix: 'nj:',
      allowEviction: false,
    };
    const queued = { ...tenant('queued'), contextConcurrency: 'queue' as const };
    const config = coreConfig(set.url, { redis: settings, tenants: [tenant('acme'), queued] });
    a = await new Core(config, backendOf(talk)).start();
    b = await new Core(config, backendOf(talk)).start();
  });
  afterAll(async () => {
    await Promise.all([a.stop(), b.stop()]);
    await set.stop();
    await certificates.remove();
  });

  const ended = (core: Core, taskId: string, who = ann) =>
    core.tasks.waitSettled(who, taskId, { timeoutMs: 30_000, signal: never() });

  it('should do all that a gateway does, without one refusal', async () => {
    const keys = new Keys();
    await new RedisStartCheck(
      coreConfig(set.url, { redis: settings }),
      a.redis,
      keys,
    ).onModuleInit();
    await new RedisReadinessProbe(a.redis, keys).probe();
    const sent = await a.tasks.submit(ann, say('count 5'));
    expect(answerOf(await ended(b, sent.taskId))).toBe(counted(5));
    const asked = await a.tasks.submit(ann, say('ask'));
    await ended(b, asked.taskId);
    await b.tasks.submit(ann, say('count 2', { contextId: asked.contextId }));
    await ended(a, asked.taskId);
    const hung = await a.tasks.submit(ann, say('count 1000 50'));
    await b.tasks.cancel(ann, hung.taskId);
    const big = await a.tasks.submit(ann, say('big'));
    await ended(b, big.taskId);
    const bob = callerOf('queued', 'bob');
    const first = await a.tasks.submit(bob, say('count 20 10'));
    const second = await a.tasks.submit(bob, say('count 2', { contextId: first.contextId }));
    await ended(b, second.taskId, bob);
    await a.tasks.list(ann, { pageSize: 10 });
    await a.records.removeTask(ann, sent.taskId);
    await a.records.closeContext(ann, sent.contextId);
    const tokens = new RedisTokenStore(a.redis.reads, keys);
    const sha256 = 'ab'.repeat(32);
    await tokens.create({
      ...{ sha256, tenant: 'acme', user: 'ann', label: '', scopes: ['a2a'] },
      ...{ created: 1, expires: Date.now() + 60_000 },
    });
    expect(await tokens.list()).toHaveLength(1);
    await tokens.touch(sha256, Date.now());
    await tokens.end(sha256, 'revoked', Date.now());
    const master = (await set.master()).client();
    const refused = (await master.call('ACL', 'LOG')) as string[][];
    master.disconnect();
    expect(refused.map((entry) => entry[entry.indexOf('object') + 1])).toEqual([]);
  });

  it('should be examined with these rights: what they do not show is said, not guessed', async () => {
    const client = openRedis(settings, {
      ...{ name: 'test', commandTimeoutMs: 5000, waits: false, reconnects: false },
    });
    await client.connect();
    const findings = await examineRedis(client, settings, 8000);
    client.disconnect();
    const said = new Set(findings.map(({ check, level }) => `${check} ${level}`));
    for (const line of ['connection ok', 'replicas ok', 'persistence ok', 'channels ok']) {
      expect(said).toContain(line);
    }
    expect(said).toContain('min-replicas unknown');
    expect(said).toContain('failover time unknown');
    // With the rights that docs/security.md adds for it, it sees one Sentinel that waits 1 s.
    await set.client.call('ACL', 'SETUSER', 'nightjar', '+sentinel|master');
    const again = openRedis(settings, {
      ...{ name: 'test', commandTimeoutMs: 5000, waits: false, reconnects: false },
    });
    await again.connect();
    const more = await examineRedis(again, settings, 8000);
    again.disconnect();
    expect(more).toContainEqual(expect.objectContaining({ check: 'failover time', level: 'ok' }));
    expect(more).toContainEqual(expect.objectContaining({ check: 'sentinel', level: 'warning' }));
  });

  it('should not reach what has another prefix', async () => {
    const { reads } = a.redis;
    await expect(reads.get('other')).rejects.toThrow('NOPERM');
    await expect(reads.publish('other', 'x')).rejects.toThrow('NOPERM');
    await expect(reads.call('FLUSHALL')).rejects.toThrow('NOPERM');
  });

  it('should carry a run and its readers over a failover', async () => {
    const old = await set.master();
    const sent = await a.tasks.submit(ann, say('count 300 20'));
    const stream = await b.tasks.subscribe(ann, sent.taskId, { from: 'start' }, never());
    const reading = (async () => {
      let last = 0;
      for await (const event of stream) {
        if (event.id === undefined) continue;
        // A snapshot in place of what a failover lost is allowed; going back is not.
        expect(event.id.seq).toBeGreaterThan(last);
        last = event.id.seq;
      }
    })();
    await sleep(500);
    await old.kill9();
    await set.failedOver(old);
    // A caller asks again after a 503, which is right as long as the connections are being made.
    const done = await eventually('b answers', () => ended(b, sent.taskId), 30_000, 200);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answerOf(done)).toBe(counted(300));
    await reading;
  });
});
