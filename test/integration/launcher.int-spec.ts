import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { OwnedProcess } from '../support/owned-process.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, within } from '../support/wait.js';

const ROOT = join(import.meta.dirname, '../..');
const CLI = join(ROOT, 'dist/cli/nightjar.js');
const PRESET = `nj_${'p'.repeat(43)}`;

interface Served {
  readonly launcher: OwnedProcess;
  readonly port: number;
  readonly url: string;
  readonly token: string;
}

interface RunFile {
  readonly redisUrl: string;
}

describe('nightjar serve', () => {
  let folder: string;
  const processes: OwnedProcess[] = [];
  const kept: OwnedProcess[] = [];

  beforeAll(async () => {
    if (!existsSync(CLI)) throw new Error('dist/cli/nightjar.js is missing: run make build first');
    folder = await mkdtemp(join(tmpdir(), 'nightjar-test-'));
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.kill9()));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function nightjar(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<OwnedProcess> {
    const process_ = await OwnedProcess.start(process.execPath, [CLI, ...args], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        XDG_RUNTIME_DIR: folder,
        TMPDIR: folder,
        ...env,
      },
    });
    processes.push(process_);
    return process_;
  }

  /** Room for two instances: two free ports in a row, twice. */
  async function ports(): Promise<{ port: number; env: Record<string, string> }> {
    const [port, management] = [await freePair(), await freePair()];
    return { port, env: { PORT: String(port), MANAGEMENT_PORT: String(management) } };
  }

  async function freePair(): Promise<number> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const port = await freePort();
      const next = createServer().listen(port + 1, '127.0.0.1');
      const isFree = await once(next, 'listening').then(
        () => true,
        () => false,
      );
      next.close();
      if (isFree) return port;
    }
    throw new Error('no two free ports in a row');
  }

  async function serve(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Served> {
    const chosen = await ports();
    const launcher = await nightjar(['serve', ...args], { ...chosen.env, ...env });
    const token = await eventually(
      'the launcher is ready',
      () => {
        if (launcher.exitCode !== undefined) throw new Error(launcher.logs);
        return /^demo token: (nj_\S+)$/m.exec(launcher.logs)?.[1];
      },
      40_000,
    );
    return { launcher, port: chosen.port, url: `http://127.0.0.1:${chosen.port}`, token };
  }

  /** A command that ends by itself. */
  async function run(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number; output: string }> {
    const command = await nightjar(args, env);
    const code = await within(args.join(' '), 30_000, command.exited());
    return { code, output: command.logs };
  }

  async function send(url: string, token: string): Promise<number> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'help' }] };
    const response = await fetch(`${url}/a2a/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user-token': token },
      body: JSON.stringify({ message }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  function runFile(port: number): string {
    return join(folder, 'nightjar', `nightjar-${port}.json`);
  }

  function redisFolder(port: number): string {
    const { redisUrl } = JSON.parse(readFileSync(runFile(port), 'utf8')) as RunFile;
    return dirname(redisUrl.replace('unix://', ''));
  }

  /** The command lines of the processes that have `text` there or in their environment. */
  function processesWith(text: string): string[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .flatMap((pid) => {
        try {
          const [command = '', environment] = ['cmdline', 'environ'].map((file) =>
            readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' '),
          );
          return `${command} ${environment ?? ''}`.includes(text) ? [command] : [];
        } catch {
          // It has ended meanwhile.
          return [];
        }
      });
  }

  async function isOpen(url: string): Promise<boolean> {
    return fetch(url).then(
      () => true,
      () => false,
    );
  }

  describe('with nothing but its own name', () => {
    let shared: Served;

    beforeAll(async () => {
      shared = await serve();
      // afterEach ends those of a test; this one serves two.
      kept.push(...processes.splice(0));
    });
    afterAll(async () => {
      await Promise.all(kept.splice(0).map((process) => process.kill9()));
    });

    it('should need nothing, say where it is, and give a token and a call that work', async () => {
      const { launcher, port, url, token } = shared;
      const lines = launcher.logs.split('\n');
      expect(lines).toContain(`nightjar listening on ${url}`);
      expect(launcher.logs).toContain('lost when this process ends');
      expect(await send(url, token)).toBe(200);
      expect(await send(url, PRESET)).toBe(401);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await fetch(`${url}/livez`)).status).toBe(200);
      // What it prints is a command for a shell, not an example of one.
      const curl = /curl [^]*?\}'$/m.exec(launcher.logs)?.[0] ?? '';
      const shell = await OwnedProcess.start('/bin/sh', ['-c', curl]);
      expect(await shell.exited()).toBe(0);
      expect(shell.logs).toContain('TASK_STATE_COMPLETED');

      expect(statSync(runFile(port)).mode & 0o777).toBe(0o600);
      expect(statSync(redisFolder(port)).mode & 0o777).toBe(0o700);
      expect(statSync(join(redisFolder(port), 'r.sock')).mode & 0o777).toBe(0o600);
    });

    it('should make, list and revoke tokens while it runs', async () => {
      const { url, port } = shared;
      const target = ['--port', String(port)];
      const made = await run(['token', 'create', '--tenant', 'demo', '--user', 'ann', ...target]);
      const token = /^nj_\S+$/m.exec(made.output)?.[0] ?? '';
      const id = /token ([0-9a-f]{16}), shown this once/.exec(made.output)?.[1] ?? '';
      expect(await send(url, token)).toBe(200);

      const listed = await run(['token', 'list', ...target]);
      expect(listed.output).toMatch(new RegExp(`^${id} {2}demo +ann +a2a,mcp .* valid`, 'm'));
      expect(listed.output).not.toContain(token);

      const revoked = performance.now();
      expect(await run(['token', 'revoke', id, ...target])).toEqual({
        code: 0,
        output: `revoked ${id} (demo/ann)\n`,
      });
      await eventually('it is refused', async () => (await send(url, token)) === 401, 1_500);
      expect(performance.now() - revoked).toBeLessThan(10_000);

      const unknown = await run([
        'token',
        'create',
        '--tenant',
        'nope',
        '--user',
        'ann',
        ...target,
      ]);
      expect(unknown.code).toBe(64);
      expect(unknown.output).toContain("'nope' is not configured; there are demo");
      const narrow = ['--tenant', 'demo', '--user', 'ann', '--scopes', 'mcp', '--expires', '1h'];
      const json = await run(['token', 'create', ...narrow, '--json', ...target]);
      const { token: mcpOnly } = JSON.parse(json.output) as { token: string };
      expect(await send(url, mcpOnly)).toBe(403);
    });
  });

  it('should start instances that share their tasks, and stop all of them on a signal', async () => {
    const { launcher, port, url, token } = await serve(['--instances', '2']);
    const other = `http://127.0.0.1:${port + 1}`;
    expect(launcher.logs).toContain(`nightjar listening on ${other}`);
    expect(await send(`http://127.0.0.1:${port}`, token)).toBe(200);
    const listed = await fetch(`${other}/a2a/tasks`, { headers: { 'x-user-token': token } });
    expect(await listed.json()).toMatchObject({ totalSize: 1 });

    const redis = redisFolder(port);
    launcher.signal('SIGINT');
    expect(await within('the exit', 20_000, launcher.exited())).toBe(0);
    expect(await isOpen(url)).toBe(false);
    expect(existsSync(redis)).toBe(false);
    expect(existsSync(runFile(port))).toBe(false);
    expect(processesWith(redis)).toEqual([]);
  });

  it('should keep a preset demo token to itself, and leave nothing behind when it is killed', async () => {
    const { launcher, port, url, token } = await serve(['--instances', '2'], {
      NIGHTJAR_DEMO_TOKEN: PRESET,
    });
    expect(token).toBe(PRESET);
    const knowing = processesWith(PRESET);
    expect(knowing.some((command) => command.includes('nightjar.js serve'))).toBe(true);
    expect(knowing.filter((command) => /main\.js|redis-server/.test(command))).toEqual([]);
    const redis = redisFolder(port);
    // redis-server, its guard, two gateways and their guards, each guard with its reader.
    expect(processesWith(redis).length).toBeGreaterThanOrEqual(5);
    launcher.signal('SIGKILL');
    await launcher.exited();
    await eventually('everything is gone', () => processesWith(redis).length === 0, 5_000);
    expect(await isOpen(url)).toBe(false);
    expect(existsSync(redis)).toBe(false);
    expect(existsSync(runFile(port))).toBe(false);
  });

  it('should take a preset demo token on loopback only', async () => {
    const open = await run(['serve'], { HOST: '0.0.0.0', NIGHTJAR_DEMO_TOKEN: PRESET });
    expect(open.code).toBe(78);
    expect(open.output).toMatch(/^nightjar: NIGHTJAR_DEMO_TOKEN is refused on 0\.0\.0\.0: .+\n$/);
  });

  it('should use a Redis that is named, without a demo unless asked', async () => {
    const redis = await RedisServer.start();
    try {
      const chosen = await ports();
      const plain = await nightjar(['serve'], { ...chosen.env, REDIS_URL: redis.url });
      const { launcher, token, url } = await serve(['--demo'], { REDIS_URL: redis.url });
      expect(await send(url, token)).toBe(200);
      expect(launcher.logs).not.toContain('Redis is embedded');
      await eventually('it is ready', () => plain.logs.includes('nightjar listening on'), 40_000);
      expect(plain.logs).not.toContain('demo token');
    } finally {
      await redis.stop();
    }
  });

  it('should say in a sentence why it cannot start', async () => {
    const { port, env } = await ports();
    const taken = createServer().listen(port, '127.0.0.1');
    try {
      expect(await run(['serve'], env)).toEqual({
        code: 69,
        output: `nightjar: port ${port} on 127.0.0.1 is taken: set PORT to another one\n`,
      });
    } finally {
      taken.close();
    }
    const missing = await OwnedProcess.start(
      '/usr/bin/env',
      [`PATH=${folder}`, process.execPath, CLI, 'serve'],
      { env: { HOME: folder, ...(await ports()).env } },
    );
    expect(await within('the exit', 20_000, missing.exited())).toBe(69);
    expect(missing.logs).toMatch(
      /^nightjar: starting a private Redis\nnightjar: redis-server is not installed: install it .+\n$/,
    );
    expect((await run(['serve'], { INSTANCES: '0' })).code).toBe(64);
  });

  it('should say where tokens cannot be kept', async () => {
    const nowhere = await run(['token', 'list'], { XDG_RUNTIME_DIR: join(folder, 'none') });
    expect(nowhere.code).toBe(69);
    expect(nowhere.output).toContain('set REDIS_URL');
    const port = await freePort();
    const dead = await run(['token', 'list'], { REDIS_URL: `redis://:pw@127.0.0.1:${port}` });
    expect(dead.code).toBe(69);
    expect(dead.output).toContain('ECONNREFUSED');
    expect(dead.output).not.toContain(':pw@');
  });

  it('should check and print a configuration', async () => {
    const file = join(folder, 'nightjar.yaml');
    await writeFile(
      file,
      'tenants:\n  - id: acme\ntokens:\n  - {tenant: acme, user: u, secret: {env: T}}\n',
    );
    const fine = await run(['config', 'check', '--config', file], { T: PRESET });
    expect(fine).toMatchObject({ code: 0 });
    expect(fine.output).toContain('1 tenant, 1 token');
    const faulty = await run(['config', 'check'], { NIGHTJAR_CONFIG: file, PORT: 'x' });
    expect(faulty.code).toBe(78);
    expect(faulty.output.split('\n')).toEqual([
      'The configuration has 2 faults:',
      '  PORT (listen.port): must be a whole number, 0 to 65535',
      '  tokens[0].secret.env: the environment variable T is not set',
      '',
    ]);
    const printed = await run(['config', 'print', '--config', file], {
      T: PRESET,
      REDIS_URL: 'redis://u:secret-password@r:1',
    });
    expect(printed.output).toContain('activePerUser: 64');
    expect(printed.output).not.toMatch(/secret-password|nj_p|[0-9a-f]{64}/);
  });

  it('should tell its version', async () => {
    const { output } = await run(['version', '--json']);
    expect(JSON.parse(output)).toMatchObject({
      name: 'nightjar',
      node: process.version,
      protocols: { a2a: ['1.0', '0.3'] },
      uid: process.getuid?.(),
    });
    expect((await run(['version'])).output).toMatch(/^nightjar \d+\.\d+\.\d+ \(/);
  });
});
