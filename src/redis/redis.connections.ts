import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Cluster, Redis } from 'ioredis';
import { GATEWAY_CONFIG, type GatewayConfig, type RedisSettings } from '../config/config.types.js';
import type { RedisNode } from '../config/redis-url.js';
import { metrics } from '../metrics/metrics.js';
import {
  clusterNodes,
  type LinkBehaviour,
  mastersOf,
  openNode,
  openRedis,
  type RedisClient,
} from './open-redis.js';
import { RedisSubscriber } from './redis.subscriber.js';
import { defineScripts } from './scripts.js';

const WRITES = { commandTimeoutMs: 5000, waits: true, reconnects: true };
const READS = { commandTimeoutMs: 2000, waits: false, reconnects: true };
const REOPEN_MS = 100;
const SUBSCRIBER = { name: 'nightjar-subscriber', waits: false, reconnects: true };

/**
 * The constant connections of an instance (design invariant 8): however many runs and streams it
 * has, these four carry them; in a Cluster the first three are a connection a node each. Roles
 * differ in how long a command may wait.
 */
@Injectable()
export class RedisConnections implements OnApplicationShutdown {
  /** Writes of runs: waits through an outage, a command at most 5 s, then the caller resends. */
  readonly writes: RedisClient;
  /** What a caller waits for, creating a task included: fails within 2 s, and the answer is 503. */
  readonly reads: RedisClient;
  /** Lease, cancel, signals: never a large payload, so that a lease is never late behind one. */
  readonly control: RedisClient;
  readonly subscriber: RedisSubscriber;
  /** Commands of one connection run in the order in which they are sent; not so in a Cluster. */
  readonly ordered: boolean;
  private closed = false;

  constructor(@Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    const settings = config.redis;
    this.writes = this.connect(settings, 'writes', WRITES);
    this.reads = this.connect(settings, 'reads', READS);
    this.control = this.connect(settings, 'control', READS);
    this.ordered = this.reads instanceof Redis;
    this.subscriber = new RedisSubscriber(() => this.openSubscriber(settings));
    this.subscriber.onLost(() => {
      metrics.redisReconnects.inc({ connection: 'subscriber' });
    });
  }

  /** A connection to each server that holds data. */
  masters(): readonly Redis[] {
    return mastersOf(this.reads);
  }

  /** Called last: after runs, streams and servers are done. */
  onApplicationShutdown(): void {
    this.closed = true;
    this.subscriber.close();
    [this.writes, this.reads, this.control].forEach((connection) => {
      connection.disconnect();
    });
  }

  private connect(
    settings: RedisSettings,
    role: string,
    behaviour: Omit<LinkBehaviour, 'name'>,
  ): RedisClient {
    const client = openRedis(settings, { ...behaviour, name: `nightjar-${role}` });
    defineScripts(client);
    const count = (): void => {
      metrics.redisReconnects.inc({ connection: role });
    };
    if (client instanceof Redis) {
      writeOnceATurn(client);
      client.on('reconnecting', count);
      client.on('end', () => {
        this.reopen(client);
      });
    } else {
      client.on('+node', writeOnceATurn);
      client.nodes().forEach(writeOnceATurn);
      client.on('-node', count);
    }
    return client;
  }

  /**
   * ioredis goes on by itself after every loss but one: a Sentinel that announces a failover while
   * the connection is asking who is the master ends it for good.
   */
  private reopen(client: Redis): void {
    setTimeout(() => {
      if (!this.closed) client.connect().catch(() => undefined);
    }, REOPEN_MS).unref();
  }

  private openSubscriber(settings: RedisSettings): Redis {
    const named = clusterNodes(settings);
    const link =
      named.length === 0
        ? openRedis(settings, SUBSCRIBER)
        : openNode(settings, this.anyNode(named), SUBSCRIBER);
    if (link instanceof Cluster) throw new Error('bug: a Cluster has no subscriber of its own');
    return link;
  }

  /** A master that the Cluster has now; before the first answer, one that the address names. */
  private anyNode(named: readonly RedisNode[]): RedisNode {
    const known = this.masters().flatMap(({ status, options: { host, port } }) =>
      status === 'ready' && host !== undefined && port !== undefined ? [{ host, port }] : [],
    );
    const nodes = known.length === 0 ? named : known;
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    if (node === undefined) throw new Error('bug: a Cluster without a node');
    return node;
  }
}

/**
 * Commands of one turn of the event loop leave in one write: a system call for each was the largest
 * single cost of a busy gateway (bench P1), and ioredis' own auto-pipelining costs more than it saves.
 */
function writeOnceATurn(connection: Redis): void {
  const send = connection.sendCommand.bind(connection);
  let corked: Redis['stream'] | undefined;
  connection.sendCommand = (command, stream) => {
    if (corked === undefined && connection.status === 'ready') {
      corked = connection.stream;
      corked.cork();
      setImmediate(() => {
        corked?.uncork();
        corked = undefined;
      });
    }
    return send(command, stream);
  };
}
