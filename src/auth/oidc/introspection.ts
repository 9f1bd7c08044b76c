import type { IntrospectionConfig, OidcIssuer } from '../../config/oidc.types.js';
import { unavailable } from '../../domain/errors.js';
import { authorizationOf } from '../../outbound/authorization.js';
import { ExpiringMap } from '../expiring-map.js';
import type { Claims } from './claim-mapping.js';
import { readIssuerDocument } from './issuer-documents.js';
import { IssuerFault, type IssuerHttp } from './issuer-http.js';
import { RefusedToken } from './refused-token.js';

/** A token that is not active is not asked about again before. */
const INACTIVE_MS = 10_000;
const CACHE_MAX = 10_000;
/** Beyond that many questions at once the issuer is not asked: strangers must not load it through us. */
const AT_ONCE = 16;
const DISCOVERED_MS = 3600_000;

/** Asks the issuer about a token (RFC 7662), and believes the answer for a while. */
export class Introspection {
  private readonly active: ExpiringMap<Claims>;
  private readonly inactive: ExpiringMap<true>;
  private readonly asking = new Map<string, Promise<Claims>>();
  private discovered: { readonly url: string; readonly at: number } | undefined;

  constructor(
    private readonly issuer: OidcIssuer,
    private readonly config: IntrospectionConfig,
    private readonly http: IssuerHttp,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.active = new ExpiringMap(config.cacheSeconds * 1000, CACHE_MAX, now);
    this.inactive = new ExpiringMap(INACTIVE_MS, CACHE_MAX, now);
  }

  /**
   * What the issuer says of a token that is active now.
   * @throws RefusedToken; IssuerFault when it does not say; DomainError UNAVAILABLE under a flood.
   */
  async claimsOf(token: string, sha256: string): Promise<Claims> {
    if (this.inactive.get(sha256) !== undefined) throw new RefusedToken('inactive');
    const claims = this.active.get(sha256) ?? (await this.shared(token, sha256));
    this.checkTimes(claims);
    return claims;
  }

  /** The answer itself, without a look at what is known. @throws IssuerFault */
  async ask(token: string): Promise<Claims> {
    const { clientId, clientSecret } = this.config;
    // RFC 6749 section 2.3.1: both are form-encoded first.
    const pair = { username: encoded(clientId), password: encoded(clientSecret) };
    const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
    return this.http.post(await this.url(), form, {
      authorization: authorizationOf({ kind: 'basic', ...pair }),
    });
  }

  private shared(token: string, sha256: string): Promise<Claims> {
    const running = this.asking.get(sha256);
    if (running !== undefined) return running;
    if (this.asking.size >= AT_ONCE) throw unavailable('The token cannot be checked right now');
    const question = this.lookUp(token, sha256).finally(() => this.asking.delete(sha256));
    this.asking.set(sha256, question);
    return question;
  }

  private async lookUp(token: string, sha256: string): Promise<Claims> {
    const since = this.now();
    const claims = await this.ask(token);
    if (claims['active'] !== true) {
      this.inactive.set(sha256, true, since);
      throw new RefusedToken('inactive');
    }
    // Absent in many answers: then it is the one that was asked.
    const iss = claims['iss'] ?? this.issuer.issuer;
    if (iss !== this.issuer.issuer) throw new RefusedToken('issuer');
    if (typeof claims['sub'] !== 'string') throw new RefusedToken('claims');
    if (claims['cnf'] !== undefined) throw new RefusedToken('bound');
    this.active.set(sha256, claims, since);
    return claims;
  }

  /** It said so itself; here they are held against the clock of now, for the answer may be older. */
  private checkTimes({ exp, nbf }: Claims): void {
    const seconds = Date.now() / 1000;
    const skew = this.issuer.clockSkewSeconds;
    if (typeof exp === 'number' && exp + skew <= seconds) throw new RefusedToken('expired');
    if (typeof nbf === 'number' && nbf - skew > seconds) throw new RefusedToken('not-yet');
  }

  private async url(): Promise<string> {
    if (this.config.url !== undefined) return this.config.url;
    if (this.discovered === undefined || this.now() - this.discovered.at > DISCOVERED_MS) {
      const { introspectionUrl } = await readIssuerDocument(this.issuer, this.http);
      if (introspectionUrl === undefined) {
        throw new IssuerFault(this.issuer.issuer, 'its document names no introspection_endpoint');
      }
      this.discovered = { url: introspectionUrl, at: this.now() };
    }
    return this.discovered.url;
  }
}

function encoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
