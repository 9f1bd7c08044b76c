import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real service that a test started; it ends by its pid, with the test process at the latest. */
export interface ServiceProcess {
  readonly pid: number;
  readonly port: number;
  /** http://127.0.0.1:<port> */
  readonly url: string;
  /** Private folder of this process; removed by `stop`. */
  readonly dir: string;
  /** What it has written to stdout and stderr so far. */
  output(): string;
  /** SIGTERM, after 3 s SIGKILL; resolves once it is gone and its folder is removed. */
  stop(): Promise<void>;
}

export interface ServiceSpec {
  readonly name: string;
  readonly command: string;
  /** Called with a fresh folder and a free port; may write files first. */
  readonly prepare: (dir: string, port: number) => Promise<readonly string[]>;
  /** GET on it answers 200 once the service works. */
  readonly readyPath: string;
  readonly readyWithinMs?: number;
}

const RUNNING = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of RUNNING) child.kill('SIGKILL');
});

/**
 * Starts a service on a random loopback port and waits until it is ready. A port that somebody else
 * took in between is tried again twice.
 * @throws Error with the service's output when it cannot start: a missing service is a failed test.
 */
export async function startService(spec: ServiceSpec): Promise<ServiceProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(spec);
    } catch (error) {
      const taken = error instanceof Error && error.message.includes('address already in use');
      if (!taken || attempt === 3) throw error;
    }
  }
}

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  server.close();
  await once(server, 'close');
  return address.port;
}

/** Polls until `probe` answers something other than undefined. @throws Error after `withinMs`. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined>,
  withinMs = 20_000,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`${what}: not within ${String(withinMs)} ms`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function startOnce(spec: ServiceSpec): Promise<ServiceProcess> {
  const dir = await mkdtemp(join(tmpdir(), `nightjar-${spec.name}-`));
  const port = await freePort();
  const args = await spec.prepare(dir, port);
  const child = spawn(spec.command, args, { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
  let written = '';
  const keep = (chunk: Buffer): void => {
    written = (written + chunk.toString()).slice(-20_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let dead: string | undefined;
  child.once('error', (error) => (dead = error.message));
  child.once('exit', (code, signal) => {
    dead = `exit ${String(code ?? signal)}`;
    RUNNING.delete(child);
  });
  RUNNING.add(child);
  const url = `http://127.0.0.1:${String(port)}`;
  const stop = async (): Promise<void> => {
    if (dead === undefined) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), 3000);
      await gone;
      clearTimeout(hard);
    }
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await eventually(
      `${spec.name} ready`,
      async () => {
        if (dead !== undefined) throw new Error(`${spec.name} died (${dead}):\n${written}`);
        const answer = await fetch(url + spec.readyPath).catch(() => undefined);
        await answer?.body?.cancel();
        return answer?.status === 200 ? true : undefined;
      },
      spec.readyWithinMs ?? 20_000,
    );
  } catch (error) {
    await stop();
    throw error instanceof Error ? new Error(`${error.message}\n${written}`) : error;
  }
  return { pid: child.pid ?? -1, port, url, dir, output: () => written, stop };
}
