import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../config/config-error.js';
import { hashToken } from '../../config/token-secret.js';
import { planLaunch } from './plan.js';

const PRESET = `nj_${'p'.repeat(43)}`;
const REDIS = { REDIS_URL: 'redis://127.0.0.1:6379' };

describe('planLaunch', () => {
  it('should have a demo with the embedded Redis, its token only as a hash in the children', () => {
    const plan = planLaunch({ instances: 1 }, { NIGHTJAR_DEMO_TOKEN: PRESET });
    expect(plan).toMatchObject({ embedded: true, demoToken: PRESET });
    expect(plan.config.tenants.map(({ id }) => id)).toEqual(['demo']);
    expect(plan.config.tokens[0]?.sha256).toBe(hashToken(PRESET));
    expect(JSON.stringify(plan.env)).not.toContain(PRESET);
  });

  it('should make an admin token where the API is on, and leave one that is given', () => {
    const plan = planLaunch({ instances: 1 }, {});
    const hashes = plan.config.tokens.filter(({ scopes }) => scopes.includes('admin'));
    expect(hashes.map(({ sha256 }) => sha256)).toEqual([hashToken(plan.adminToken ?? '')]);
    expect(JSON.stringify(plan.env)).not.toContain(plan.adminToken);
    const given = planLaunch({ instances: 1 }, { NIGHTJAR_ADMIN_TOKEN: PRESET });
    expect(given.adminToken).toBeUndefined();
    const open = planLaunch({ instances: 1 }, { MANAGEMENT_HOST: '0.0.0.0' });
    expect([open.adminToken, open.config.admin.enabled]).toEqual([undefined, false]);
  });

  it('should make up a token of its own each time', () => {
    const [a, b] = [0, 1].map(() => planLaunch({ instances: 1 }, {}).demoToken);
    expect(a).toMatch(/^nj_[\w-]{43}$/);
    expect(a).not.toBe(b);
  });

  it('should have no demo with a Redis of the operator’s, unless asked', () => {
    expect(planLaunch({ instances: 1 }, REDIS)).toMatchObject({ embedded: false });
    expect(planLaunch({ instances: 1 }, REDIS).demoToken).toBeUndefined();
    expect(planLaunch({ instances: 1, demo: true }, REDIS).demoToken).toBeDefined();
    expect(planLaunch({ instances: 1, demo: false }, {}).config.demo).toBe(false);
  });

  it('should refuse a preset token where others reach it, and only there', () => {
    const open = { HOST: '0.0.0.0' };
    const preset = { ...open, NIGHTJAR_DEMO_TOKEN: PRESET };
    expect(() => planLaunch({ instances: 1 }, preset)).toThrow('for loopback only');
    expect(() => planLaunch({ instances: 1, demo: true }, { ...REDIS, ...preset })).toThrow(
      'for loopback only',
    );
    expect(planLaunch({ instances: 1 }, open).demoToken).toBeDefined();
    expect(planLaunch({ instances: 1, demo: false }, preset).demoToken).toBeUndefined();
  });

  it('should refuse a preset token that is none', () => {
    expect(() => planLaunch({ instances: 1 }, { NIGHTJAR_DEMO_TOKEN: 'short' })).toThrow(
      ConfigError,
    );
  });
});
