import { describe, expect, it } from 'vitest';
import type { TokenRecord } from '../store/token.store.js';
import { expiryOf, tokenTable } from './token-text.js';

const NOW = Date.parse('2026-11-30T12:00:00Z');

describe('expiryOf', () => {
  it.each([
    ['90m', '2026-11-30T13:30:00.000Z'],
    ['12h', '2026-12-01T00:00:00.000Z'],
    ['30d', '2026-12-30T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T08:00:00+02:00', '2027-01-31T06:00:00.000Z'],
  ])('should read %s as %s', (text, at) => {
    expect(new Date(expiryOf(text, NOW) ?? 0).toISOString()).toBe(at);
  });

  it.each([
    '',
    '5',
    '10w',
    '-1d',
    'tomorrow',
    '2027-13-01',
    '2027-02-30',
    '2027-04-31T00:00:00Z',
    '0d',
    '2020-01-01',
  ])('should refuse %j', (text) => {
    expect(() => expiryOf(text, NOW)).toThrow('--expires');
  });

  it('should be without an end when none is asked for', () => {
    expect(expiryOf(undefined, NOW)).toBeUndefined();
  });
});

describe('tokenTable', () => {
  const record = (overrides: Partial<TokenRecord>): TokenRecord => ({
    sha256: 'abcdef0123456789'.repeat(4),
    tenant: 'acme',
    user: 'ann',
    label: '',
    scopes: ['a2a', 'mcp'],
    created: NOW,
    ...overrides,
  });

  it('should say of each token whether it works', () => {
    const lines = tokenTable(
      [
        record({ label: 'laptop' }),
        record({ expires: NOW + 1 }),
        record({ expires: NOW }),
        record({ revoked: NOW, expires: NOW + 1 }),
      ],
      NOW,
    ).split('\n');
    expect(lines[1]).toMatch(/^abcdef0123456789 {2}acme.* valid +laptop$/);
    expect(lines[2]).toContain('until 2026-11-30T12:00Z');
    expect(lines[3]).toContain('expired 2026-11-30');
    expect(lines[4]).toContain('revoked 2026-11-30');
  });

  it('should show the minute of the last use, and an end far off by its day', () => {
    const used = NOW - 59_000;
    const [, line] = tokenTable([record({ lastUsed: used, expires: NOW + 9e8 })], NOW).split('\n');
    expect(line).toContain('2026-11-30T11:59Z  until 2026-12-10');
  });

  it('should keep a token to one line that does nothing to a terminal', () => {
    const text = tokenTable([record({ label: '\u001b[2J\n\u202efake', user: 'a\u009b1m' })], NOW);
    expect(text.trimEnd().split('\n')).toHaveLength(2);
    expect(text).not.toMatch(/[\u001b\u009b\u202e]/);
  });
});
