import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { serverFlags } from './certificates.js';
import { freePort } from './free-port.js';
import { OwnedProcess } from './owned-process.js';
import { clientOf, RedisServer, type RedisOptions } from './redis-server.js';
import { eventually } from './wait.js';

export interface SentinelOptions extends RedisOptions {
  readonly downAfterMs?: number;
  /** Further lines of the Sentinel's file. */
  readonly lines?: readonly string[];
}

/** A master, its replica, and a Sentinel that watches them as `mymaster`. */
export class RedisSentinels {
  private constructor(
    readonly servers: readonly [RedisServer, RedisServer],
    readonly port: number,
    private readonly dir: string,
    private readonly sentinel: OwnedProcess,
    readonly client: Redis,
  ) {}

  static async start(options: SentinelOptions = {}): Promise<RedisSentinels> {
    const flags = [...(options.flags ?? []), '--repl-diskless-sync-delay', '0'];
    const master = await RedisServer.start({ ...options, flags });
    const replica = await RedisServer.start({
      ...options,
      flags: [...flags, '--replicaof', `127.0.0.1 ${master.port}`],
    });
    const dir = await mkdtemp(join(tmpdir(), 'nightjar-sentinel-'));
    const port = await freePort();
    const file = join(dir, 'sentinel.conf');
    const lines = [
      ...(options.tls === undefined ? [`port ${port}`] : linesOf(serverFlags(options.tls, port))),
      'bind 127.0.0.1',
      `dir ${dir}`,
      `sentinel monitor mymaster 127.0.0.1 ${master.port} 1`,
      `sentinel down-after-milliseconds mymaster ${options.downAfterMs ?? 1000}`,
      'sentinel failover-timeout mymaster 3000',
      ...(options.lines ?? []),
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    const sentinel = await OwnedProcess.start('redis-sentinel', [file]);
    const client = await eventually('the Sentinel answers', async () => {
      const attempt = clientOf(port, options.tls);
      if ((await attempt.ping().catch(() => '')) === 'PONG') return attempt;
      attempt.disconnect();
      return undefined;
    });
    const set = new RedisSentinels([master, replica], port, dir, sentinel, client);
    await set.inSync();
    return set;
  }

  /** A replica that the Sentinel does not know yet, or that was never in sync, is not promoted. */
  async inSync(): Promise<void> {
    await eventually(
      'the Sentinel knows a replica that is in sync',
      async () => {
        const found = (await this.client.call('SENTINEL', 'REPLICAS', 'mymaster')) as string[][];
        return found.some(
          (fields) =>
            fields[fields.indexOf('master-link-status') + 1] === 'ok' &&
            fields[fields.indexOf('flags') + 1] === 'slave',
        );
      },
      40_000,
      100,
    );
  }

  get url(): string {
    const scheme = this.servers[0].url.split(':')[0] ?? 'redis';
    return `${scheme}+sentinel://127.0.0.1:${this.port}/mymaster`;
  }

  /** Who is the master now, by the Sentinel. */
  async master(): Promise<RedisServer> {
    const [, port] = (await this.client.call(
      'SENTINEL',
      'GET-MASTER-ADDR-BY-NAME',
      'mymaster',
    )) as string[];
    return this.servers.find((server) => server.port === Number(port))!;
  }

  /** Resolves when another server than `old` is the master. */
  async failedOver(old: RedisServer): Promise<RedisServer> {
    return eventually(
      'the replica is promoted',
      async () => {
        const now = await this.master();
        return now !== old ? now : undefined;
      },
      30_000,
    );
  }

  async stop(): Promise<void> {
    this.client.disconnect();
    await this.sentinel.kill9();
    await Promise.all(this.servers.map((server) => server.stop()));
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** `--name value` pairs as lines of a file. */
function linesOf(flags: readonly string[]): string[] {
  return flags.flatMap((flag, i) =>
    i % 2 === 0 ? [`${flag.replace(/^--/, '')} ${flags[i + 1] ?? ''}`] : [],
  );
}
