import { describe, expect, it } from 'vitest';
import { boundedAnswer } from './bounded-answer.js';

describe('boundedAnswer', () => {
  it('should leave what fits', () => {
    expect(boundedAnswer('a'.repeat(25), 'cut', 10)).toBe('a'.repeat(25));
  });

  it('should count other characters as more than one token', () => {
    expect(boundedAnswer('汉'.repeat(6), 'cut', 10)).toBe('汉'.repeat(6));
    expect(boundedAnswer('汉'.repeat(7), 'cut', 10)).toBe(`${'汉'.repeat(6)}\n\ncut`);
  });

  it('should cut behind the last full line', () => {
    expect(boundedAnswer('first line 123\nsecond line 456', 'cut', 10)).toBe(
      'first line 123\n\ncut',
    );
  });

  it('should cut inside a line that is most of the text', () => {
    expect(boundedAnswer(`a\n${'b'.repeat(40)}`, 'cut', 10)).toBe(`a\n${'b'.repeat(23)}\n\ncut`);
  });

  it('should not split a surrogate pair', () => {
    expect(boundedAnswer('🌍'.repeat(10), 'cut', 10)).toBe(`${'🌍'.repeat(6)}\n\ncut`);
  });
});
