import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

export interface CompiledCli {
  run(args: readonly string[], options?: RunOptions): CliRun;
  remove(): void;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
}

export interface CliRun {
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  stdout(): string;
  interrupt(): void;
}

/**
 * Compiles a2a-cli with the production settings to a folder of its own, below node_modules so that
 * packages are found, and runs it as real processes.
 */
export function compileA2aCli(): CompiledCli {
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'a2a-cli-'));
  // Its "type": "module" and version belong to the program.
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const project = join(folder, 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.build.json'),
      compilerOptions: { rootDir: join(ROOT, 'src'), outDir: join(folder, 'dist') },
      include: [],
      files: [join(ROOT, 'src/cli/a2a-cli.ts')],
    }),
  );
  execFileSync('npx', ['--no-install', 'tsc', '-p', project], { cwd: ROOT, stdio: 'inherit' });
  const script = join(folder, 'dist/cli/a2a-cli.js');
  return {
    run: (args, options = {}) => runCli(script, args, options),
    remove: () => {
      rmSync(folder, { recursive: true });
    },
  };
}

function runCli(script: string, args: readonly string[], { env = {} }: RunOptions): CliRun {
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // A hanging program must fail the test, not outlive it.
  const watchdog = setTimeout(() => child.kill('SIGKILL'), 50_000);
  const ended = once(child, 'close').then(([code]) => {
    clearTimeout(watchdog);
    return { code: code as number | null, stdout, stderr };
  });
  return {
    ended,
    stdout: () => stdout,
    interrupt: () => {
      child.kill('SIGINT');
    },
  };
}

/** A load balancer as dumb as they come: every new connection goes to the current target. */
export class Balancer {
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => {
    const upstream = connect(Number(new URL(this.target).port), '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  });

  constructor(public target: string) {}

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.sockets.forEach((socket) => {
      socket.destroy();
    });
    await once(this.server, 'close');
  }
}
