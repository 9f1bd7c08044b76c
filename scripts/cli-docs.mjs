// Writes docs/cli.md from what the commands say of themselves; with --check it only compares.
// usage: node scripts/cli-docs.mjs [--check]     (needs dist: make build)
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '../dist/cli/a2a/program.js';
import { nightjarProgram } from '../dist/cli/nightjar-program.js';

const PAGE = join(import.meta.dirname, '../docs/cli.md');
const INTRO = `# Command line

Every command and flag, as \`--help\` shows it. Written by \`make cli-docs\`; a test compares.
In the image both programs are run by \`node dist/cli/nightjar.js\` and \`node dist/cli/a2a-cli.js\`.
`;

/** What `--help` writes where there is no terminal. */
function helpOf(command) {
  let text = '';
  command.configureOutput({
    writeOut: (piece) => (text += piece),
    getOutHelpWidth: () => undefined,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.trimEnd();
}

function sections(command, path = []) {
  const names = [...path, command.name()];
  const own = `## ${names.join(' ')}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`;
  return [own, ...command.commands.flatMap((below) => sections(below, names))];
}

const a2aCli = buildProgram(
  { version: '', out: () => undefined, err: () => undefined, env: {}, colour: false },
  () => undefined,
);
const page = [INTRO, ...sections(nightjarProgram()), ...sections(a2aCli)].join('\n');
if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, page);
} else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error('docs/cli.md is not what the commands say: make cli-docs');
  process.exit(1);
}
