import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const CLI = join(ROOT, 'dist/cli/nightjar.js');

export interface CliAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `nightjar …` as its operator does, with this environment and no other. */
export function nightjar(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CliAnswer> {
  return new Promise((done) => {
    const options = {
      cwd: ROOT,
      timeout: 60_000,
      env: { PATH: process.env['PATH'] ?? '', ...env },
    };
    execFile(process.execPath, [CLI, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      done({ code, stdout, stderr });
    });
  });
}

/** The same, for what must succeed. @returns standard output. */
export async function nightjarOk(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { code, stdout, stderr } = await nightjar(args, env);
  if (code !== 0) throw new Error(`nightjar ${args.join(' ')}: ${code}\n${stderr}`);
  return stdout;
}
