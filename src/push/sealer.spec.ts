import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Sealer } from './sealer.js';

const key = randomBytes(32).toString('hex');
const place = ['acme', 'task', 'hook'];
const secret = '{"token":"geheim 告警"}';

describe('Sealer', () => {
  it('should open what it has sealed, and show nothing of it', () => {
    const sealed = new Sealer(key).seal(secret, place);
    expect(new Sealer(key).open(sealed, place)).toBe(secret);
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/);
    expect(Buffer.from(sealed.split('.')[2]!, 'base64url').toString()).not.toContain('geheim');
    expect(sealed).not.toContain(key.slice(0, 8));
  });

  it('should give other bytes every time', () => {
    const sealer = new Sealer(key);
    expect(sealer.seal(secret, place)).not.toBe(sealer.seal(secret, place));
  });

  it('should open nothing at another place, nor with another key', () => {
    const sealed = new Sealer(key).seal(secret, place);
    for (const other of [
      ['evil', 'task', 'hook'],
      ['acme', 'task'],
      ['acme', 'task', 'hook', ''],
    ]) {
      expect(new Sealer(key).open(sealed, other)).toBeUndefined();
    }
    expect(new Sealer('0'.repeat(64)).open(sealed, place)).toBeUndefined();
  });

  it('should open nothing that was altered', () => {
    const sealer = new Sealer(key);
    const [version = '', keyId = '', body = ''] = sealer.seal(secret, place).split('.');
    const bytes = Buffer.from(body, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const altered = Buffer.from(bytes);
      altered[at]! ^= 1;
      const text = [version, keyId, altered.toString('base64url')].join('.');
      expect(sealer.open(text, place)).toBeUndefined();
    }
    const short = [version, keyId, bytes.subarray(0, 20).toString('base64url')].join('.');
    for (const text of ['', 'v1', `v2.${keyId}.${body}`, short, secret]) {
      expect(sealer.open(text, place)).toBeUndefined();
    }
  });
});
