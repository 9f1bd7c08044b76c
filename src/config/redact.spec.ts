import { describe, expect, it } from 'vitest';
import { loadConfig } from './load-config.js';
import { redact } from './redact.js';

describe('redact', () => {
  it('should leave no secret behind', () => {
    const yaml = JSON.stringify({
      redis: {
        url: { env: 'R' },
        sentinel: { username: 'watch', password: { env: 'T' } },
        tls: { cert: { env: 'C' }, key: { env: 'T' } },
      },
      tenants: [
        {
          id: 'acme',
          assistant: { backend: 'module', module: '/m.mjs', options: { key: 'secret-option' } },
          sources: [
            {
              type: 'alertmanager',
              name: 'am',
              url: 'http://am',
              auth: { kind: 'bearer', token: { env: 'T' } },
              headers: { 'X-Key': { env: 'T' } },
            },
            {
              type: 'prometheus',
              name: 'p',
              url: 'http://p',
              auth: { kind: 'basic', username: 'ops', password: { env: 'T' } },
            },
          ],
        },
      ],
      tokens: [{ tenant: 'acme', user: 'ann', sha256: 'cd'.repeat(32) }],
    });
    const config = loadConfig({
      environment: {
        R: 'rediss+sentinel://user:secret-redis@r:1/m',
        T: 'secret-token',
        C: 'public-cert',
      },
      file: '/c.yaml',
      files: { read: () => yaml, exists: () => true },
    });
    const shown = JSON.stringify(redact(config));
    expect(shown).not.toMatch(/secret-|cdcd/);
    expect(shown).toContain('rediss+sentinel://user:redacted@r:1/m');
    expect(shown).toContain('X-Key');
  });
});
