import { describe, expect, it } from 'vitest';
import { httpOrigin, reachable } from './ports.js';

describe('addresses', () => {
  it('should be written as a URL has them, and reached where they listen', () => {
    expect(httpOrigin('127.0.0.1', 80)).toBe('http://127.0.0.1:80');
    expect(httpOrigin(reachable('::'), 80)).toBe('http://[::1]:80');
    expect(httpOrigin('127.0.0.1', 80, true)).toBe('https://127.0.0.1:80');
    expect(reachable('0.0.0.0')).toBe('127.0.0.1');
    expect(reachable('10.0.0.1')).toBe('10.0.0.1');
  });
});
