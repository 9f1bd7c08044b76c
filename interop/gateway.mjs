// A private Redis and one gateway, started by the production command, for the clients to talk to.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..');

async function freePort() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

function token() {
  return `nj_${randomBytes(32).toString('base64url')}`;
}

function sha256(secret) {
  return createHash('sha256').update(secret).digest('hex');
}

/** `demo` asks the built-in assistant about demo alerts, `scripted` a module that does as it is told. */
export async function startGateway() {
  const dir = mkdtempSync(join(tmpdir(), 'nightjar-interop-'));
  const tokens = { demo: token(), scripted: token() };
  const children = [];
  const start = (program, args, env) => {
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => (child.log += text));
    }
    children.push(child);
    return child;
  };
  const stop = () => {
    children.forEach((child) => child.kill('SIGKILL'));
    rmSync(dir, { recursive: true, force: true });
  };

  const [redisPort, port, managementPort] = [await freePort(), await freePort(), await freePort()];
  start('redis-server', [
    ...['--port', String(redisPort), '--bind', '127.0.0.1', '--dir', dir],
    ...['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'],
  ]);
  const config = join(dir, 'nightjar.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      tenants: [
        { id: 'ops', sources: [{ type: 'demo', name: 'demo' }] },
        {
          id: 'lab',
          assistant: {
            backend: 'module',
            module: join(ROOT, 'test/support/backends/scripted.mjs'),
            readOnly: true,
          },
        },
      ],
      tokens: [
        { tenant: 'ops', user: 'ann', sha256: sha256(tokens.demo) },
        { tenant: 'lab', user: 'ann', sha256: sha256(tokens.scripted) },
      ],
    }),
  );
  const gateway = start(process.execPath, ['dist/main.js'], {
    PATH: process.env.PATH,
    NIGHTJAR_CONFIG: config,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    PORT: String(port),
    MANAGEMENT_PORT: String(managementPort),
  });
  for (let tries = 0; ; tries += 1) {
    const ready = await fetch(`http://127.0.0.1:${managementPort}/readyz`).catch(() => undefined);
    if (ready?.ok) break;
    if (tries > 150 || gateway.exitCode !== null) {
      stop();
      throw new Error(`the gateway did not start:\n${gateway.log}`);
    }
    await sleep(200);
  }
  return { url: `http://127.0.0.1:${port}`, tokens, stop };
}
