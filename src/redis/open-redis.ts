import { Cluster, Redis, type ClusterOptions, type RedisOptions } from 'ioredis';
import type { RedisLogin, RedisSettings } from '../config/config.types.js';
import { parseRedisUrl, type RedisAddress, type RedisNode } from '../config/redis-url.js';
import { limitWaiting } from './limit-waiting.js';

export type RedisClient = Redis | Cluster;

export type LinkOptions = Omit<RedisOptions, 'replyMapping'>;

/** How a connection behaves, whatever the topology. */
export interface LinkBehaviour {
  /** CLIENT LIST shows it. */
  readonly name: string;
  /** Absent: a command waits for as long as Redis is away. */
  readonly commandTimeoutMs?: number;
  /** Whether a command waits for a reconnect, or fails with the connection that it was sent on. */
  readonly waits: boolean;
  /** False: one attempt to connect, for a command at a terminal. */
  readonly reconnects: boolean;
}

/**
 * A connection on which nothing has come for so long, although something was asked, is dead: a
 * network that swallows packets closes nothing, and the kernel would go on for a quarter of an hour.
 */
const SILENCE_MS = 8000;
const CONNECT_MS = 5000;

/**
 * A client for the settings' topology: one server (TCP or unix socket), the master that Sentinels
 * name, or a Cluster. Errors are not thrown but emitted, and heard here: readiness reports them.
 */
export function openRedis(settings: RedisSettings, behaviour: LinkBehaviour): RedisClient {
  const address = addressOf(settings);
  if (address.kind === 'cluster') return openCluster(settings, address.nodes, behaviour);
  const redis = new Redis({
    ...linkOptions(settings, behaviour),
    ...targetOf(settings, address, behaviour),
    // Only with one server or master: a Cluster's client goes on to another node instead.
    ...(behaviour.reconnects ? { retryStrategy } : { retryStrategy: null }),
  });
  return made(redis, behaviour);
}

/**
 * A plain connection to one node of a Cluster, for a subscription of our own (docs/adr/0003). It
 * ends with the node: going on to another one is the owner's affair.
 */
export function openNode(
  settings: RedisSettings,
  node: RedisNode,
  behaviour: LinkBehaviour,
): Redis {
  const redis = new Redis({ ...linkOptions(settings, behaviour), ...node, retryStrategy: null });
  return made(redis, behaviour);
}

/** A connection to one Sentinel itself, to ask what it knows. */
export function openSentinel(
  settings: RedisSettings,
  node: RedisNode,
  behaviour: LinkBehaviour,
): Redis {
  const { username, password }: RedisLogin = settings.sentinel ?? {};
  const options = { ...linkOptions(settings, behaviour) };
  delete options.username;
  delete options.password;
  const redis = new Redis({
    ...options,
    ...node,
    retryStrategy: null,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  });
  return made(redis, behaviour);
}

/** A connection to each server that holds data of its own. */
export function mastersOf(client: RedisClient): readonly Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}

/** The nodes that the address names; empty when it names no Cluster. */
export function clusterNodes(settings: RedisSettings): readonly RedisNode[] {
  const address = addressOf(settings);
  return address.kind === 'cluster' ? address.nodes : [];
}

/** @throws Error for settings that `loadConfig` would have refused. */
function addressOf({ url }: RedisSettings): RedisAddress {
  const address = parseRedisUrl(url);
  if (address === undefined) throw new Error('bug: the Redis address was not checked');
  return address;
}

function openCluster(
  settings: RedisSettings,
  nodes: readonly RedisNode[],
  behaviour: LinkBehaviour,
): Cluster {
  const options: ClusterOptions & { redisOptions: { replyMapping?: 'legacy' } } = {
    redisOptions: linkOptions(settings, behaviour),
    // A lagging replica would look like a log that went back.
    scaleReads: 'master',
    slotsRefreshInterval: 2000,
    retryDelayOnMoved: 50,
    // Names stay names: a certificate holds them, and a pod that comes back has another address.
    dnsLookup: (host, callback) => {
      callback(null, host);
    },
    clusterRetryStrategy: behaviour.reconnects ? retryStrategy : () => null,
    lazyConnect: !behaviour.reconnects,
  };
  return made(new Cluster([...nodes], options), behaviour);
}

function linkOptions(settings: RedisSettings, behaviour: LinkBehaviour): LinkOptions {
  const address = addressOf(settings);
  const login = 'nodes' in address || address.kind === 'single' ? address : undefined;
  const username = login?.username ?? settings.username;
  const password = login?.password ?? settings.password;
  const { name, reconnects, waits } = behaviour;
  return {
    connectionName: name,
    connectTimeout: CONNECT_MS,
    // Measured in docs/adr/0003: auto-pipelining halves the throughput of small scripts.
    enableAutoPipelining: false,
    maxRetriesPerRequest: waits ? null : 1,
    // One right less that a Redis user needs.
    disableClientInfo: true,
    autoResubscribe: false,
    lazyConnect: !reconnects,
    ...(reconnects ? { socketTimeout: SILENCE_MS } : {}),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...('tls' in address && address.tls ? { tls: tlsOf(settings) } : {}),
    // A master that has become a replica: behind one name there is a new one now.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  };
}

function targetOf(
  settings: RedisSettings,
  address: Exclude<RedisAddress, { kind: 'cluster' }>,
  { reconnects }: LinkBehaviour,
): LinkOptions {
  switch (address.kind) {
    case 'socket':
      return { path: address.path };
    case 'single':
      return { host: address.host, port: address.port, db: address.db };
    case 'sentinel': {
      const { username, password }: RedisLogin = settings.sentinel ?? {};
      return {
        sentinels: [...address.nodes],
        name: address.master,
        role: 'master',
        // A frozen master closes nothing: the Sentinels' own word is what moves us.
        failoverDetector: reconnects,
        sentinelRetryStrategy: reconnects ? retryStrategy : () => null,
        sentinelReconnectStrategy: retryStrategy,
        sentinelCommandTimeout: 2000,
        ...(username === undefined ? {} : { sentinelUsername: username }),
        ...(password === undefined ? {} : { sentinelPassword: password }),
        ...(address.tls ? { enableTLSForSentinelMode: true, sentinelTLS: tlsOf(settings) } : {}),
      };
    }
  }
}

function tlsOf({ tls = {} }: RedisSettings): NonNullable<LinkOptions['tls']> {
  const { ca, cert, key, serverName } = tls;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  };
}

function retryStrategy(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 5), 1000);
}

function made<T extends RedisClient>(client: T, { commandTimeoutMs }: LinkBehaviour): T {
  // Without a listener ioredis prints to the console.
  client.on('error', () => undefined);
  if (commandTimeoutMs !== undefined) limitWaiting(client, commandTimeoutMs);
  return client;
}
