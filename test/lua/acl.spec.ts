import { describe, expect, it } from 'vitest';
import { includeSource, luaSources } from '../support/lua-source.js';
import { documentedAcl } from '../support/redis-acl.js';

describe('the Redis rights in docs/security.md', () => {
  it('should let every script run: a command that is missing there is refused half-way', () => {
    const granted = documentedAcl('gateway', 'x');
    const called = luaSources().flatMap(({ body, includes }) =>
      [
        ...[body, ...includes.map(includeSource)].join('\n').matchAll(/redis\.call\('([A-Z]+)'/g),
      ].map(([, name]) => name ?? ''),
    );
    const missing = new Set(
      called.filter(
        (name) => !granted.some((word) => word.split('|')[0] === `+${name.toLowerCase()}`),
      ),
    );
    expect(called.length).toBeGreaterThan(100);
    expect([...missing]).toEqual([]);
  });
});
