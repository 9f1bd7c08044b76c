import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const owned = new Set();

/** Ends everything that this run has started, by pid. */
export async function stopAll() {
  await Promise.all([...owned].map((child) => stop(child)));
}

export function stop(child) {
  return new Promise((resolve) => {
    owned.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', resolve);
    child.kill('SIGKILL');
  });
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a program and resolves once `ready` is found in what it prints, or `probe` answers. */
export async function start(command, args, { env = {}, ready, probe } = {}) {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  owned.add(child);
  let output = '';
  const collect = (chunk) => {
    if (output.length < 100_000) output += chunk;
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const until = Date.now() + 30_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${output}`);
    if (ready !== undefined ? output.includes(ready) : await probe()) return child;
    if (Date.now() > until) throw new Error(`${command} is not ready: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A private Redis without persistence on a random loopback port. */
export async function startRedis() {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'nightjar-bench-'));
  const child = await start(
    'redis-server',
    [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      dir,
      '--save',
      '',
      '--appendonly',
      'no',
    ],
    { ready: 'Ready to accept connections' },
  );
  child.once('exit', () => void rm(dir, { recursive: true, force: true }));
  return { child, url: `redis://127.0.0.1:${port}`, port };
}

/** CPU seconds (user + system) that a process has used. */
export async function cpuSeconds(pid) {
  const { readFile } = await import('node:fs/promises');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Resident memory of a process in bytes. */
async function rss(pid) {
  const { readFile } = await import('node:fs/promises');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) * 1024;
}

/** The least resident memory over 4 s: what the collector has not yet given back is not held. */
export async function heldRss(pid) {
  let least = Infinity;
  for (let i = 0; i < 16; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    least = Math.min(least, await rss(pid));
  }
  return least;
}
