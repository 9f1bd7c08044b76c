import { describe, expect, it } from 'vitest';
import { parseInfo, parsePairs } from './finding.js';
import { type ServerFacts, serverFindings } from './server-findings.js';

const FIT = [
  'redis_version:7.0.15',
  'maxmemory_policy:noeviction',
  'used_memory:1048576',
  'maxmemory:0',
  'aof_enabled:1',
  'aof_last_write_status:ok',
  'slave0:ip=10.0.0.2,port=6379,state=online,offset=1,lag=0',
].join('\r\n');

function levels(over: Partial<ServerFacts>, info = ''): Record<string, string> {
  const facts: ServerFacts = {
    where: 'r:1',
    topology: 'sentinel',
    info: parseInfo(`${FIT}\r\n${info}`),
    config: new Map([['min-replicas-to-write', '1']]),
    trips: [1, 1, 1],
    skewMs: 10,
    allowEviction: false,
    ...over,
  };
  return Object.fromEntries(serverFindings(facts).map(({ check, level }) => [check, level]));
}

describe('serverFindings', () => {
  it('should find nothing wrong with a Redis that is fit', () => {
    expect(new Set(Object.values(levels({})))).toEqual(new Set(['ok']));
  });

  it.each<[string, string, Partial<ServerFacts>, string, string]>([
    ['an old Redis', 'redis_version:6.2.1', {}, 'version', 'error'],
    ['an evicting policy', 'maxmemory_policy:allkeys-lru', {}, 'eviction', 'error'],
    [
      'one that is accepted',
      'maxmemory_policy:allkeys-lru',
      { allowEviction: true },
      'eviction',
      'warning',
    ],
    ['little memory', 'maxmemory:1100000', {}, 'memory', 'error'],
    ['less memory', 'maxmemory:1310720', {}, 'memory', 'warning'],
    ['no append-only file', 'aof_enabled:0', {}, 'persistence', 'warning'],
    ['one that cannot be written', 'aof_last_write_status:err', {}, 'persistence', 'error'],
    ['a replica that lags', 'slave0:state=online,lag=60', {}, 'replicas', 'error'],
    ['a replica that syncs', 'slave0:state=wait_bgsave,lag=0', {}, 'replicas', 'error'],
    ['no right to CONFIG', '', { config: undefined }, 'min-replicas', 'unknown'],
    ['a master on its own', '', { config: new Map() }, 'min-replicas', 'warning'],
    ['a slow link', '', { trips: [1, 8, 9] }, 'latency', 'warning'],
    ['a very slow link', '', { trips: [150, 150] }, 'latency', 'error'],
    ['a clock that is off', '', { skewMs: -5000 }, 'clock', 'warning'],
  ])('should see %s', (_what, info, over, check, level) => {
    expect(levels(over, info)[check]).toBe(level);
  });

  it('should say that nothing can take the place of a lone master', () => {
    const lone = parseInfo(FIT.replace(/slave0.*/, ''));
    expect(levels({ info: lone })['replicas']).toBe('warning');
    expect(levels({ info: lone, topology: 'single' })['replicas']).toBeUndefined();
  });
});

describe('parsePairs', () => {
  it('should read both protocols’ answers', () => {
    expect(parsePairs(['a', '1', 'b', '2']).get('b')).toBe('2');
    expect(parsePairs({ a: '1' }).get('a')).toBe('1');
    expect(parsePairs(null).size).toBe(0);
  });
});
