import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

describe('docs/cli.md', () => {
  it('should be what the commands say of themselves', async () => {
    await run(process.execPath, [join(ROOT, 'scripts/cli-docs.mjs'), '--check']);
    // The walk is over the programs themselves: this is what the process says.
    for (const [program, command] of [
      ['nightjar', 'token'],
      ['a2a-cli', 'send'],
    ] as const) {
      const file = join(ROOT, `dist/cli/${program}.js`);
      const { stdout } = await run(process.execPath, [file, command, '--help']);
      expect(readFileSync(join(ROOT, 'docs/cli.md'), 'utf8')).toContain(stdout.trimEnd());
    }
  });

  it('should show every command of both programs', () => {
    const page = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8');
    const titles = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    for (const title of ['nightjar serve', 'nightjar token create', 'nightjar version']) {
      expect(titles).toContain(title);
    }
    expect(titles).toContain('a2a-cli cancel');
    // Far more than the ones named here: the walk has gone down.
    expect(titles.length).toBeGreaterThan(12);
  });
});

describe('nightjar version --json', () => {
  it('should say which build this is, with null for what is unknown', async () => {
    const cli = join(ROOT, 'dist/cli/nightjar.js');
    const { stdout } = await run(process.execPath, [cli, 'version', '--json']);
    const identity = JSON.parse(stdout) as Record<string, unknown>;
    const keys = 'buildId dirty entrySha256 gitCommit name node platform protocols uid version';
    expect(Object.keys(identity).sort()).toEqual(keys.split(' '));
    expect(identity['entrySha256']).toMatch(/^[0-9a-f]{64}$/);
    expect(identity['protocols']).toMatchObject({ a2a: ['1.0', '0.3'] });
    for (const key of ['gitCommit', 'dirty', 'buildId']) expect(identity[key]).not.toBe('');
  });
});
