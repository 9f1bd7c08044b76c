// make mutants [MUTANT=id]: works on a copy of the tree; first every named test must be green there,
// then each mutant is applied, built, and must turn its test red.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { MODEL_MUTANTS } from './model-mutants.mjs';
import { MUTANTS } from './mutants.mjs';

const ROOT = join(import.meta.dirname, '../..');
const LEFT_OUT = new Set(['node_modules', 'dist', '.git', 'coverage', 'interop', '.nightjar']);
const only = process.argv[2];
const all = [...MUTANTS, ...MODEL_MUTANTS];
// MUTANT=model: those of the model alone.
const chosen = all.filter(
  ({ id }) => only === undefined || id === only || (only === 'model' && id.startsWith('model-')),
);
if (chosen.length === 0) {
  console.error(`there is no mutant ${only}: ${all.map(({ id }) => id).join(', ')}`);
  process.exit(2);
}

const copy = mkdtempSync(join(tmpdir(), 'nightjar-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
cpSync(ROOT, copy, {
  recursive: true,
  filter: (path) => path === ROOT || !LEFT_OUT.has(basename(path)),
});
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));

function run(program, args) {
  return spawnSync(program, args, {
    cwd: copy,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', MODEL_SHRINK: '0', MODEL_RUNS: '300' },
  });
}

/** @returns the compiler's output when it does not build. */
function build() {
  const result = run('npx', ['--no-install', 'nest', 'build']);
  return result.status === 0 ? undefined : `${result.stdout}${result.stderr}`;
}

/** What became of the named test: passed, failed, or not found (e.g. the file did not load). */
function outcome({ file, name }) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const pattern = `${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  const args = ['--no-install', 'vitest', 'run', file, '-t', pattern];
  const result = run('npx', [...args, '--reporter=json', `--outputFile=${report}`]);
  if (!existsSync(report)) return { state: 'not found', output: result.stdout + result.stderr };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const tests = testResults
    .flatMap((suite) => suite.assertionResults)
    .filter((test) => test.title === name && ['passed', 'failed'].includes(test.status));
  const failed = tests.find((test) => test.status === 'failed');
  if (failed !== undefined) {
    return { state: 'failed', output: failed.failureMessages.join('\n').split('\n')[0] };
  }
  return { state: tests.length > 0 ? 'passed' : 'not found', output: result.stdout };
}

/** The one file that a name with at most one * means; undefined when it is not exactly one. */
function resolve(file) {
  if (!file.includes('*')) return existsSync(join(copy, file)) ? join(copy, file) : undefined;
  const [start, end] = basename(file).split('*');
  const folder = join(copy, dirname(file));
  const found = readdirSync(folder).filter((name) => name.startsWith(start) && name.endsWith(end));
  return found.length === 1 ? join(folder, found[0]) : undefined;
}

let failures = 0;
function say(good, id, text) {
  if (!good) failures += 1;
  console.log(`${good ? 'ok    ' : 'FAILED'} ${id}: ${text}`);
}

/** Scripts and sources are read as they are by all but the tests of whole gateways. */
function needsBuild({ edits, test }) {
  return test.project === 'e2e' || edits.some(({ file }) => !file.startsWith('lua/'));
}

const broken = chosen.some(needsBuild) ? build() : undefined;
if (broken !== undefined) {
  console.error(`the tree does not build:\n${broken}`);
  process.exit(1);
}
const baseline = new Map();
for (const { test } of chosen) {
  const key = `${test.file} › ${test.name}`;
  if (!baseline.has(key)) baseline.set(key, outcome(test));
}

for (const mutant of chosen) {
  const { id, breaks, edits, test } = mutant;
  const key = `${test.file} › ${test.name}`;
  const before = baseline.get(key);
  if (before.state !== 'passed') {
    say(false, id, `its test is not green without it (${before.state}): ${key}\n${before.output}`);
    continue;
  }
  const saved = new Map();
  let stale;
  for (const { file, from, to } of edits) {
    const path = resolve(file);
    const text = path === undefined ? '' : readFileSync(path, 'utf8');
    if (path === undefined || text.split(from).length !== 2) {
      stale = file;
      continue;
    }
    if (!saved.has(path)) saved.set(path, text);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
  if (stale !== undefined) {
    say(false, id, `its replacement does not fit ${stale} exactly once`);
  } else {
    const unbuilt = needsBuild(mutant) ? build() : undefined;
    if (unbuilt !== undefined) {
      say(false, id, `it does not build:\n${unbuilt}`);
    } else {
      const after = outcome(test);
      say(
        after.state === 'failed',
        id,
        `${breaks}\n         ${after.state}: ${key}\n         ${after.output.slice(0, 200)}`,
      );
    }
  }
  for (const [path, text] of saved) writeFileSync(path, text);
}
console.log(`\n${chosen.length - failures} of ${chosen.length} mutants turned their test red`);
process.exit(failures === 0 ? 0 : 1);
