import { describe, expect, it } from 'vitest';
import { type AdminRequest, bodyOf } from './request.js';

const sent = (body: string): AdminRequest => ({ body }) as AdminRequest;

describe('bodyOf', () => {
  it('should read an object, and no body as an empty one', () => {
    expect(bodyOf(sent('{"a":[1]}'))).toEqual({ a: [1] });
    expect(bodyOf(sent(''))).toEqual({});
  });

  it.each([
    ['{', 'PARSE_ERROR'],
    ['{"a":1,"a":2}', 'PARSE_ERROR'],
    // Deep enough to break whoever walks through it.
    [`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'PARSE_ERROR'],
    ['[]', 'INVALID_PARAMS'],
    ['null', 'INVALID_PARAMS'],
  ])('should refuse %.20s', (body, code) => {
    expect(() => bodyOf(sent(body))).toThrow(expect.objectContaining({ code }));
  });
});
