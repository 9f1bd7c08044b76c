import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gatewayConfig } from '../../test/support/gateway-config.js';
import { MemoryTokenStore } from '../../test/support/token-store.js';
import { generateToken, hashToken } from '../config/token-secret.js';
import type { TokenRecord } from '../store/token.store.js';
import { CACHE_MS, TokenVerifier } from './token.verifier.js';

const SECRET = generateToken();

function record(overrides: Partial<TokenRecord> = {}): TokenRecord {
  return {
    sha256: hashToken(SECRET),
    tenant: 'acme',
    user: 'ann',
    label: '',
    scopes: ['a2a'],
    created: 0,
    ...overrides,
  };
}

function build(...records: TokenRecord[]): { verifier: TokenVerifier; store: MemoryTokenStore } {
  const store = new MemoryTokenStore();
  records.forEach((entry) => store.records.set(entry.sha256, entry));
  return { verifier: new TokenVerifier(gatewayConfig(), store), store };
}

describe('TokenVerifier', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('should know a stored token and say whom it proves', async () => {
    const { verifier } = build(record());
    expect(await verifier.verify(SECRET)).toEqual({
      tenant: 'acme',
      user: 'ann',
      scopes: ['a2a'],
      sha256: hashToken(SECRET),
    });
  });

  it('should know a configured token without asking the store', async () => {
    const store = new MemoryTokenStore();
    const config = gatewayConfig({
      tenants: [{ id: 'acme' }],
      tokens: [{ tenant: 'acme', user: 'bob', sha256: hashToken(SECRET), scopes: ['mcp'] }],
    });
    const verifier = new TokenVerifier(config, store);
    expect(await verifier.verify(SECRET)).toEqual({
      tenant: 'acme',
      user: 'bob',
      scopes: ['mcp'],
      sha256: hashToken(SECRET),
    });
    expect(store.asked).toBe(0);
  });

  it('should refuse a revoked token within a second, and not before it must ask again', async () => {
    const { verifier, store } = build(record());
    await verifier.verify(SECRET);
    await store.end(hashToken(SECRET), 'revoked', 1);
    vi.advanceTimersByTime(CACHE_MS - 1);
    expect(await verifier.verify(SECRET)).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(await verifier.verify(SECRET)).toBeUndefined();
    expect(store.asked).toBe(2);
  });

  it('should count the second from the question, not from a slow answer', async () => {
    const { verifier, store } = build(record());
    const find = store.find.bind(store);
    store.find = async (sha256) => {
      const answer = await find(sha256);
      vi.advanceTimersByTime(700);
      return answer;
    };
    await verifier.verify(SECRET);
    vi.advanceTimersByTime(300);
    await verifier.verify(SECRET);
    expect(store.asked).toBe(2);
  });

  it('should refuse an expired token even while it is cached', async () => {
    vi.setSystemTime(10_000);
    const { verifier } = build(record({ expires: 10_500 }));
    expect(await verifier.verify(SECRET)).toBeDefined();
    vi.advanceTimersByTime(500);
    expect(await verifier.verify(SECRET)).toBeUndefined();
  });

  it('should remember wrong tokens, so that repeating one asks once', async () => {
    const { verifier, store } = build();
    for (let i = 0; i < 5; i += 1) expect(await verifier.verify(SECRET)).toBeUndefined();
    expect(store.asked).toBe(1);
    await store.create(record());
    vi.advanceTimersByTime(CACHE_MS);
    expect(await verifier.verify(SECRET)).toBeDefined();
  });

  it('should ask once for many requests with one token', async () => {
    const { verifier, store } = build(record());
    await Promise.all(Array.from({ length: 50 }, () => verifier.verify(SECRET)));
    expect(store.asked).toBe(1);
  });

  it('should not ask about what cannot be a token', async () => {
    const { verifier, store } = build();
    for (const wrong of ['', 'short', 'x'.repeat(300), `${'x'.repeat(40)} y`]) {
      expect(await verifier.verify(wrong)).toBeUndefined();
    }
    expect(store.asked).toBe(0);
  });

  it('should tell of a token that was let in before whether it still stands, without the cache', async () => {
    vi.setSystemTime(10_000);
    const { verifier, store } = build(record());
    const principal = (await verifier.verify(SECRET))!;
    expect(await verifier.stands(principal)).toBe(true);
    await store.end(hashToken(SECRET), 'revoked', 1);
    expect(await verifier.stands(principal)).toBe(false);
    expect(verifier.refusalOf(SECRET)).toEqual({ reason: 'revoked', sha256: hashToken(SECRET) });
  });

  it('should take other configured tokens while it runs', async () => {
    const { verifier } = build();
    const config = gatewayConfig({
      tenants: [{ id: 'acme' }],
      tokens: [{ tenant: 'acme', user: 'bob', sha256: hashToken(SECRET) }],
    });
    verifier.configure(config.tokens);
    const principal = (await verifier.verify(SECRET))!;
    expect(principal.user).toBe('bob');
    verifier.configure([]);
    expect(await verifier.stands(principal)).toBe(false);
  });

  it('should note the use of a stored token once a minute', async () => {
    const { verifier, store } = build(record());
    const principal = (await verifier.verify(SECRET))!;
    for (let i = 0; i < 3; i += 1) verifier.noteUse(principal);
    vi.advanceTimersByTime(59_999);
    verifier.noteUse(principal);
    expect(store.touched).toHaveLength(1);
    vi.advanceTimersByTime(1);
    verifier.noteUse(principal);
    expect(store.touched).toHaveLength(2);
  });

  it('should say that it cannot know when the store fails, and ask again next time', async () => {
    const { verifier, store } = build(record());
    const find = store.find.bind(store);
    store.find = () => Promise.reject(new Error('connection lost'));
    await expect(verifier.verify(SECRET)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    store.find = find;
    expect(await verifier.verify(SECRET)).toBeDefined();
  });
});
