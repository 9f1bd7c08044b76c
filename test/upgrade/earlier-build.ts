import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A build of an earlier commit in a folder of its own. */
export interface EarlierBuild {
  /** As git shows it in one line. */
  readonly commit: string;
  /** Its dist/main.js. */
  readonly entry: string;
  remove(): void;
}

/**
 * Builds a commit: the one that UPGRADE_FROM names, else the last release (a tag v…), else the parent
 * of HEAD.
 * @throws Error with what to do on a machine without history, or when it does not build.
 */
export function buildEarlier(): EarlierBuild {
  const commit = git('rev-parse', '--verify', '--quiet', `${chosen()}^{commit}`);
  if (commit === undefined) {
    throw new Error(
      'THE UPGRADE IS NOT TESTED: this is no working copy with history (a shallow clone, an archive). ' +
        'Fetch at least two commits, or name one that is here: UPGRADE_FROM=… make upgrade-test',
    );
  }
  const dir = mkdtempSync(join(tmpdir(), 'nightjar-earlier-'));
  try {
    const tree = execFileSync('git', ['archive', '--format=tar', commit], {
      cwd: ROOT,
      maxBuffer: 512 * 1024 * 1024,
    });
    run('tar', ['-x', '-C', dir], dir, tree);
    shareOrInstall(dir);
    run(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build'], dir);
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
  return {
    commit: git('log', '-1', '--format=%h %s', commit) ?? commit,
    entry: join(dir, 'dist/main.js'),
    remove: () => {
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function chosen(): string {
  const named = process.env['UPGRADE_FROM'] ?? '';
  if (named !== '') return named;
  return git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^') ?? 'HEAD^';
}

/** The same packages when the lock file is the same, else its own. */
function shareOrInstall(dir: string): void {
  const lock = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (lock(dir) === lock(ROOT)) {
    symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
    return;
  }
  cpSync(join(ROOT, '.npmrc'), join(dir, '.npmrc'));
  run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], dir);
}

function run(program: string, args: readonly string[], cwd: string, input?: Buffer): void {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    ...(input === undefined ? {} : { input }),
  });
  if (status === 0) return;
  const said = error?.message ?? `${String(stdout)}${String(stderr)}`.slice(-2000);
  throw new Error(`the earlier commit: ${program} ${args.join(' ')} failed:\n${said}`);
}

/** Undefined when git says no. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
