import { describe, expect, it } from 'vitest';
import type { IntrospectionConfig, OidcIssuer } from '../../config/oidc.types.js';
import { Introspection } from './introspection.js';
import type { IssuerHttp } from './issuer-http.js';

const ISSUER = { issuer: 'https://issuer.example', clockSkewSeconds: 0 } as OidcIssuer;
const CONFIG: IntrospectionConfig = {
  url: 'https://issuer.example/introspect',
  clientId: 'nightjar',
  clientSecret: 'secret',
  tokens: 'opaque',
  cacheSeconds: 60,
};

/** An issuer that answers when a test says so. */
class SlowIssuer {
  asked = 0;
  private waiting: (() => void)[] = [];

  post(): Promise<object> {
    this.asked += 1;
    return new Promise((resolve) => {
      this.waiting.push(() => {
        resolve({ active: true, sub: 'ann' });
      });
    });
  }

  answer(): void {
    this.waiting.splice(0).forEach((answer) => {
      answer();
    });
  }
}

describe('a flood of tokens that have to be asked about', () => {
  it('should ask the issuer about sixteen at once, once each, and about others later', async () => {
    const issuer = new SlowIssuer();
    const introspection = new Introspection(ISSUER, CONFIG, issuer as unknown as IssuerHttp);
    const claims = (n: number) => introspection.claimsOf(`token-${n}`, `hash-${n}`);
    const sixteen = Array.from({ length: 16 }, (_, n) => claims(n));
    const again = claims(0);
    await expect(claims(16)).rejects.toThrow('cannot be checked right now');
    expect(issuer.asked).toBe(16);
    issuer.answer();
    const answers = await Promise.all([...sixteen, again]);
    expect(answers).toEqual(answers.map(() => ({ active: true, sub: 'ann' })));
    const later = claims(16);
    await Promise.resolve();
    issuer.answer();
    expect(await later).toMatchObject({ sub: 'ann' });
    expect(issuer.asked).toBe(17);
  });
});
