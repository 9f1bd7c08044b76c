import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScriptBench } from '../support/script-bench.js';
import { checkScripts } from './check-scripts.js';

/** As many in each CI run; `make model RUNS=…` takes more, and another seed each time. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 120);
const SEED = Number(process.env['MODEL_SEED'] ?? 20_260);

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

it(
  'should agree with the model in every interleaving of three instances',
  async () => {
    const outcome = await checkScripts(bench, {
      runs: RUNS,
      most: 60,
      seed: SEED,
      shrink: process.env['MODEL_SHRINK'] !== '0',
    });
    const rows = [...outcome.scripts].map(
      ([name, [accepted, refused]]) => `  ${name}: ${accepted} accepted, ${refused} refused`,
    );
    process.stdout.write(
      `model: ${outcome.interleavings} interleavings, ${outcome.calls} calls, seed ${SEED}\n${rows.join('\n')}\n`,
    );
    expect(outcome.failure).toBeUndefined();
  },
  RUNS * 1_000 + 60_000,
);
