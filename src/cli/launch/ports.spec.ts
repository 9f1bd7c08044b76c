import { describe, expect, it } from 'vitest';
import { httpOrigin, isLoopback, reachable } from './ports.js';

describe('isLoopback', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['10.0.0.1', false],
    ['127.evil.example', false],
  ])('should say of %s: %s', (host, loopback) => {
    expect(isLoopback(host)).toBe(loopback);
  });
});

describe('addresses', () => {
  it('should be written as a URL has them, and reached where they listen', () => {
    expect(httpOrigin('127.0.0.1', 80)).toBe('http://127.0.0.1:80');
    expect(httpOrigin(reachable('::'), 80)).toBe('http://[::1]:80');
    expect(reachable('0.0.0.0')).toBe('127.0.0.1');
    expect(reachable('10.0.0.1')).toBe('10.0.0.1');
  });
});
