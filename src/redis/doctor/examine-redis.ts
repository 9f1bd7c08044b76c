import { randomUUID } from 'node:crypto';
import { Cluster, type Redis } from 'ioredis';
import type { RedisSettings } from '../../config/config.types.js';
import { parseRedisUrl } from '../../config/redis-url.js';
import { reasonOf } from '../../config/reason-of.js';
import { Keys } from '../keys.js';
import { mastersOf, openRedis, openNode, openSentinel, type RedisClient } from '../open-redis.js';
import { type Finding, parseInfo, parsePairs } from './finding.js';
import { serverFindings } from './server-findings.js';

const TRIPS = 25;
const HEARD_MS = 3000;
const BEHAVIOUR = {
  name: 'nightjar-doctor',
  commandTimeoutMs: 5000,
  waits: false,
  reconnects: false,
};
/** A failover must be over before an instance that waits for Redis gives its runs up. */
const LEASE_MARGIN_MS = 2000;

/** Looks at everything in a Redis on which the gateway's promises rest; changes nothing that stays. */
export async function examineRedis(
  client: RedisClient,
  settings: RedisSettings,
  leaseMs: number,
): Promise<Finding[]> {
  const topology = parseRedisUrl(settings.url)?.kind ?? 'single';
  const findings: Finding[] = [];
  await client.ping();
  for (const master of mastersOf(client)) {
    findings.push(...(await examineServer(master, settings, topology)));
  }
  if (client instanceof Cluster) findings.push(...(await examineCluster(client, leaseMs)));
  if (topology === 'sentinel') findings.push(...(await examineSentinels(settings, leaseMs)));
  findings.push(...(await examineRights(client, settings)), ...clocks(findings));
  return findings;
}

function nameOf({ options: { path, host, port } }: Redis, topology: string): string {
  return topology === 'socket' ? String(path) : `${String(host)}:${String(port)}`;
}

async function examineServer(
  master: Redis,
  settings: RedisSettings,
  topology: 'socket' | 'single' | 'sentinel' | 'cluster',
): Promise<Finding[]> {
  const where =
    topology === 'sentinel'
      ? `${master.stream.remoteAddress ?? '?'}:${master.stream.remotePort ?? '?'}`
      : nameOf(master, topology);
  const trips: number[] = [];
  for (let i = 0; i < TRIPS; i += 1) {
    const began = performance.now();
    await master.ping();
    trips.push(performance.now() - began);
  }
  const began = Date.now();
  const [seconds = 0, micros = 0] = (await master.time()).map(Number);
  const skewMs = seconds * 1000 + micros / 1000 - (began + Date.now()) / 2;
  const info = parseInfo(await master.info());
  const config = await permitted(() => master.config('GET', 'min-replicas-to-write'));
  return [
    { check: 'connection', where, level: 'ok', text: connectedAs(master, settings) },
    ...serverFindings({
      ...{ where, topology, info, trips, skewMs, allowEviction: settings.allowEviction },
      config: config === undefined ? undefined : parsePairs(config),
    }),
  ];
}

function connectedAs({ options: { tls, username } }: Redis, { url }: RedisSettings): string {
  const user = username ?? 'default';
  const how = tls === undefined ? (url.startsWith('unix') ? 'unix socket' : 'no TLS') : 'TLS';
  return `answers; ${how}, user ${user}`;
}

async function examineCluster(client: Cluster, leaseMs: number): Promise<Finding[]> {
  const info = parseInfo(await client.cluster('INFO'));
  const where = 'cluster';
  const state = info.get('cluster_state') ?? '?';
  const masters = Number(info.get('cluster_size') ?? 0);
  const findings: Finding[] = [
    state === 'ok'
      ? { check: 'cluster', where, level: 'ok', text: `${masters} masters have all slots` }
      : { check: 'cluster', where, level: 'error', text: `the Cluster's state is ${state}` },
  ];
  if (masters < 3) {
    const text = `${masters} masters cannot decide on a failover: it takes three`;
    findings.push({ check: 'cluster', where, level: 'warning', text });
  }
  const [first] = mastersOf(client);
  const config = first && (await permitted(() => first.config('GET', 'cluster-node-timeout')));
  const timeout = config === undefined ? undefined : parsePairs(config).get('cluster-node-timeout');
  findings.push(failoverTime('cluster-node-timeout', where, timeout, leaseMs, 'CONFIG GET'));
  return findings;
}

async function examineSentinels(settings: RedisSettings, leaseMs: number): Promise<Finding[]> {
  const address = parseRedisUrl(settings.url);
  if (address?.kind !== 'sentinel') return [];
  const findings: Finding[] = [];
  for (const node of address.nodes) {
    const where = `sentinel ${node.host}:${node.port}`;
    const sentinel = openSentinel(settings, node, BEHAVIOUR);
    try {
      await sentinel.connect();
      const reply = await permitted(() => sentinel.call('SENTINEL', 'MASTER', address.master));
      const master = reply === undefined ? undefined : parsePairs(reply);
      const others = Number(master?.get('num-other-sentinels') ?? 0);
      if (master !== undefined) {
        const count = `${others + 1} Sentinel(s), quorum ${master.get('quorum') ?? '?'}`;
        findings.push(
          others >= 2
            ? { check: 'sentinel', where, level: 'ok', text: count }
            : { check: 'sentinel', where, level: 'warning', text: `${count}: it takes three` },
        );
      }
      const downAfter = master?.get('down-after-milliseconds');
      const right = 'SENTINEL MASTER';
      findings.push(failoverTime('down-after-milliseconds', where, downAfter, leaseMs, right));
    } catch (error) {
      findings.push({ check: 'sentinel', where, level: 'error', text: reasonOf(error) });
    } finally {
      sentinel.disconnect();
    }
  }
  return findings;
}

function failoverTime(
  setting: string,
  where: string,
  value: string | undefined,
  leaseMs: number,
  right: string,
): Finding {
  const check = 'failover time';
  if (value === undefined) {
    return { check, where, level: 'unknown', text: `no right to ${right}` };
  }
  const most = leaseMs - LEASE_MARGIN_MS;
  return Number(value) < most
    ? { check, where, level: 'ok', text: `${setting} ${value} ms` }
    : {
        check,
        where,
        level: 'warning',
        text: `${setting} is ${value} ms: keep it below execution.leaseMs − 2 s (${most} ms), or raise the lease`,
      };
}

/** Stores, subscribes and announces for real: a user without channels stores and never announces. */
async function examineRights(client: RedisClient, settings: RedisSettings): Promise<Finding[]> {
  const where = 'rights';
  const key = new Keys(settings.prefix).probe(randomUUID());
  const [node] = mastersOf(client);
  const { host, port } = node?.options ?? {};
  const opened =
    client instanceof Cluster && host !== undefined && port !== undefined
      ? openNode(settings, { host, port }, BEHAVIOUR)
      : openRedis(settings, BEHAVIOUR);
  if (opened instanceof Cluster) throw new Error('bug: a Cluster has no subscriber of its own');
  try {
    await opened.connect();
    const heard = new Promise<boolean>((resolve) => {
      opened.on('message', () => {
        resolve(true);
      });
      setTimeout(() => {
        resolve(false);
      }, HEARD_MS).unref();
    });
    await client.xadd(key, 'MAXLEN', 1, '*', 'e', '1');
    await client.pexpire(key, 60_000);
    await opened.subscribe(key);
    await client.publish(key, '1');
    return (await heard)
      ? [{ check: 'channels', where, level: 'ok', text: 'what is published is delivered' }]
      : [
          {
            check: 'channels',
            where,
            level: 'error',
            text: `what is published is not delivered within ${HEARD_MS} ms`,
          },
        ];
  } catch (error) {
    const text = `${reasonOf(error)}; docs/security.md lists the rights that a gateway needs`;
    return [{ check: 'channels', where, level: 'error', text }];
  } finally {
    opened.disconnect();
  }
}

/** The servers among themselves: a lease is judged by the clock of one of them. */
function clocks(findings: readonly Finding[]): Finding[] {
  const skews = findings.flatMap(({ check, text }) => {
    const [, ms, side] = /is (\d+) ms (ahead|behind)/.exec(check === 'clock' ? text : '') ?? [];
    return ms === undefined ? [] : [side === 'ahead' ? -Number(ms) : Number(ms)];
  });
  if (skews.length < 2) return [];
  const apart = Math.max(...skews) - Math.min(...skews);
  return [
    {
      ...{ check: 'clocks', where: 'cluster', text: `the masters' clocks are ${apart} ms apart` },
      level: apart > 1000 ? 'warning' : 'ok',
    },
  ];
}

/** Undefined where the user may not ask. @throws any other error. */
async function permitted<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && /^(NOPERM|ERR unknown command)/.test(error.message)) {
      return undefined;
    }
    throw error;
  }
}
