import { describe, expect, it } from 'vitest';
import { code, link, plain, table } from '../answer/markdown.js';
import { atomise } from './atoms.js';
import { editDistance, typoDistance } from './edit-distance.js';
import { keyOf, normalise } from './normalise.js';
import { hanNumber, numberOf, ordinalOf } from './numerals.js';

describe('normalise', () => {
  it('should fold width, quotes and traditional characters', () => {
    expect(normalise('ｅｎｖ＝prod，「嚴重」　告警？')).toBe('env=prod,"严重" 告警?');
    expect(keyOf('HighCPU')).toBe('highcpu');
  });
});

describe('typoDistance', () => {
  it.each([
    ['critcal', 'critical', 1],
    ['alrets', 'alerts', 1],
    ['prdo', 'prod', 1],
    ['paymnets', 'payments', 1],
    ['orders-bd', 'orders-db', undefined],
    ['chekcout-api', 'checkout-api', 1],
    ['web-01', 'web-02', undefined],
    ['prod-a', 'prod-b', undefined],
    ['prof', 'prod', undefined],
    ['eu', 'us', undefined],
  ])('should tell %s from %s by %s', (typed, known, distance) => {
    expect(typoDistance(typed, known)).toBe(distance);
  });

  it('should give up beyond the limit', () => {
    expect(editDistance('abcdef', 'uvwxyz', 2)).toBe(3);
    expect(editDistance('abc', 'abc', 0)).toBe(0);
  });
});

describe('numerals', () => {
  it('should read English and Chinese numbers', () => {
    expect([numberOf('12'), numberOf('three'), numberOf('x')]).toEqual([12, 3, undefined]);
    expect(['first', '2nd', '#3', 'one'].map(ordinalOf)).toEqual([1, 2, 3, undefined]);
    const han = ['十', '十二', '三十五', '一百零五', '两', '一二', 'x', ''];
    expect(han.map(hanNumber)).toEqual([10, 12, 35, 105, 2, undefined, undefined, undefined]);
  });
});

describe('atomise', () => {
  const atoms = (text: string): readonly string[] =>
    atomise(normalise(text), { isLabel: (name) => name === 'team', literals: ['a/b (c)'] }).map(
      (atom) => `${atom.kind}:${atom.text}`,
    );

  it('should keep conditions, addresses and known values whole', () => {
    expect(atoms('severity != "a b", team: core')).toEqual([
      'matcher:severity != "a b"',
      'mark:,',
      'matcher:team: core',
    ]);
    expect(atoms('on 10.0.0.5:9100.')).toEqual(['word:on', 'word:10.0.0.5:9100', 'mark:.']);
    expect(atoms('for a/b (c)?')).toEqual(['word:for', 'literal:a/b (c)', 'mark:?']);
    expect(atoms("what's non-critical")).toEqual([
      'word:what',
      'word:is',
      'word:non',
      'word:critical',
    ]);
    expect(atoms('查prod的')).toEqual(['han:查', 'word:prod', 'han:的']);
    expect(atoms('note: this')).toEqual(['word:note', 'mark::', 'word:this']);
  });
});

describe('markdown', () => {
  it('should leave nothing that acts', () => {
    expect(code('a`b|c\nd')).toBe("`a'b|c d`");
    // A code span is copied as it stands; in a cell alone a bar would end it.
    expect(table(['h'], [[code('a|b')], [plain('c|d')]])).toContain('| `a\\|b` |\n| c\\|d |');
    expect(plain('*a* <b> [c](d) node_load1 _x_ &lt;')).toBe(
      '\\*a\\* \\<b\\> \\[c\\](d) node_load1 \\_x\\_ \\&lt;',
    );
    expect(link('javascript:alert(1)')).toBeUndefined();
    expect(link('https://user:secret@host/a b')).toBe('<https://host/a%20b>');
    expect(link('not a link')).toBeUndefined();
  });
});
