// Writes docs/cli.md from what the commands say of themselves; with --check it only compares.
// usage: node scripts/cli-docs.mjs [--check]     (needs dist: make build)
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/cli.md');
const INTRO = `# Command line

Every command and flag, as \`--help\` shows it. Written by \`make cli-docs\`; a test compares.
In the image both programs are run by \`node dist/cli/nightjar.js\` and \`node dist/cli/a2a-cli.js\`.
`;

async function helpOf(program, path) {
  const { stdout } = await run(
    process.execPath,
    [join(ROOT, `dist/cli/${program}.js`), ...path, '--help'],
    { env: { PATH: process.env['PATH'] ?? '', COLUMNS: '100', NO_COLOR: '1' } },
  );
  return stdout.trimEnd();
}

/** The names under "Commands:", without commander's own. */
function commandsIn(help) {
  const list = /^Commands:\n((?: {2,}.*\n?)*)/m.exec(help)?.[1] ?? '';
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'help');
}

async function sections(program, path = []) {
  const help = await helpOf(program, path);
  const title = [program, ...path].join(' ');
  const own = `## ${title}\n\n\`\`\`text\n${help}\n\`\`\`\n`;
  const below = [];
  for (const name of commandsIn(help)) below.push(...(await sections(program, [...path, name])));
  return [own, ...below];
}

const page = [INTRO, ...(await sections('nightjar')), ...(await sections('a2a-cli'))].join('\n');
if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, page);
} else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error('docs/cli.md is not what the commands say: make cli-docs');
  process.exit(1);
}
