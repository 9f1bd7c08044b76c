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

  it('should read past a byte order mark, as the SDK does', () => {
    expect(parseBody('\ufeff{"method":"tools/call"}')).toEqual({ method: 'tools/call' });
    expect(parseBody('\ufeff\ufeff{}')).toBeUndefined();
  });

  it('should refuse what is deep enough to break whoever walks through it', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(() => parseBody(`{"params":${deep}}`)).toThrow(
      expect.objectContaining({ code: 'PARSE_ERROR' }),
    );
    expect(() => parseBody('{"id":1,"id":2}')).toThrow(
      expect.objectContaining({ code: 'PARSE_ERROR' }),
    );
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

  it('should allow a name of 128 bytes and refuse a byte more', () => {
    const named = (name: string) => ({ method: 'tools/call', params: { name } });
    expect(() => {
      checkArguments(named('汉'.repeat(42) + 'xx'));
    }).not.toThrow();
    expect(() => {
      checkArguments(named('汉'.repeat(43)));
    }).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }));
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
