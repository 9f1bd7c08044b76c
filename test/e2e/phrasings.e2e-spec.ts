import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bench, type Outcome } from './phrasings/bench.js';
import { ADVERSARIAL } from './phrasings/adversarial.js';
import { CHINESE } from './phrasings/chinese.js';
import { ENGLISH } from './phrasings/english.js';
import { THIRD_CHINESE } from './phrasings/third-chinese.js';
import { THIRD_ENGLISH } from './phrasings/third-english.js';

/** Fixed, so that a red build can be repeated; NIGHTJAR_PHRASING_SEEDS=1,2,3 tries others. */
const SEEDS = (process.env['NIGHTJAR_PHRASING_SEEDS'] ?? '11,2026').split(',').map(Number);
const PHRASINGS = [...ENGLISH, ...CHINESE];
/** Taught one by one: the odd ones, and sixty of a stranger. */
const TAUGHT = [...ADVERSARIAL, ...THIRD_ENGLISH, ...THIRD_CHINESE];
/** Of each 60. */
const ENOUGH = 57;

describe.each(SEEDS)('what the README says it understands, over the alerts of seed %i', (seed) => {
  let bench: Bench;
  const outcomes: Outcome[] = [];
  const odd: Outcome[] = [];

  beforeAll(async () => {
    bench = await Bench.start(seed);
    for (const phrasing of PHRASINGS) outcomes.push(await bench.ask(phrasing));
    for (const phrasing of TAUGHT) odd.push(await bench.ask(phrasing));
    process.stdout.write(`${table(seed, outcomes)}\n${table(seed, odd)}\n`);
  });
  afterAll(async () => {
    await bench.stop();
  });

  it('has thirty phrasings of each language', () => {
    expect([ENGLISH.length, CHINESE.length]).toEqual([30, 30]);
  });

  it('never states a wrong name, number or time', () => {
    const wrong = [...outcomes, ...odd].filter(({ verdict }) => verdict === 'wrong');
    expect(wrong.map(({ text, why, answer }) => `${text}\n${why}\n${answer}`)).toEqual([]);
  });

  it(`answers at least ${ENOUGH} of ${PHRASINGS.length}`, () => {
    const understood = outcomes.filter(({ verdict }) => verdict === 'understood');
    expect(understood.length).toBeGreaterThanOrEqual(ENOUGH);
  });

  it('understands every one that it was taught', () => {
    const missed = odd.filter(({ verdict }) => verdict !== 'understood');
    expect(missed.map(({ text, why }) => `${text}: ${why}`)).toEqual([]);
  });
});

function table(seed: number, outcomes: readonly Outcome[]): string {
  const missed = outcomes.filter(({ verdict }) => verdict !== 'understood');
  const understood = outcomes.length - missed.length;
  return [
    `seed ${seed}: ${understood} of ${outcomes.length} phrasings understood`,
    ...missed.map(({ verdict, text, why }) => `  ${verdict} | ${text} | ${why}`),
  ].join('\n');
}
