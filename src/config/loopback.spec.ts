import { describe, expect, it } from 'vitest';
import { isLoopback } from './loopback.js';

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
