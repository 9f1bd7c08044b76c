import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildImage, type ImageConfig } from '../support/dockerfile.js';
import { freePort } from '../support/free-port.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';

const ROOT = join(import.meta.dirname, '../..');
const INSTALL_MS = 420_000;

let dir: string;
let image: ImageConfig;
let redis: RedisServer;
let env: Record<string, string>;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nightjar-image-'));
  await chmod(dir, 0o755);
  [image, redis] = await Promise.all([
    buildImage(ROOT, 'docker/Dockerfile', dir),
    RedisServer.start(),
  ]);
  // As the image has it: nobody but its owner, who is not the one that runs it, may write.
  execFileSync('chmod', ['-R', 'a-w,a+rX', image.root]);
  env = {
    ...image.env,
    PATH: process.env['PATH'] ?? '',
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    MANAGEMENT_PORT: String(await freePort()),
    REDIS_URL: redis.url,
  };
}, INSTALL_MS);
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await redis.stop();
  execFileSync('chmod', ['-R', 'u+w', dir]);
  await rm(dir, { recursive: true, force: true });
});

/** A command in the image as its own user, or, for a test that is not root, as the test's. */
function start(command: readonly string[]): { child: ChildProcess; logs: () => string } {
  const [uid, gid] = image.user.split(':').map(Number);
  const [program, ...args] = command;
  expect(program).toBe('node');
  const child = spawn(process.execPath, args, {
    cwd: image.workdir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(process.getuid?.() === 0 ? { uid: uid ?? NaN, gid: gid ?? NaN } : {}),
  });
  running.add(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  return { child, logs: () => text };
}

async function code(command: readonly string[]): Promise<{ code: number | null; text: string }> {
  const { child, logs } = start(command);
  const [exit] = (await once(child, 'close')) as [number | null];
  return { code: exit, text: logs() };
}

describe('docker/Dockerfile', () => {
  it('should hold what the gateway needs, and no more', async () => {
    expect((await readdir(image.workdir)).sort()).toEqual([
      'LICENSE',
      'dist',
      'docs',
      'healthcheck.mjs',
      'lua',
      'node_modules',
      'package.json',
    ]);
    // A gateway serves it.
    expect(await readdir(join(image.workdir, 'docs'))).toEqual(['openapi.yaml']);
    const packages = await readdir(join(image.workdir, 'node_modules'));
    for (const tool of ['typescript', 'vitest', 'eslint', 'prettier']) {
      expect(packages).not.toContain(tool);
    }
    expect(image.labels).toMatchObject({
      'org.opencontainers.image.title': 'nightjar',
      'org.opencontainers.image.version': (
        JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
      ).version,
    });
  });

  it('should run as a user without rights, whose number Kubernetes can check', () => {
    expect(image.user).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    const values = execFileSync('grep', ['runAsUser: 1', join(ROOT, 'helm/nightjar/values.yaml')]);
    expect(values.toString()).toContain(image.user.split(':')[0]);
  });

  it('should start on a read-only folder, be healthy, serve, and drain on SIGTERM', async () => {
    expect((await code(image.healthcheck)).code).toBe(1);
    const before = (await stat(image.workdir)).mtimeMs;
    const { child, logs } = start([...image.entrypoint, ...image.cmd]);
    await eventually(
      'the health check passes',
      async () => {
        if (child.exitCode !== null) throw new Error(`it ended: ${logs()}`);
        return (await code(image.healthcheck)).code === 0;
      },
      60_000,
      200,
    );
    expect((await code(['node', 'healthcheck.mjs', 'readyz'])).code).toBe(0);
    const card = await fetch(`http://127.0.0.1:${env['PORT']!}/.well-known/agent-card.json`);
    expect(card.status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect((await stat(image.workdir)).mtimeMs).toBe(before);
    if (process.getuid?.() === 0) {
      const write = ['node', '-e', 'require("fs").writeFileSync("x", "")'];
      expect((await code(write)).text).toContain('EACCES');
    }
  });

  it('should have the command line in it', async () => {
    const version = await code(['node', 'dist/cli/nightjar.js', 'version', '--json']);
    expect(JSON.parse(version.text)).toMatchObject({ name: 'nightjar', gitCommit: null });
    expect((await code(['node', 'dist/cli/a2a-cli.js', '--help'])).text).toContain('a2a-cli');
  });
});
