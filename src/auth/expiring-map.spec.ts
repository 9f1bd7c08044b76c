import { describe, expect, it } from 'vitest';
import { ExpiringMap } from './expiring-map.js';

describe('ExpiringMap', () => {
  it('should forget an entry a fixed time after it was true, not after it was set', () => {
    let now = 100;
    const map = new ExpiringMap<string>(10, 5, () => now);
    map.set('a', 'x', 95);
    now = 104;
    expect(map.get('a')).toBe('x');
    now = 105;
    expect(map.get('a')).toBeUndefined();
    expect(map.size).toBe(0);
  });

  it('should never hold more than its bound, and give up the oldest', () => {
    const map = new ExpiringMap<number>(10, 3, () => 0);
    for (let key = 0; key < 100; key += 1) map.set(String(key), key, 0);
    expect(map.size).toBe(3);
    expect(map.get('96')).toBeUndefined();
    expect(map.get('97')).toBe(97);
  });

  it('should count an entry that is set again once, and as the newest', () => {
    const map = new ExpiringMap<number>(10, 2, () => 0);
    map.set('a', 1, 0);
    map.set('b', 1, 0);
    map.set('a', 2, 0);
    map.set('c', 1, 0);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([2, undefined, 1]);
  });
});
