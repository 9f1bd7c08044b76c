import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { OwnedProcess } from '../support/owned-process.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';

const ROOT = join(import.meta.dirname, '../..');
const DOCS = join(ROOT, 'docs');
const PAGES = readdirSync(DOCS).filter((name) => name.endsWith('.md'));

/** A gateway runs until it is asked to stop. */
const UNTIL_READY = `node dist/main.js & gateway=$!
until curl -sf "http://127.0.0.1:$MANAGEMENT_PORT/readyz"; do kill -0 $gateway; sleep 0.2; done
kill $gateway; wait $gateway`;

let dir: string;
let serve: OwnedProcess;
let redis: RedisServer;
let env: Record<string, string>;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nightjar-docs-'));
  redis = await RedisServer.start();
  const port = await freePort();
  const clean = { PATH: process.env['PATH'] ?? '', HOME: dir, TMPDIR: dir };
  serve = await OwnedProcess.start(process.execPath, ['dist/cli/nightjar.js', 'serve'], {
    cwd: ROOT,
    env: { ...clean, PORT: String(port) },
  });
  const token = await eventually(
    'nightjar serve prints the demo token',
    () => {
      if (serve.exitCode !== undefined) throw new Error(serve.logs);
      return /^demo token: (nj_\S+)$/m.exec(serve.logs)?.[1];
    },
    60_000,
  );
  env = {
    ...clean,
    SERVER: `http://127.0.0.1:${port}`,
    TOKEN: token,
    ADMIN: told(/^admin API: (http\S+)$/m),
    ADMIN_TOKEN: told(/^admin token: (nj_\S+)$/m),
    REDIS_URL: redis.url,
    PORT: String(await freePort()),
    MANAGEMENT_PORT: String(await freePort()),
  };
});
afterAll(async () => {
  await serve.stop(20_000);
  await redis.stop();
  await rm(dir, { recursive: true, force: true });
});

/** What `nightjar serve` has printed. */
function told(what: RegExp): string {
  const found = what.exec(serve.logs)?.[1];
  if (found === undefined) throw new Error(serve.logs);
  return found;
}

/** The blocks of a page that a reader can run as they are; blocks without `sh` need a cluster. */
function runnable(page: string): string {
  const text = readFileSync(join(DOCS, page), 'utf8');
  return [...text.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block]) => block).join('\n');
}

describe('docs', () => {
  it.each(PAGES.filter((page) => runnable(page) !== ''))(
    'should have commands that run: %s',
    async (page) => {
      // Make has built before these tests.
      const script = runnable(page)
        .replaceAll('make build', 'test -e dist/main.js')
        .replaceAll('curl -s', 'curl --fail-with-body -s')
        .replaceAll('node dist/main.js', UNTIL_READY);
      const child = await OwnedProcess.start('sh', ['-eu', '-c', script], { cwd: ROOT, env });
      expect(await child.exited(), child.logs).toBe(0);
      expect(child.logs).not.toContain('"error"');
      // Answers of the demo, wherever a page asks something.
      if (page === 'connect.md') {
        expect(child.logs).toContain('"n9e-assistant"');
        expect(child.logs.match(/Demo data|demo data/g)?.length).toBeGreaterThan(3);
      }
    },
  );

  it.each(PAGES)('should have links that lead somewhere: %s', (page) => {
    const text = readFileSync(join(DOCS, page), 'utf8').replace(/^```[^]*?^```/gm, '');
    const broken: string[] = [];
    for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(DOCS, page) : join(dirname(join(DOCS, page)), path);
      if (!existsSync(file)) broken.push(target);
      else if (anchor !== undefined) {
        const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
          title!
            .toLowerCase()
            .replace(/[^\w\s-]/g, '')
            .replace(/\s+/g, '-'),
        );
        if (!headings.includes(anchor)) broken.push(target);
      }
    }
    expect(broken).toEqual([]);
  });

  it('should name only paths of the repository that exist', () => {
    const missing = PAGES.flatMap((page) =>
      [
        ...readFileSync(join(DOCS, page), 'utf8').matchAll(
          /\b((?:helm\/nightjar|docker|docs|examples|test)\/[\w./-]*\w)/g,
        ),
      ]
        .map(([, path]) => path!)
        .filter((path) => !existsSync(join(ROOT, path)))
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});
