import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScriptBench } from '../support/script-bench.js';
import { checkScripts } from './check-scripts.js';
import { lineMutants, mutate } from './line-mutants.js';

/** Interleavings that a mutant has to survive. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 300);
/** Only files whose name holds this. */
const ONLY = process.env['MUTANT'] ?? '';

let bench: ScriptBench;
let watch: NodeJS.Timeout;
beforeAll(async () => {
  bench = await ScriptBench.start();
  // A loop that does not end any more: its call fails, and so the mutant is found.
  await bench.redis.config('SET', 'busy-reply-threshold', '1000');
  const other = bench.redis.duplicate();
  watch = setInterval(() => void other.script('KILL').catch(() => undefined), 1000);
});
afterAll(async () => {
  clearInterval(watch);
  await bench.stop();
});

/** Of the changed lines, at least so many: some change nothing that can be seen (see the list). */
const LEAST = 0.8;

it('should find most lines of lua/ that are changed', async () => {
  const survivors: string[] = [];
  let caught = 0;
  for (const mutant of lineMutants().filter(({ file }) => file.includes(ONLY))) {
    const scripts = await mutate(bench.redis, mutant);
    if (scripts === undefined) continue;
    for (const [name, script] of scripts) bench.redis.defineCommand(name, script);
    const { failure } = await checkScripts(bench, {
      ...{ runs: RUNS, most: 60, seed: 20_260, shrink: false },
    });
    if (failure !== undefined) caught += 1;
    else {
      const change = mutant.to === '' ? 'gone' : `→ ${mutant.to.trim()}`;
      survivors.push(`${mutant.file}:${mutant.line}: ${mutant.from.trim()} ${change}`);
      process.stdout.write(`not found: ${survivors.at(-1)!}\n`);
    }
  }
  process.stdout.write(`${caught} of ${caught + survivors.length} changed lines were found\n`);
  expect(caught / (caught + survivors.length)).toBeGreaterThan(LEAST);
});
