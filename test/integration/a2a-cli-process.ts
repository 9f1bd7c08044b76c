import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { join, resolve } from 'node:path';

const SCRIPT = join(resolve(import.meta.dirname, '../..'), 'dist/cli/a2a-cli.js');

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
}

export interface CliRun {
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  stdout(): string;
  interrupt(): void;
}

/** Runs a2a-cli, as `make build` left it, in a process of its own. */
export function runA2aCli(args: readonly string[], { env = {} }: RunOptions = {}): CliRun {
  if (!existsSync(SCRIPT)) throw new Error('dist/cli/a2a-cli.js is missing: run make build first');
  const child = spawn(process.execPath, [SCRIPT, ...args], {
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
