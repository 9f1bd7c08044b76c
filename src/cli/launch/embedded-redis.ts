import { accessSync, constants, mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { EXIT_UNAVAILABLE } from '../../config/exit-code.js';
import { CliFailure } from '../cli-failure.js';
import { GuardedProcess } from './guarded-process.js';

const PROGRAMS = ['redis-server', 'valkey-server'];
const START_MS = 10_000;
const LOOK_MS = 10;
/** sun_path of unix(7) holds 108 bytes with the end mark. */
const MAX_SOCKET_PATH = 107;

/** A private Redis of this launcher: on a unix socket in a folder of its own, gone with it. */
export interface EmbeddedRedis {
  readonly url: string;
  readonly process: GuardedProcess;
}

/**
 * @param runFile removed together with the Redis, also when the launcher is killed.
 * @throws CliFailure when there is no redis-server, or it does not start within 10 s.
 */
export async function startEmbeddedRedis(
  env: NodeJS.ProcessEnv,
  runFile: string,
): Promise<EmbeddedRedis> {
  const program = findProgram(env['PATH']);
  if (program === undefined) {
    throw new CliFailure(
      EXIT_UNAVAILABLE,
      'redis-server is not installed: install it (apt-get install redis-server, brew install redis), or set REDIS_URL to a Redis of yours',
    );
  }
  const folder = privateFolder();
  const socket = join(folder, 'r.sock');
  const redis = GuardedProcess.start(program, flags(folder, socket), {
    env,
    output: 'keep',
    cleanUp: { folder, file: runFile },
  });
  try {
    await untilItAnswers(socket, redis);
  } catch (error) {
    redis.kill();
    await redis.ended;
    throw error;
  }
  return { url: `unix://${socket}`, process: redis };
}

function flags(folder: string, socket: string): string[] {
  return [
    ...['--port', '0', '--unixsocket', socket, '--unixsocketperm', '600', '--dir', folder],
    ...['--save', '', '--appendonly', 'no', '--daemonize', 'no', '--databases', '1'],
    ...['--maxmemory', '256mb', '--maxmemory-policy', 'noeviction'],
    ...['--loglevel', 'warning', '--logfile', ''],
  ];
}

/** mkdtemp makes it 0700. A long TMPDIR leaves no room for a socket's path: then /tmp. */
function privateFolder(): string {
  const long = Buffer.byteLength(join(tmpdir(), 'nightjar-XXXXXX', 'r.sock')) > MAX_SOCKET_PATH;
  return mkdtempSync(join(long ? '/tmp' : tmpdir(), 'nightjar-'));
}

function findProgram(path = ''): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function untilItAnswers(socket: string, redis: GuardedProcess): Promise<void> {
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    if (redis.exitCode !== undefined) break;
    if (await answersPing(socket)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  const said = redis.output === '' ? '' : `:\n${redis.output}`;
  throw new CliFailure(EXIT_UNAVAILABLE, `the embedded redis-server did not start${said}`);
}

function answersPing(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const done = (up: boolean): void => {
      connection.destroy();
      resolve(up);
    };
    connection.setTimeout(1000, () => {
      done(false);
    });
    connection.once('error', () => {
      done(false);
    });
    connection.once('data', (data) => {
      done(data.toString().startsWith('+PONG'));
    });
    connection.write('PING\r\n');
  });
}
