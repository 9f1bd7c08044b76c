import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bench, type Outcome } from './phrasings/bench.js';
import { ADVERSARIAL } from './phrasings/adversarial.js';
import { CHINESE } from './phrasings/chinese.js';
import { ENGLISH } from './phrasings/english.js';
import { FOURTH, FOURTH_CHARTS } from './phrasings/fourth.js';
import { THIRD_CHINESE } from './phrasings/third-chinese.js';
import { THIRD_ENGLISH } from './phrasings/third-english.js';

/** Fixed, so that a red build can be repeated; NIGHTJAR_PHRASING_SEEDS=1,2,3 tries others. */
const SEEDS = (process.env['NIGHTJAR_PHRASING_SEEDS'] ?? '11,2026').split(',').map(Number);
const PHRASINGS = [...ENGLISH, ...CHINESE];
/** Taught one by one: the odd ones, sixty of a stranger, and forty of an engineer on call. */
const TAUGHT = [...ADVERSARIAL, ...THIRD_ENGLISH, ...THIRD_CHINESE, ...FOURTH];
/** Of each 60. */
const ENOUGH = 57;

describe.each(SEEDS)('what the README says it understands, over the alerts of seed %i', (seed) => {
  let bench: Bench;
  const outcomes: Outcome[] = [];
  const odd: Outcome[] = [];

  beforeAll(async () => {
    bench = await Bench.start(seed);
    for (const phrasing of PHRASINGS) outcomes.push(await bench.ask(phrasing));
    const charts = seed === SEEDS[0] ? FOURTH_CHARTS : [];
    for (const phrasing of [...TAUGHT, ...charts]) odd.push(await bench.ask(phrasing));
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

  it('cites for every fact which source was asked what, and when', () => {
    const bare = [...outcomes, ...odd].filter(
      ({ verdict, answer, evidence }) =>
        verdict === 'understood' &&
        !/I only read|我只读取|did not understand|没有理解/.test(answer) &&
        !(evidence.length > 0 && evidence.every(isCited)),
    );
    expect(bare.map(({ text, evidence }) => `${text}: ${evidence.join()}`)).toEqual([]);
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

function isCited(output: string): boolean {
  const query = /"query":"[^"]+/.test(output);
  const time = /"time":"\d{4}-\d\d-\d\dT/.test(output);
  return query && time && /"sources":\[\{"name":"[^"]+","type":"/.test(output);
}

function table(seed: number, outcomes: readonly Outcome[]): string {
  const missed = outcomes.filter(({ verdict }) => verdict !== 'understood');
  const understood = outcomes.length - missed.length;
  return [
    `seed ${seed}: ${understood} of ${outcomes.length} phrasings understood`,
    ...missed.map(({ verdict, text, why }) => `  ${verdict} | ${text} | ${why}`),
  ].join('\n');
}
