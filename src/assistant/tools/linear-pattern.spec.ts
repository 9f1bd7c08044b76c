import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from './linear-pattern.js';
import { ToolInputError } from './tool.js';
import { cpuMs } from '../../../test/support/cpu-time.js';

describe('compilePattern', () => {
  it('should match whole values, as Prometheus does', () => {
    expect(['web-1', 'xweb-1', 'web-12'].map(compilePattern('web-[0-9]'))).toEqual([
      true,
      false,
      false,
    ]);
    expect(['prod', 'dev', 'qa', ''].map(compilePattern('prod|dev'))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(['10.0.0.5:9100', '10x0'].map(compilePattern('10\\.0\\.0\\.\\d+(:\\d+)?'))).toEqual([
      true,
      false,
    ]);
    expect(['', 'a'].map(compilePattern('a?'))).toEqual([true, true]);
    expect(compilePattern('支付.*')('支付团队')).toBe(true);
  });

  it.each([
    '(?=a)',
    '(a)\\1',
    '[',
    '(',
    'a)',
    '*a',
    'a{200}',
    'a{2,1}',
    '\\bprod',
    '(?<n>a)',
    '[z-a]',
  ])('should refuse %s', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(ToolInputError);
  });

  it('should refuse what has too many states', () => {
    expect(() => compilePattern('(a{100}){100}')).toThrow(/too complex/);
  });

  it.each(['(a+)+b', '(a|a)*b', '.*.*.*.*x', '(.?){50}b', 'a*a*a*a*a*b'])(
    'should take no long time for %s',
    (pattern) => {
      const start = cpuMs();
      expect(compilePattern(pattern)('a'.repeat(2000))).toBe(false);
      expect(cpuMs() - start).toBeLessThan(3000);
    },
  );

  it('should agree with the engine of JavaScript on everything both can match', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '\\d',
      '\\.',
      '(a|b)',
      '(?:ab)',
      '(a*b)',
    );
    const times = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '{1,}');
    const piece = fc.tuple(atom, times).map(([a, t]) => a + t);
    const pattern = fc
      .array(fc.array(piece, { maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((alternatives) => alternatives.map((pieces) => pieces.join('')).join('|'));
    const value = fc.string({ unit: fc.constantFrom('a', 'b', '.', '1'), maxLength: 7 });
    fc.assert(
      fc.property(pattern, fc.array(value, { minLength: 5, maxLength: 10 }), (source, values) => {
        const expected = new RegExp(`^(?:${source})$`, 'su');
        const matches = compilePattern(source);
        for (const one of values) {
          expect([source, one, matches(one)]).toEqual([source, one, expected.test(one)]);
        }
      }),
      { numRuns: 400, seed: 5 },
    );
  });
});
