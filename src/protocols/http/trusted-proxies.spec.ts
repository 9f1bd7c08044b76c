import { describe, expect, it } from 'vitest';
import { TrustedProxies } from './trusted-proxies.js';

describe('TrustedProxies', () => {
  const proxies = new TrustedProxies(['127.0.0.0/8', '::1', '10.1.2.3', 'fd00::/8']);

  it.each([
    ['127.0.0.1', true],
    ['::ffff:127.0.0.1', true],
    ['::1', true],
    ['10.1.2.3', true],
    ['fd12::1', true],
    ['10.1.2.4', false],
    ['128.0.0.1', false],
    ['fe80::1', false],
    ['', false],
    ['localhost', false],
    [undefined, false],
  ])('should say of %s: %s', (address, trusted) => {
    expect(proxies.has(address)).toBe(trusted);
  });

  it('should trust nobody when nothing is configured', () => {
    expect(new TrustedProxies([]).has('127.0.0.1')).toBe(false);
  });
});
