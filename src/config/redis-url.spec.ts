import { describe, expect, it } from 'vitest';
import { hasPassword, parseRedisUrl, redactedRedisUrl, redisUrlFault } from './redis-url.js';

const NO_LOGIN = { username: undefined, password: undefined };

describe('parseRedisUrl', () => {
  it.each([
    ['redis://r', { kind: 'single', tls: false, host: 'r', port: 6379, db: 0, ...NO_LOGIN }],
    [
      'rediss://ann:p%40ss@[::1]:7000/3',
      {
        kind: 'single',
        tls: true,
        host: '::1',
        port: 7000,
        db: 3,
        username: 'ann',
        password: 'p@ss',
      },
    ],
    ['unix:///run/r.sock', { kind: 'socket', path: '/run/r.sock' }],
    [
      'redis+sentinel://:pw@s1,s2:26380/mymaster',
      {
        kind: 'sentinel',
        tls: false,
        nodes: [
          { host: 's1', port: 26379 },
          { host: 's2', port: 26380 },
        ],
        master: 'mymaster',
        username: undefined,
        password: 'pw',
      },
    ],
    [
      'rediss+cluster://n1:7001,[fd00::2]',
      {
        kind: 'cluster',
        tls: true,
        nodes: [
          { host: 'n1', port: 7001 },
          { host: 'fd00::2', port: 6379 },
        ],
        ...NO_LOGIN,
      },
    ],
  ])('should take %s apart', (url, address) => {
    expect(parseRedisUrl(url)).toEqual(address);
    expect(redisUrlFault(url)).toBeUndefined();
  });

  it.each([
    'http://r',
    'redis://',
    'redis://r/x',
    'unix://host/path',
    'redis+cluster://',
    'redis+cluster://a,,b',
    'redis+cluster://a:99999',
    'redis+cluster://a/0',
    'redis+other://a',
  ])('should refuse %s', (url) => {
    expect(redisUrlFault(url)).toContain('must be redis://');
  });

  it('should say that a Sentinel address needs its master', () => {
    expect(redisUrlFault('redis+sentinel://s1,s2')).toContain('name of the master');
  });
});

describe('redactedRedisUrl', () => {
  it.each([
    ['redis://u:secret@r:1/2', 'redis://u:redacted@r:1/2'],
    ['redis+cluster://:secret@a,b', 'redis+cluster://:redacted@a,b'],
    ['redis+sentinel://u:se%3Acret@a,b/m', 'redis+sentinel://u:redacted@a,b/m'],
    ['redis://r', 'redis://r'],
  ])('should hide the password of %s', (url, shown) => {
    expect(redactedRedisUrl(url)).toBe(shown);
    expect(hasPassword(url)).toBe(url !== shown);
  });
});
