import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../config/limits.js';
import type { Message, Part } from '../domain/a2a.js';
import { formatPageToken, parsePageToken } from './page-token.js';
import { checkMessage, fingerprintOf } from './submission.js';

function message(parts: readonly Part[], over: Partial<Message> = {}): Message {
  return { messageId: 'm', role: 'ROLE_USER', parts, ...over };
}

describe('checkMessage', () => {
  it('should join text parts with newlines', () => {
    expect(
      checkMessage(message([{ text: 'a' }, { data: {} }, { text: 'b' }]), DEFAULT_LIMITS),
    ).toBe('a\nb');
  });

  it.each<[string, Message, string]>([
    ['blank text', message([{ text: ' \n\t' }]), 'INVALID_PARAMS'],
    ['no text at all', message([{ data: {} }]), 'INVALID_PARAMS'],
    ['a file', message([{ text: 'a' }, { raw: 'aGk=' }]), 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['a URL', message([{ url: 'http://x' }]), 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['text over the limit in bytes', message([{ text: '好'.repeat(11_000) }]), 'TOO_LARGE'],
    ['a long id', message([{ text: 'a' }], { contextId: '好'.repeat(86) }), 'INVALID_PARAMS'],
  ])('should refuse %s', (_name, bad, code) => {
    expect(() => checkMessage(bad, DEFAULT_LIMITS)).toThrow(expect.objectContaining({ code }));
  });
});

describe('fingerprintOf', () => {
  it('should differ by content and context, not by id', () => {
    const one = fingerprintOf(message([{ text: 'a' }]));
    expect(fingerprintOf(message([{ text: 'a' }], { messageId: 'other' }))).toBe(one);
    expect(fingerprintOf(message([{ text: 'b' }]))).not.toBe(one);
    expect(fingerprintOf(message([{ text: 'a' }], { contextId: 'c' }))).not.toBe(one);
  });
});

describe('page tokens', () => {
  const query = { pageSize: 10, contextId: 'c' };
  const position = { score: '1790000000000', id: 't1' };

  it('should come back as they went', () => {
    expect(parsePageToken(query, formatPageToken(query, position))).toEqual(position);
  });

  it.each([
    ['another filter', formatPageToken({ pageSize: 10 }, position)],
    ['garbage', 'x'],
    ['empty JSON', Buffer.from('{}').toString('base64url')],
    ['a score that is none', Buffer.from('["x","(1","t"]').toString('base64url')],
  ])('should refuse %s', (_name, token) => {
    expect(() => parsePageToken(query, token)).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMS' }),
    );
  });
});
