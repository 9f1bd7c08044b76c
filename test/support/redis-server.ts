import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type Certificates, serverFlags } from './certificates.js';
import { freePort } from './free-port.js';
import { OwnedProcess } from './owned-process.js';
import { eventually } from './wait.js';

export interface RedisOptions {
  /** Append-only file, fsync every second: what was acknowledged survives `kill9` and `restart`. */
  readonly aof?: boolean;
  /** TLS only, also between servers; clients must show a certificate of the same authority. */
  readonly tls?: Certificates;
  /** Further flags, e.g. `['--maxmemory', '10mb']`. */
  readonly flags?: readonly string[];
}

/** A private redis-server on a random loopback port, in a folder of its own. */
export class RedisServer {
  private constructor(
    readonly port: number,
    readonly dir: string,
    private readonly options: RedisOptions,
    private server: OwnedProcess,
  ) {}

  static async start(options: RedisOptions = {}): Promise<RedisServer> {
    const dir = await mkdtemp(join(tmpdir(), 'nightjar-redis-'));
    for (let attempt = 1; ; attempt += 1) {
      const port = await freePort();
      const server = await launch(port, dir, options);
      try {
        await answers(port, server, options.tls);
        return new RedisServer(port, dir, options, server);
      } catch (error) {
        await server.kill9();
        if (attempt === 5) throw error;
      }
    }
  }

  get url(): string {
    return `${this.options.tls === undefined ? 'redis' : 'rediss'}://127.0.0.1:${this.port}`;
  }

  /** A client as the user `default`, which may do anything. */
  client(): Redis {
    return clientOf(this.port, this.options.tls);
  }

  get pid(): number {
    return this.server.pid;
  }

  get logs(): string {
    return this.server.logs;
  }

  async kill9(): Promise<void> {
    await this.server.kill9();
  }

  /** SIGTERM: a clean end that keeps the folder, for `restart`. */
  async down(): Promise<void> {
    await this.server.stop();
  }

  /** Again on the same port and folder; ends the running one first if need be. */
  async restart(): Promise<void> {
    if (this.server.exitCode === undefined) await this.server.stop();
    this.server = await launch(this.port, this.dir, this.options);
    await answers(this.port, this.server, this.options.tls);
  }

  /** Cuts the end off the append-only file of a server that is down: acknowledged writes are lost. */
  async forget(bytes: number): Promise<void> {
    await this.forgetAfter((await this.written()) - bytes);
  }

  /** The same, of all that was written since `written` gave this size. */
  async forgetAfter(size: number): Promise<void> {
    await truncate(await this.appendOnlyFile(), size);
  }

  /** Size of the append-only file: what was acknowledged is in it. */
  async written(): Promise<number> {
    return (await stat(await this.appendOnlyFile())).size;
  }

  private async appendOnlyFile(): Promise<string> {
    const folder = join(this.dir, 'appendonlydir');
    const name = (await readdir(folder)).find((file) => file.endsWith('.incr.aof'));
    if (name === undefined) throw new Error('there is no append-only file');
    return join(folder, name);
  }

  /** Frozen: connections stay, nothing is answered. */
  freeze(): void {
    this.server.signal('SIGSTOP');
  }

  thaw(): void {
    this.server.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.server.kill9();
    await rm(this.dir, { recursive: true, force: true });
  }
}

function launch(port: number, dir: string, options: RedisOptions): Promise<OwnedProcess> {
  const persistence = options.aof
    ? ['--appendonly', 'yes', '--appendfsync', 'everysec']
    : ['--appendonly', 'no'];
  return OwnedProcess.start('redis-server', [
    ...(options.tls === undefined ? ['--port', String(port)] : serverFlags(options.tls, port)),
    ...['--bind', '127.0.0.1', '--dir', dir, '--save', ''],
    ...['--daemonize', 'no', '--databases', '1', '--maxmemory-policy', 'noeviction'],
    ...persistence,
    ...(options.flags ?? []),
  ]);
}

/** Loading an append-only file answers -LOADING: that is not up yet. */
async function answers(
  port: number,
  server: OwnedProcess,
  tls: Certificates | undefined,
): Promise<void> {
  await eventually(
    'redis-server answers PING',
    async () => {
      if (server.exitCode !== undefined) return 'ended';
      return (await ping(port, tls)) ? 'up' : undefined;
    },
    15_000,
  ).then((state) => {
    if (state === 'ended') throw new Error(`redis-server ended: ${server.logs}`);
  });
}

/** A client of what listens there; it does not reconnect. */
export function clientOf(port: number, tls: Certificates | undefined): Redis {
  const redis = new Redis(port, '127.0.0.1', {
    retryStrategy: () => null,
    ...(tls === undefined ? {} : { tls: clientFiles(tls) }),
  });
  redis.on('error', () => undefined);
  return redis;
}

function clientFiles(tls: Certificates): { ca: Buffer; cert: Buffer; key: Buffer } {
  return {
    ca: readFileSync(tls.file('ca.crt')),
    cert: readFileSync(tls.file('client.crt')),
    key: readFileSync(tls.file('client.key')),
  };
}

function ping(port: number, tls: Certificates | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const socket: Socket =
      tls === undefined
        ? connectPlain(port, '127.0.0.1')
        : connectTls({ port, host: '127.0.0.1', ...clientFiles(tls) });
    const done = (up: boolean): void => {
      socket.destroy();
      resolve(up);
    };
    socket.setTimeout(1_000, () => {
      done(false);
    });
    socket.once('error', () => {
      done(false);
    });
    socket.once('data', (data) => {
      done(data.toString().startsWith('+PONG'));
    });
    socket.write('PING\r\n');
  });
}
