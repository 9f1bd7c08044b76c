import { describe, expect, it } from 'vitest';
import { bearerSecret, presentedSecrets } from './credentials.js';

describe('presentedSecrets', () => {
  it.each([
    [[], []],
    [['Host', 'x', 'X-USER-TOKEN', 'abc'], ['abc']],
    [['authorization', 'Bearer abc'], ['abc']],
    [['Authorization', 'bearer  abc '], ['abc']],
    // The same token twice is one token.
    [['X-User-Token', 'abc', 'Authorization', 'Bearer abc'], ['abc']],
    [
      ['X-User-Token', 'abc', 'Authorization', 'Bearer def'],
      ['abc', 'def'],
    ],
    // Node would show only the first of two Authorization headers.
    [
      ['Authorization', 'Bearer abc', 'Authorization', 'Bearer def'],
      ['abc', 'def'],
    ],
    [
      ['X-User-Token', 'abc', 'x-user-token', 'def'],
      ['abc', 'def'],
    ],
    [['Authorization', 'Basic dTpw'], []],
    [['Authorization', 'Basic dTpw', 'X-User-Token', 'abc'], ['abc']],
    [['X-User-Token', ''], []],
    [['Authorization', 'Bearer '], []],
  ])('should find in %j the secrets %j', (headers, secrets) => {
    expect(presentedSecrets(headers, 'X-User-Token')).toEqual(secrets);
  });
});

describe('bearerSecret', () => {
  it('should take no other scheme', () => {
    expect(bearerSecret('Bearerabc')).toBeUndefined();
    expect(bearerSecret('Token abc')).toBeUndefined();
    expect(bearerSecret(undefined)).toBeUndefined();
  });
});
