import { describe, expect, it } from 'vitest';
import { quoted, QuoteStream } from './quote.js';

describe('quoted', () => {
  it.each([
    ['done', '> done'],
    ['\n\na\n\nb\n', '> a\n> \n> b'],
    ['a\r\nb\rc\u2028d', '> a\n> b\n> c\n> d'],
    ['\u001b[2Ja\u202eb\tc', '> [2Jab\tc'],
    ['a\u200bb\u{e0041}\u3164c', '> abc'],
    ['', ''],
  ])('should show %j as %j', (text, shown) => {
    expect(quoted(text)).toBe(shown);
  });

  it('should not depend on the pieces', () => {
    const text = 'one\n\ntwo\nSource: am-prod\n';
    const stream = new QuoteStream();
    expect(Array.from(text, (char) => stream.push(char)).join('')).toBe(quoted(text));
  });
});
