import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeSources, Talk } from '../../../test/support/fake-sources.js';
import { alertSet } from '../../../test/support/random-alerts.js';
import { ENGLISH } from './lexicon/english.js';
import { CHINESE } from './lexicon/chinese.js';
import { cpuMs } from '../../../test/support/cpu-time.js';

const SET = alertSet(3);
const WORDS = [
  ...Object.values({ ...ENGLISH, ...CHINESE }).flatMap((phrases) => phrases.split('|')),
  ...SET.alerts.flatMap(({ labels }) => [...Object.keys(labels), ...Object.values(labels)]),
  ...[
    '=',
    '!=',
    '"',
    '(',
    '{',
    ',',
    '?',
    '。',
    '#2',
    '3',
    '第',
    '09:00',
    'up{',
    '=~".*"',
    '`',
    '|',
  ],
];

async function answer(text: string): Promise<string> {
  return new Talk(new FakeSources({ alerts: SET.alerts })).ask(text);
}

describe('the builtin backend on anything', () => {
  it(
    'should answer any mixture of words it knows, without a throw',
    { timeout: 30_000 },
    async () => {
      const mixture = fc.array(fc.constantFrom(...WORDS), { maxLength: 14 });
      await fc.assert(
        fc.asyncProperty(mixture, fc.constantFrom(' ', ''), async (words, joint) => {
          expect((await answer(words.join(joint))).length).toBeGreaterThan(0);
        }),
        { numRuns: 150, seed: 11 },
      );
    },
  );

  it('should answer any text, without a throw', { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
        expect((await answer(text)).length).toBeGreaterThan(0);
      }),
      { numRuns: 80, seed: 12 },
    );
  });

  it.each([
    'a'.repeat(30_000),
    '('.repeat(5000),
    'sum('.repeat(3000),
    '告'.repeat(30_000),
    'a.'.repeat(9000),
    '"'.repeat(5000),
    'severity='.repeat(3000),
    'a b '.repeat(5000),
    '1h'.repeat(2000),
    '{a="b",'.repeat(2000),
    '=~'.repeat(4000),
    '的有告警哪些'.repeat(1000),
  ])('should not be slowed down by a long text of %#', async (text) => {
    const start = cpuMs();
    expect(await answer(text)).not.toBe('');
    expect(cpuMs() - start).toBeLessThan(2500);
  });
});
