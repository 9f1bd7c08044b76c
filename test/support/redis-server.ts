import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { OwnedProcess } from './owned-process.js';
import { eventually } from './wait.js';

export interface RedisOptions {
  /** Append-only file, fsync every second: what was acknowledged survives `kill9` and `restart`. */
  readonly aof?: boolean;
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
        await answers(port, server);
        return new RedisServer(port, dir, options, server);
      } catch (error) {
        await server.kill9();
        if (attempt === 5) throw error;
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
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
    await answers(this.port, this.server);
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
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', ''],
    ...['--daemonize', 'no', '--databases', '1', '--maxmemory-policy', 'noeviction'],
    ...persistence,
    ...(options.flags ?? []),
  ]);
}

/** Loading an append-only file answers -LOADING: that is not up yet. */
async function answers(port: number, server: OwnedProcess): Promise<void> {
  await eventually(
    'redis-server answers PING',
    async () => {
      if (server.exitCode !== undefined) return 'ended';
      return (await ping(port)) ? 'up' : undefined;
    },
    15_000,
  ).then((state) => {
    if (state === 'ended') throw new Error(`redis-server ended: ${server.logs}`);
  });
}

function ping(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
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
