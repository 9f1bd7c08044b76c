import { describe, expect, it } from 'vitest';
import type { TenantConfig } from '../../config/config.types.js';
import { DEFAULT_LIMITS } from '../../config/limits.js';
import { bodyCeilings } from './body-ceilings.js';

function tenant(over: Partial<TenantConfig['limits']>): TenantConfig {
  return { limits: { ...DEFAULT_LIMITS, ...over } } as TenantConfig;
}

describe('bodyCeilings', () => {
  it('should be the widest of all tenants on each surface, and the default without any', () => {
    const { a2aBodyBytes, mcpBodyBytes } = DEFAULT_LIMITS;
    const wide = tenant({ a2aBodyBytes: a2aBodyBytes * 2 });
    const narrow = tenant({ a2aBodyBytes: 1, mcpBodyBytes: 1 });
    expect(bodyCeilings([narrow, wide])).toEqual({ a2aBodyBytes: a2aBodyBytes * 2, mcpBodyBytes });
    expect(bodyCeilings([narrow])).toEqual({ a2aBodyBytes: 1, mcpBodyBytes: 1 });
    expect(bodyCeilings([])).toEqual({ a2aBodyBytes, mcpBodyBytes });
  });
});
