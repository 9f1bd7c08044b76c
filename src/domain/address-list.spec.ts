import { describe, expect, it } from 'vitest';
import { AddressList } from './address-list.js';

describe('AddressList', () => {
  const proxies = new AddressList(['127.0.0.0/8', '::1', '10.1.2.3', 'fd00::/8']);

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

  it('should hold nobody when nothing is listed', () => {
    expect(new AddressList([]).has('127.0.0.1')).toBe(false);
  });
});
