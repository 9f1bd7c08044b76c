import { describe, expect, it } from 'vitest';
import { literalsOf } from './pattern-literals.js';

describe('the plain texts of a pattern', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['db-1', ['db-1']],
    ['db-1|db-2', ['db-1', 'db-2']],
    ['10\\.0\\.0\\.1|a\\|b', ['10.0.0.1', 'a|b']],
    ['a|', ['a', '']],
    ['', ['']],
    ['db-.*', undefined],
    ['(?:a|b)', undefined],
    ['a\\d', undefined],
    ['a\\', undefined],
    ['^a$', undefined],
    ['[ab]', undefined],
  ])('should be read from %j', (pattern, texts) => {
    expect(literalsOf(pattern)).toEqual(texts);
  });
});
