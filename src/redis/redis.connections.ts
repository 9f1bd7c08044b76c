import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { metrics } from '../metrics/metrics.js';
import { defineScripts } from './scripts.js';

type Options = Omit<RedisOptions, 'replyMapping'>;

/**
 * The constant connections of an instance (design invariant 8): however many runs and streams it
 * has, these four carry them. Roles differ in how long a command may wait.
 */
@Injectable()
export class RedisConnections implements OnApplicationShutdown {
  /** Writes of runs: waits through an outage, a command at most 5 s, then the caller resends. */
  readonly writes: Redis;
  /** What a caller waits for, creating a task included: fails within 2 s, and the answer is 503. */
  readonly reads: Redis;
  /** Lease, cancel, signals: never a large payload, so that a lease is never late behind one. */
  readonly control: Redis;
  /** Carries SUBSCRIBE and PING only. */
  readonly subscriber: Redis;

  constructor(@Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    this.writes = this.open(config, 'writes', { maxRetriesPerRequest: null, commandTimeout: 5000 });
    this.reads = this.open(config, 'reads', { maxRetriesPerRequest: 1, commandTimeout: 2000 });
    this.control = this.open(config, 'control', { maxRetriesPerRequest: 1, commandTimeout: 2000 });
    this.subscriber = this.open(config, 'subscriber', {
      maxRetriesPerRequest: null,
      autoResubscribe: true,
    });
    [this.writes, this.reads, this.control].forEach(defineScripts);
  }

  /** Called last: after runs, streams and servers are done. */
  onApplicationShutdown(): void {
    [this.writes, this.reads, this.control, this.subscriber].forEach((connection) => {
      connection.disconnect();
    });
  }

  private open(config: GatewayConfig, role: string, options: Options): Redis {
    const shared: Options = {
      connectionName: `nightjar-${role}`,
      // Measured in docs/adr/0003: auto-pipelining halves the throughput of small scripts.
      enableAutoPipelining: false,
      retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 5), 1000),
      ...options,
    };
    // ioredis takes a plain path for a unix socket.
    const connection = new Redis(config.redis.url.replace(/^unix:\/\//, ''), shared);
    // Without a listener ioredis prints to the console. Reconnects are counted, readyz reports.
    connection.on('error', () => undefined);
    writeOnceATurn(connection);
    connection.on('reconnecting', () => {
      metrics.redisReconnects.inc({ connection: role });
    });
    return connection;
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
