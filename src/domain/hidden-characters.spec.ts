import { describe, expect, it } from 'vitest';
import { escapedHidden, hiddenIn, plainText, withoutHidden } from './hidden-characters.js';

const HIDDEN = [
  ['an escape', '\u001b'],
  ['a carriage return', '\r'],
  ['a C1 control', '\u009b'],
  ['a soft hyphen', '\u00ad'],
  ['an Arabic letter mark', '\u061c'],
  ['a Hangul filler', '\u3164'],
  ['a vowel that is not written', '\u17b4'],
  ['a zero-width space', '\u200b'],
  ['a joiner', '\u200d'],
  ['a mark of direction', '\u200e'],
  ['a line separator', '\u2028'],
  ['a bidi override', '\u202e'],
  ['an invisible operator', '\u2062'],
  ['an isolate', '\u2066'],
  ['a byte order mark', '\ufeff'],
  ['half of a pair', '\ud83d'],
  ['a letter of tags', '\u{e0041}'],
  ['a variation selector', '\u{e0100}'],
  ['a selector of text', '\ufe01'],
  ['a selector of colour behind a letter', '\ufe0f'],
  ['a joiner of graphemes', '\u034f'],
  ['a Braille blank', '\u2800'],
  ['a head of a note that is none', '\u{1d159}'],
] as const;

describe('characters that a screen hides', () => {
  it.each(HIDDEN)('should count %s among them', (_what, character) => {
    const text = `a${character}b`;
    expect(hiddenIn(text)).toBe(character);
    expect(withoutHidden(text)).toBe('ab');
    expect(hiddenIn(plainText(text))).toBeUndefined();
    const json = escapedHidden(JSON.stringify(text));
    expect(hiddenIn(json)).toBeUndefined();
    expect(JSON.parse(json)).toBe(text);
  });

  it.each(['a\n\tb', '✔️ done', '👩‍💻 👩🏽‍💻 ❤️‍🔥', '告警 ٣ \u0600', 'é e\u0301', '👍🏽', '1️⃣'])(
    'should leave %j alone',
    (text) => {
      expect(hiddenIn(text)).toBeUndefined();
      expect(plainText(text)).toBe(text);
      expect(escapedHidden(text)).toBe(text);
    },
  );

  it('should keep lines apart', () => {
    expect(plainText('a\r\nb\rc\u2028d\u0085e')).toBe('a\nb\nc\nd\ne');
  });
});
