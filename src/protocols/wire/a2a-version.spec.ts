import { describe, expect, it } from 'vitest';
import { requestedVersion, requireVersion } from './a2a-version.js';
import { activatedExtensions } from './extensions.js';

describe('requestedVersion', () => {
  it.each([
    [undefined, {}, undefined],
    ['', {}, undefined],
    ['1.0', {}, '1.0'],
    [' 1.0 ', {}, '1.0'],
    ['1.0.3', {}, '1.0'],
    ['0.3.0', {}, '0.3'],
    ['1.0, 1.0', {}, '1.0'],
    ['1.0, 0.3', {}, '1.0, 0.3'],
    ['1', {}, '1'],
    ['v1.0', {}, 'v1.0'],
    [undefined, { 'A2A-Version': '1.0' }, '1.0'],
    [undefined, { 'a2a-version': '0.3.1' }, '0.3'],
    ['0.3', { 'A2A-Version': '1.0' }, '0.3'],
    ['', { 'A2A-Version': '1.0' }, '1.0'],
    [undefined, { 'A2A-Version': ['1.0', '0.3'] }, '1.0,0.3'],
    [undefined, null, undefined],
  ])('should read header %j and query %j as %j', (header, query, version) => {
    const headers = header === undefined ? {} : { 'a2a-version': header };
    expect(requestedVersion(headers, query)).toBe(version);
  });

  it('should refuse only an explicit, different version', () => {
    expect(() => {
      requireVersion(undefined, '1.0', 'x');
      requireVersion('1.0', '1.0', 'x');
    }).not.toThrow();
    expect(() => {
      requireVersion('0.3', '1.0', '/a2a/v1');
    }).toThrow('A2A version "0.3" is not supported on /a2a/v1, which speaks 1.0');
  });
});

describe('activatedExtensions', () => {
  const supported = ['https://example.org/a', 'https://example.org/b'];

  it.each([
    [undefined, []],
    ['', []],
    ['https://example.org/c', []],
    [' https://example.org/b , https://example.org/c', ['https://example.org/b']],
    [['https://example.org/b', 'https://example.org/a'], supported],
  ])('should activate of %j the known ones', (header, active) => {
    expect(activatedExtensions(header, supported)).toEqual(active);
  });

  it('should look at a bounded number of them', () => {
    const header = `${'x,'.repeat(1000)}https://example.org/a`;
    expect(activatedExtensions(header, supported)).toEqual([]);
  });
});
