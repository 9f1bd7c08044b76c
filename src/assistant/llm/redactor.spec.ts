import { describe, expect, it } from 'vitest';
import { Redactor } from './redactor.js';
import { StreamRedactor } from './stream-redactor.js';
import { cpuMs } from '../../../test/support/cpu-time.js';

describe('Redactor', () => {
  it.each([
    ['sk-proj-0123456789abcdefXYZ', '[redacted]'],
    ['key sk_live_0123456789ab.', 'key [redacted].'],
    ['AKIAIOSFODNN7EXAMPLE', '[redacted]'],
    ['xoxb-1234567890-abc', '[redacted]'],
    ['a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln b', 'a [redacted] b'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----!', '[redacted]!'],
    ['-----BEGIN PRIVATE KEY-----\nabc', '[redacted]'],
    ['Authorization: Bearer abc123def456ghi', 'Authorization: Bearer [redacted]'],
    ['{"password":"hunter2","a":1}', '{"password":"[redacted]","a":1}'],
    [String.raw`"{\"api_key\": \"abcd1234\"}"`, String.raw`"{\"api_key\": \"[redacted]\"}"`],
    ['DB_PASSWORD=correcthorse', 'DB_PASSWORD=[redacted]'],
    ['token: 0123456789abcdef0123', 'token: [redacted]'],
    ['postgres://app:pw@db/x', 'postgres://db/x'],
  ])('should hide what looks like a secret: %s', (text, shown) => {
    expect(new Redactor([]).hide(text)).toBe(shown);
  });

  it.each([
    'The password: expired for three users',
    'kube_secret_info{secret="db-credentials"} > 0',
    'sum by (token) (rate(http_requests_total[5m]))',
    'basic authentication fails on disk-var-lib-postgresql-data',
    'http://10.0.0.5:9100/metrics answered 503 @ 12:00',
    '最近一小时 checkout 的严重告警',
  ])('should leave alone: %s', (text) => {
    expect(new Redactor([]).hide(text)).toBe(text);
  });

  it('should hide a known secret in each form, also within another, also cut off', () => {
    const secret = 'pa"ss/wörd-long';
    const redactor = new Redactor([secret, `${secret}-and-more`]);
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      `${secret}-and-more`,
      'pa"ss/wör…',
    ];
    for (const form of forms) {
      expect(redactor.hide(`<${form}>`)).toMatch(/^<\[redacted\][=…]*>$/);
    }
    expect(redactor.hide('nothing cut…')).toBe('nothing cut…');
  });

  it('should not look for a secret that is shorter than six characters', () => {
    expect(new Redactor(['prod']).hide('prod')).toBe('prod');
  });

  it('should hide in documents, and keep their shape', () => {
    const redactor = new Redactor(['secret-1']);
    expect(redactor.hideIn({ a: ['secret-1', 1, null], b: { c: 'x secret-1' } })).toEqual({
      a: ['[redacted]', 1, null],
      b: { c: 'x [redacted]' },
    });
  });

  it('should hide names of fields, and what a field of such a name holds', () => {
    const redactor = new Redactor(['secret-1']);
    expect(
      redactor.hideIn({ 'x secret-1': 1, DB_PASSWORD: 'abcd', password: { a: 'abcd' } }),
    ).toEqual({
      'x [redacted]': 1,
      DB_PASSWORD: '[redacted]',
      password: { a: 'abcd' },
    });
  });

  it('should be quick on text that is made to be slow', () => {
    const texts = ['password='.repeat(20_000), 'a://'.repeat(50_000), 'eyJ'.repeat(60_000)];
    const begun = cpuMs();
    for (const text of texts) new Redactor(['secret-1']).hide(`${text}…`);
    expect(cpuMs() - begun).toBeLessThan(2000);
  });
});

describe('StreamRedactor', () => {
  it('should see a secret that comes in pieces, and lose no character', () => {
    const text = 'The key is secret-key-1, 密钥 secret-key-1。End';
    for (let size = 1; size < 12; size += 1) {
      const stream = new StreamRedactor(new Redactor(['secret-key-1']));
      let shown = '';
      for (let at = 0; at < text.length; at += size) {
        shown += stream.push(text.slice(at, at + size));
      }
      shown += stream.flush();
      expect(shown).toBe('The key is [redacted], 密钥 [redacted]。End');
    }
  });

  it.each([
    ['a pass phrase', ['open sesame please'], 'say xopen sesame please now', 'say x[redacted] now'],
    [
      'one that begins like it',
      ['open sesame please'],
      'say open sesame now',
      'say open sesame now',
    ],
    ['one beside a word', ['b open', 'ab-secret'], 'ab-secret openly', '[redacted] openly'],
    ['one in Chinese', ['芝麻开门吧芝麻'], '说芝麻开门吧芝麻。芝麻', '说[redacted]。芝麻'],
    [
      'a private key',
      [],
      'k: -----BEGIN PRIVATE KEY-----\nMII ab\nxyz\n-----END PRIVATE KEY-----.',
      'k: [redacted].',
    ],
    [
      'a public one',
      [],
      'k: -----BEGIN CERTIFICATE-----\nMII ab\n',
      'k: -----BEGIN CERTIFICATE-----\nMII ab\n',
    ],
  ])('should see %s that comes in pieces', (_what, secrets, text, shown) => {
    for (let size = 1; size < 12; size += 1) {
      const stream = new StreamRedactor(new Redactor(secrets));
      let told = '';
      for (let at = 0; at < text.length; at += size) told += stream.push(text.slice(at, at + size));
      expect(told + stream.flush()).toBe(shown);
    }
  });

  it('should hold back a word only, and Han characters not at all', () => {
    const stream = new StreamRedactor(new Redactor([]));
    expect(stream.push('one two')).toBe('one ');
    expect(stream.push(' 告警')).toBe('two 告警');
    expect(stream.push('x'.repeat(3000))).toHaveLength(3000);
  });
});
