import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../domain/errors.js';
import { MAX_JSON_DEPTH, parseJson } from './parse-json.js';
import { cpuMs } from '../../../test/support/cpu-time.js';

function refusal(text: string): DomainError {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('parseJson', () => {
  it('should read what JSON.stringify writes, whatever the value', () => {
    const value = fc.jsonValue({ maxDepth: 6 }).filter((one) => !hasProto(one));
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 3 }), (one, indent) => {
        const text = JSON.stringify(one, null, indent);
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(one));
      }),
    );
  });

  it.each([
    '{"a":1,"a":2}',
    '{"a":{"b":1,"c":2,"b":3}}',
    '[{"a":1},{"x":1,"x" : 1}]',
    '{"a":1,"\\u0061":2}',
    '{"a\\"":1,"a\\"":2}',
    '{"":1,"":2}',
  ])('should refuse the key that stands twice in %s', (text) => {
    expect(refusal(text)).toMatchObject({ code: 'PARSE_ERROR' });
  });

  it.each([
    '{"a":"a","b":["a","a"],"c":{"a":"b"}}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":1}},"b":"\\"a\\":1"}',
    '{"a":"\\\\","b":"x"}',
    '{"a\\\\":1,"a":2}',
  ])('should accept %s, where no object has a key twice', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it.each(['{"__proto__":{"admin":true}}', '{"a":[{"\\u005f_proto__":1}]}'])(
    'should refuse %s',
    (text) => {
      expect(refusal(text).message).toContain('__proto__');
    },
  );

  it('should accept __proto__ as a value', () => {
    expect(parseJson('{"a":"__proto__"}')).toEqual({ a: '__proto__' });
  });

  it('should bound the depth', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(MAX_JSON_DEPTH))).toBeDefined();
    expect(refusal(nested(MAX_JSON_DEPTH + 1)).code).toBe('PARSE_ERROR');
    expect(refusal('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)).code).toBe('PARSE_ERROR');
    // Brackets in a string are text.
    expect(parseJson(JSON.stringify('['.repeat(1000)))).toHaveLength(1000);
  });

  it('should refuse half a surrogate pair and accept a whole one', () => {
    for (const text of ['"\\ud83d"', '{"\\udc00":1}', '["a\\uD800b"]']) {
      expect(refusal(text).code).toBe('PARSE_ERROR');
    }
    expect(parseJson('"\\ud83d\\ude00"')).toBe('😀');
    expect(parseJson('"\\\\ud83d"')).toBe('\\ud83d');
  });

  it.each(['', ' ', '{', '{"a":', 'hello', '\ufeff{}', "{'a':1}", '{"a":01}', 'NaN'])(
    'should refuse %j without quoting it or the parser',
    (text) => {
      expect(refusal(text).message).toMatch(/^The body is (empty|not valid JSON)$/);
    },
  );

  it('should look at each character of a large body once', () => {
    // A look ahead from each of these strings to the end of the body would take a minute.
    const text = JSON.stringify(Array.from({ length: 400_000 }, (_, n) => `v${n}`));
    const began = cpuMs();
    parseJson(text);
    expect(cpuMs() - began).toBeLessThan(5_000);
  });
});

function hasProto(value: unknown): boolean {
  return JSON.stringify(value).includes('__proto__');
}
