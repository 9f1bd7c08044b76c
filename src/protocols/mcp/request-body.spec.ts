import { describe, expect, it } from 'vitest';
import { checkArguments, methodOf, parseBody } from './request-body.js';

function call(args: unknown): object {
  return { method: 'tools/call', params: { arguments: args } };
}

describe('parseBody', () => {
  it('should return undefined for what is not JSON', () => {
    expect(parseBody('{')).toBeUndefined();
    expect(parseBody('null')).toBeNull();
  });
});

describe('methodOf', () => {
  it.each([
    [{ method: 'tools/call' }, 'tools/call'],
    [{ method: 'rm -rf' }, 'unknown'],
    [{ method: 5 }, 'unknown'],
    [[{ method: 'ping' }], 'batch'],
    ['ping', 'unknown'],
    [null, 'unknown'],
    [undefined, 'unknown'],
  ])('should name %j %s', (body, method) => {
    expect(methodOf(body)).toBe(method);
  });
});

describe('checkArguments', () => {
  const overhead = JSON.stringify({ message: '' }).length;

  it('should allow 16 KiB and refuse a byte more', () => {
    const most = 'x'.repeat(16 * 1024 - overhead);
    expect(() => {
      checkArguments(call({ message: most }));
    }).not.toThrow();
    expect(() => {
      checkArguments(call({ message: `${most}x` }));
    }).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }));
  });

  it('should look into each message of a batch', () => {
    expect(() => {
      checkArguments([call({}), call({ message: 'x'.repeat(20_000) })]);
    }).toThrow();
  });

  it.each([undefined, null, 5, { method: 'tools/call' }, call(undefined), { method: 'ping' }])(
    'should leave %j to others',
    (body) => {
      expect(() => {
        checkArguments(body);
      }).not.toThrow();
    },
  );
});
