import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInRange, isPublicAddress, rangeOf } from './addresses.js';

describe('isPublicAddress', () => {
  it.each([
    ['9.255.255.255', true],
    ['10.0.0.0', false],
    ['10.255.255.255', false],
    ['11.0.0.0', true],
    ['100.63.255.255', true],
    ['100.64.0.0', false],
    ['100.127.255.255', false],
    ['100.128.0.0', true],
    ['172.15.255.255', true],
    ['172.16.0.0', false],
    ['172.32.0.0', true],
    ['168.63.129.15', true],
    ['168.63.129.16', false],
    ['198.17.255.255', true],
    ['198.20.0.0', true],
    ['223.255.255.255', true],
    ['224.0.0.0', false],
    ['1fff::1', false],
    ['2000::', true],
    ['2001:1ff:ffff::', false],
    ['2001:200::', true],
    ['2a00:1450:4001:81b::200e', true],
    ['3ffe::1', true],
    ['3fff:1000::1', true],
    ['4000::', false],
    ['::ffff:8.8.8.8', true],
    ['fe80::1%eth0', false],
    ['', false],
    ['example.com', false],
    ['127.1', false],
  ])('should say of %s: %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });

  it('should judge an IPv4-mapped address like the IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
      }),
    );
  });

  it('should find nothing public outside 2000::/3', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        if (/^(?:[23][0-9a-f]{3}:|::ffff:|0*:)/i.test(address)) return;
        expect(isPublicAddress(address)).toBe(false);
      }),
    );
  });
});

describe('isInRange', () => {
  it.each([
    ['10.2.3.4', '10.2.0.0/16', true],
    ['10.3.3.4', '10.2.0.0/16', false],
    ['::ffff:10.2.3.4', '10.2.0.0/16', true],
    ['10.2.3.4', '0.0.0.0/0', true],
    ['::1', '0.0.0.0/0', false],
    ['10.2.3.4', '10.2.3.4', true],
    ['10.2.3.5', '10.2.3.4/31', true],
    ['10.2.3.6', '10.2.3.4/31', false],
    ['fd00:1::5', 'fd00:1::/33', true],
    ['fd00:1:8000::5', 'fd00:1::/33', false],
    ['nonsense', '0.0.0.0/0', false],
  ])('should say of %s in %s: %s', (address, range, inside) => {
    expect(isInRange(address, rangeOf(range))).toBe(inside);
  });

  it('should not take a name for a range', () => {
    expect(() => rangeOf('hooks.internal')).toThrow(RangeError);
  });
});
