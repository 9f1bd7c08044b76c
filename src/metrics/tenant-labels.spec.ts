import { describe, expect, it } from 'vitest';
import { TenantLabels } from './tenant-labels.js';

describe('TenantLabels', () => {
  it('should name the first tenants and count all others together', () => {
    const labels = new TenantLabels();
    labels.limit(2);
    expect(['a', 'b', 'c', 'a', 'd', 'b'].map((tenant) => labels.of(tenant))).toEqual([
      'a',
      'b',
      'other',
      'a',
      'other',
      'b',
    ]);
  });

  it('should keep the names that it gave when the bound shrinks, and give no more', () => {
    const labels = new TenantLabels();
    labels.limit(1);
    labels.of('a');
    labels.limit(0);
    expect([labels.of('a'), labels.of('b')]).toEqual(['a', 'other']);
  });

  it('should name fifty unless told otherwise', () => {
    const labels = new TenantLabels();
    const seen = Array.from({ length: 60 }, (_, n) => labels.of(`t${n}`));
    expect(seen.filter((label) => label === 'other')).toHaveLength(10);
  });
});
