import { describe, expect, it } from 'vitest';
import { splitComparison } from './split-comparison.js';

describe('splitComparison', () => {
  it.each([
    ['up == 0', 'up', '==', '0'],
    [' rate(x{a="b > c"}[5m]) / 2 >= bool 1e-3 ', 'rate(x{a="b > c"}[5m]) / 2', '>=', '1e-3'],
    ['sum by (le) (x{a!="1"}) < -0.5', 'sum by (le) (x{a!="1"})', '<', '-0.5'],
    ['x{a=~"and|or"} > 1', 'x{a=~"and|or"}', '>', '1'],
  ])('should take apart: %s', (expr, measured, op, threshold) => {
    expect(splitComparison(expr)).toEqual({ measured, op, threshold });
  });

  it.each([
    'vector(1)',
    'a > 1 and b > 2',
    'a > b',
    '(a > 1)',
    'a > 1 > 2',
    'absent(up{job="x"})',
    'a unless b > 1',
    '(a or b > 1',
    'a # > 1',
    '> 1',
    '',
  ])('should leave alone: %s', (expr) => {
    expect(splitComparison(expr)).toBeUndefined();
  });
});
