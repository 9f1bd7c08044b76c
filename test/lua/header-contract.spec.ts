import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  documented,
  includeSource,
  luaSources,
  parseLua,
  refusals,
  used,
} from '../support/lua-source.js';

const SPECS = join(import.meta.dirname, '../integration/lua');
const sources = luaSources();
const WRITES =
  /'(SET|DEL|UNLINK|HSET|HDEL|HINCRBY|ZADD|ZREM|ZREMRANGEBYSCORE|XADD|XTRIM|PEXPIRE|RENAME|PUBLISH|RPUSH|LPUSH|LTRIM|SADD|SREM|INCRBY)'/;
/** These end a run, close a tool call or free memory: they must fit when Redis is full (design 4.2). */
const MUST_FIT = [
  'settle-task',
  'mark-cancel',
  'take-over-task',
  'mark-effect',
  'delete-task',
  'close-context',
  'end-token',
];

function numbers(set: ReadonlySet<number>): number[] {
  return [...set].sort((a, b) => a - b);
}

describe('lua/', () => {
  it('should hold the scripts', () => {
    expect(sources.length).toBeGreaterThanOrEqual(10);
    expect(MUST_FIT.filter((name) => !sources.some((source) => source.name === name))).toEqual([]);
  });

  describe.each(sources)('$file', (source) => {
    it('should be named verb-noun-<keys> and start as a script that Redis checks', () => {
      expect(source.file).toMatch(/^[a-z]+(-[a-z]+)+-\d+\.lua$/);
      expect(source.lines[0]).toMatch(/^#!lua( flags=(allow-oom|no-writes))?$/);
      expect(source.lines[1]).toBe('--[[');
      expect(source.header).toMatch(/^Output/m);
      expect(source.lines.length).toBeLessThanOrEqual(100);
    });

    it('should use exactly the keys that its header and its name promise', () => {
      const promised = numbers(documented(source, 'KEYS').closed);
      expect(promised).toEqual(Array.from({ length: source.suffix }, (_, i) => i + 1));
      expect(numbers(used(source, 'KEYS').closed)).toEqual(promised);
    });

    it('should use exactly the arguments that its header names', () => {
      const promised = documented(source, 'ARGV');
      const real = used(source, 'ARGV');
      const last = promised.closed.size;
      const reached = new Set(real.closed);
      // A script that appends one event alone names it as its last argument.
      if (real.open !== undefined && promised.open === undefined) reached.add(real.open);
      expect(numbers(promised.closed)).toEqual(Array.from({ length: last }, (_, i) => i + 1));
      expect(numbers(reached)).toEqual(numbers(promised.closed));
      if (promised.open !== undefined) {
        expect([promised.open, real.open]).toEqual([last + 1, last + 1]);
      }
    });

    it('should document every refusal it can return, and no other', () => {
      const real = refusals(source.body);
      source.includes
        .filter((name) => ['check_owner', 'used_before', 'no_place'].includes(name))
        .forEach((name) => {
          refusals(includeSource(name)).forEach((code) => real.add(code));
        });
      const output = source.header.slice(source.header.search(/^Output/m));
      expect(numbers(real)).toEqual(numbers(refusals(output)));
    });

    it('should address keys by KEYS alone and payloads by no JSON decoder', () => {
      for (const [call, key] of source.body.matchAll(/redis\.call\('\w+', ([^,)]+)/g)) {
        expect(key, call).not.toMatch(/['"]|\.\./);
      }
      expect(source.body).not.toContain('cjson');
      expect(source.body).not.toMatch(/\bos\.|math\.random/);
    });

    it('should carry the flag that its writes ask for', () => {
      const expected = MUST_FIT.includes(source.name)
        ? '#!lua flags=allow-oom'
        : WRITES.test([source.body, ...source.includes.map(includeSource)].join('\n'))
          ? '#!lua'
          : '#!lua flags=no-writes';
      expect(source.lines[0]).toBe(expected);
    });

    it('should have a spec of its own on a real Redis', () => {
      expect(existsSync(join(SPECS, `${source.name}.int-spec.ts`))).toBe(true);
    });
  });
});

describe('the contract itself', () => {
  const good = [
    '#!lua',
    '--[[',
    'Says something.',
    '',
    'KEYS[1] a  KEYS[2..3] b',
    '',
    'ARGV[1] x  ARGV[2..] events',
    '',
    'Output {1}, {-1} missing',
    ']]',
    'if ARGV[1] then return { -1 } end',
    "for i = 1, 3 do redis.call('DEL', KEYS[i]) end",
    'local seq = append_events(KEYS[1], KEYS[2], 1, 1, 2)',
    'return { 1 }',
  ].join('\n');

  it('should see a key, an argument and a code that the header lacks', () => {
    const source = parseLua('do-it-3.lua', good);
    expect(numbers(documented(source, 'KEYS').closed)).toEqual([1, 2, 3]);
    expect(numbers(used(source, 'KEYS').closed)).toEqual([1, 2, 3]);
    expect(documented(source, 'ARGV')).toEqual(used(source, 'ARGV'));
    const more = parseLua('do-it-3.lua', `${good}\nreturn { -3, KEYS[4], ARGV[9] }`);
    expect(numbers(used(more, 'KEYS').closed)).toEqual([1, 2, 3, 4]);
    expect(numbers(used(more, 'ARGV').closed)).toEqual([1, 9]);
    expect(numbers(refusals(more.body))).toEqual([-3, -1]);
  });
});
