import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { EXIT_UNAVAILABLE } from '../../config/exit-code.js';
import { CliFailure } from '../cli-failure.js';

/** What a launcher with an embedded Redis tells the other commands of the same user. */
export interface RunFile {
  /** The launcher's; a file whose launcher is gone counts as absent. */
  readonly pid: number;
  /** The first gateway's, by which a launcher is told from another. */
  readonly port: number;
  readonly redisUrl: string;
  readonly prefix: string;
  readonly tenants: readonly string[];
}

/** Where the file of the launcher on `port` stands. */
export function runFilePath(port: number, env: NodeJS.ProcessEnv): string {
  return join(runFolder(env), `nightjar-${port}.json`);
}

/** Written at once and readable for this user alone (0600). */
export function writeRunFile(path: string, content: RunFile): void {
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
}

/** The files of all launchers that run now; those of dead ones are removed. */
export function readRunFiles(env: NodeJS.ProcessEnv): RunFile[] {
  const folder = runFolder(env);
  return readdirSync(folder)
    .filter((name) => /^nightjar-\d+\.json$/.test(name))
    .flatMap((name) => {
      const path = join(folder, name);
      const content = parse(path);
      if (content !== undefined && isAlive(content.pid)) return [content];
      rmSync(path, { force: true });
      return [];
    });
}

/** The first place that this user can keep private: what others could write to proves nothing. */
function runFolder(env: NodeJS.ProcessEnv): string {
  const runtime = env['XDG_RUNTIME_DIR'] ?? '';
  const candidates = [
    ...(runtime === '' ? [] : [join(runtime, 'nightjar')]),
    join(homedir(), '.nightjar', 'run'),
    join(tmpdir(), `nightjar-run-${userInfo().uid}`),
  ];
  const found = candidates.find(isPrivateFolder);
  if (found !== undefined) return found;
  throw new CliFailure(
    EXIT_UNAVAILABLE,
    `none of ${candidates.join(', ')} can be made a folder of yours alone`,
  );
}

function isPrivateFolder(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const stat = lstatSync(path);
    return stat.isDirectory() && stat.uid === userInfo().uid && (stat.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

function parse(path: string): RunFile | undefined {
  try {
    const content = JSON.parse(readFileSync(path, 'utf8')) as Partial<RunFile>;
    const { pid, port, redisUrl, prefix, tenants } = content;
    const whole =
      typeof pid === 'number' &&
      typeof port === 'number' &&
      typeof redisUrl === 'string' &&
      typeof prefix === 'string' &&
      Array.isArray(tenants);
    return whole ? { pid, port, redisUrl, prefix, tenants } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
