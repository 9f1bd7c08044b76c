import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.js';
import type { GatewayConfig } from './config.types.js';
import { loadConfig } from './load-config.js';
import { redact } from './redact.js';

const key = randomBytes(32);

function load(push: object, secret = key.toString('base64')): GatewayConfig {
  return loadConfig({
    environment: { REDIS_URL: 'redis://r:1', PUSH_KEY: secret },
    file: '/nightjar.yaml',
    files: { read: () => JSON.stringify({ push }), exists: () => true },
  });
}

function faultsOf(push: object, secret?: string): readonly string[] {
  try {
    load(push, secret);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

const encryptionKey = { env: 'PUSH_KEY' };

describe('the push section', () => {
  it.each([{}, { enabled: false }, { enabled: false, encryptionKey: { env: 'NOT_SET' } }])(
    'should leave push off with %j',
    (push) => {
      expect(load(push)).not.toHaveProperty('push');
    },
  );

  it('should be strict by default once it is on', () => {
    expect(load({ enabled: true, encryptionKey }).push).toEqual({
      encryptionKey: key.toString('hex'),
      allowHttp: false,
      allowPrivate: [],
      timeoutMs: 15_000,
      pollMs: 1000,
      retryBaseMs: 1000,
      retryMaxMs: 300_000,
      giveUpSeconds: 86_400,
      concurrency: 64,
    });
  });

  it.each(['hex', 'base64', 'base64url'] as const)('should read a key as %s', (encoding) => {
    const { push } = load({ enabled: true, encryptionKey }, key.toString(encoding));
    expect(push?.encryptionKey).toBe(key.toString('hex'));
  });

  it.each([
    [{ enabled: true }, 'push.encryptionKey', undefined],
    [{ enabled: true, encryptionKey: 'inline' }, 'push.encryptionKey', undefined],
    [{ enabled: true, encryptionKey: { env: 'NOT_SET' } }, 'push.encryptionKey.env', undefined],
    [{ enabled: true, encryptionKey }, 'push.encryptionKey', 'too short'],
    [{ enabled: true, encryptionKey }, 'push.encryptionKey', 'ab'.repeat(16)],
    [{ enabled: true, encryptionKey }, 'push.encryptionKey', `${'A'.repeat(42)}!`],
    [{ allowPrivate: ['http://x'] }, 'push.allowPrivate', undefined],
    [{ allowPrivate: ['10.0.0.0/99'] }, 'push.allowPrivate', undefined],
    [{ allowPrivate: ['UPPER.case'] }, 'push.allowPrivate', undefined],
    [{ allowPrivate: '10.0.0.0/8' }, 'push.allowPrivate', undefined],
    [{ timeoutMs: 0 }, 'push.timeoutMs', undefined],
    [
      { enabled: true, encryptionKey, retryBaseMs: 5000, retryMaxMs: 1000 },
      'push.retryMaxMs',
      undefined,
    ],
    [{ unknown: 1 }, 'push.unknown', undefined],
  ])('should name the fault of %j at %s', (push, place, secret) => {
    const faults = faultsOf(push, secret);
    expect(faults.some((fault) => fault.includes(`${place}:`))).toBe(true);
    if (secret !== undefined) expect(faults.join()).not.toContain(secret);
  });

  it('should not show the key', () => {
    const shown = JSON.stringify(redact(load({ enabled: true, encryptionKey })));
    expect(shown).toContain('"timeoutMs"');
    expect(shown).not.toContain(key.toString('hex'));
  });
});
