import { createHash } from 'node:crypto';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import type { OidcIssuer } from '../../config/oidc.types.js';
import { reasonOf } from '../../config/reason-of.js';
import { DomainError, unavailable } from '../../domain/errors.js';
import { metrics } from '../../metrics/metrics.js';
import { ExpiringMap } from '../expiring-map.js';
import type { Principal, Surface } from '../principal.js';
import { checkAccessToken } from './access-token.js';
import { type Claims, subjectOf } from './claim-mapping.js';
import { Introspection } from './introspection.js';
import { IssuerFault, IssuerHttp } from './issuer-http.js';
import { IssuerKeys } from './issuer-keys.js';
import { RefusedToken, type TokenFault } from './refused-token.js';
import { claimedIssuer } from './unverified.js';

/** A checked token is believed for so long, and never longer than it says. */
const KNOWN_MS = 30_000;
const CACHE_MAX = 10_000;
/** For the log line and the audit that follow a refusal at once. */
const REFUSAL_MS = 5000;
const NO_CLAIMS: Claims = {};
/** Tokens of our own making begin so: they are nobody else's business. */
const OWN_PREFIX = 'nj_';

interface Issuer {
  readonly config: OidcIssuer;
  readonly http: IssuerHttp;
  readonly keys: IssuerKeys;
  readonly introspection: Introspection | undefined;
}

interface Known {
  /** In memory only, for another introspection. */
  readonly secret: string;
  readonly principal: Principal;
}

/**
 * Users by the access tokens of an authorization server (`auth.oidc`). Whom a token proves is its
 * tenant and subject, never the token: a refreshed one is the same user. The token goes to the issuer
 * that made it, where that is asked, and nowhere else.
 */
@Injectable()
export class OidcIdentity implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(OidcIdentity.name);
  private readonly issuers: readonly Issuer[];
  private readonly known = new ExpiringMap<Known>(KNOWN_MS, CACHE_MAX, monotonic);
  /** Longer than `known`: calls that are open are looked at again by it. */
  private readonly last = new ExpiringMap<Known>(24 * 3600_000, CACHE_MAX, monotonic);
  private readonly refusals = new ExpiringMap<TokenFault>(REFUSAL_MS, 1000, monotonic);

  private told: unknown;

  constructor(@Inject(GATEWAY_CONFIG) config: Pick<GatewayConfig, 'auth'>) {
    this.issuers = config.auth.oidc.map((issuer) => {
      const http = new IssuerHttp(issuer);
      return {
        config: issuer,
        http,
        keys: new IssuerKeys(issuer, http),
        introspection:
          issuer.introspection === undefined
            ? undefined
            : new Introspection(issuer, issuer.introspection, http),
      };
    });
  }

  /** The keys are there before the first token; a gateway starts without them all the same. */
  onApplicationBootstrap(): void {
    for (const { config, keys } of this.issuers) {
      keys.current().catch((error: unknown) => {
        this.warn(config, error);
      });
    }
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.issuers.map(({ http }) => http.close()));
  }

  /** Whether a token can only be an issuer's: no other place is asked about it then. */
  claims(secret: string): boolean {
    return this.issuers.length > 0 && claimedIssuer(secret) !== undefined;
  }

  /** Whether a token that nobody here knows may be an issuer's. */
  mayKnow(secret: string): boolean {
    const asks = this.issuers.some(({ introspection }) => introspection !== undefined);
    return asks && !secret.startsWith(OWN_PREFIX) && /^[\x21-\x7e]{16,4096}$/.test(secret);
  }

  /**
   * Whom a token proves; undefined for one that is refused.
   * @throws DomainError UNAVAILABLE when the issuer cannot be asked, PERMISSION_DENIED when its claims
   * lead to no tenant.
   */
  async identify(secret: string, sha256: string): Promise<Principal | undefined> {
    const known = this.known.get(sha256);
    if (known !== undefined && !isOver(known.principal)) return known.principal;
    const iss = claimedIssuer(secret);
    const issuer = this.issuers.find(({ config, introspection }) =>
      iss === undefined ? introspection !== undefined : config.issuer === iss,
    );
    const since = monotonic();
    try {
      if (issuer === undefined) throw new RefusedToken('issuer');
      const isAsked = iss === undefined || issuer.config.introspection?.tokens === 'all';
      const principal = await this.check(issuer, secret, sha256, iss !== undefined, isAsked);
      // What is asked for has a cache of its own, with the configuration's time.
      if (!isAsked) this.known.set(sha256, { secret, principal }, since);
      this.last.set(sha256, { secret, principal }, since);
      return principal;
    } catch (error) {
      this.known.delete(sha256);
      if (error instanceof RefusedToken) {
        this.refusals.set(sha256, error.fault, monotonic());
        return undefined;
      }
      if (error instanceof DomainError) throw error;
      if (issuer !== undefined) this.warn(issuer.config, error);
      throw unavailable('The token cannot be checked right now', error);
    }
  }

  /** Whether a token that was accepted would be again. @throws DomainError UNAVAILABLE. */
  async stands(sha256: string): Promise<boolean> {
    const known = this.last.get(sha256);
    if (known === undefined) return false;
    try {
      return (await this.identify(known.secret, sha256)) !== undefined;
    } catch (error) {
      // Whom its claims lead to is fixed: a changed answer of the issuer's ends the call.
      if (error instanceof DomainError && error.code === 'PERMISSION_DENIED') return false;
      throw error;
    }
  }

  /** Why a token was refused just now. */
  refusalOf(sha256: string): TokenFault | undefined {
    return this.refusals.get(sha256);
  }

  private async check(
    { config, keys, introspection }: Issuer,
    secret: string,
    sha256: string,
    isJwt: boolean,
    isAsked: boolean,
  ): Promise<Principal> {
    const signed = isJwt ? await checkAccessToken(secret, config, keys) : NO_CLAIMS;
    const told = isAsked ? await introspection?.claimsOf(secret, sha256) : undefined;
    // What is signed wins over what is told beside it.
    const claims = { ...told, ...signed };
    const surfaces = surfacesOf(claims['aud'], config);
    if (surfaces.length === 0) throw new RefusedToken('audience');
    const { exp } = claims;
    return {
      ...subjectOf(claims, config.claims),
      sha256,
      id: idOf(claims, config.issuer),
      surfaces,
      ...(typeof exp === 'number' ? { expires: (exp + config.clockSkewSeconds) * 1000 } : {}),
    };
  }

  private warn({ issuer }: OidcIssuer, error: unknown): void {
    // The same while it is too early to ask again: told once.
    if (error === this.told) return;
    this.told = error;
    const reason = reasonOf(error);
    metrics.issuerFailures.inc();
    this.logger.warn({
      msg: 'an issuer of access tokens could not be asked',
      issuer,
      reason,
      ...(error instanceof IssuerFault ? {} : { err: error }),
    });
  }
}

/**
 * Where a token is good: everywhere for an audience that the configuration names or the gateway's own
 * URL; on one surface for the URL of that one (RFC 8707: a token for one resource is none for another).
 */
function surfacesOf(aud: unknown, { audiences, resource }: OidcIssuer): Surface[] {
  const list: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const named = list.filter((one): one is string => typeof one === 'string');
  const bare = new Set(named.map((one) => one.replace(/\/$/, '')));
  const isEverywhere =
    named.some((one) => audiences.includes(one)) || (resource !== undefined && bare.has(resource));
  return (['a2a', 'mcp'] as const).filter(
    (surface) => isEverywhere || (resource !== undefined && bare.has(`${resource}/${surface}`)),
  );
}

/**
 * What lists and the audit call it: the same for every token of one subject and client, so that
 * nothing hangs on one that will be refreshed.
 */
function idOf(claims: Claims, issuer: string): string {
  const client = claims['client_id'] ?? claims['azp'] ?? claims['appid'] ?? '';
  const parts = JSON.stringify([issuer, claims['sub'], client]);
  return `oidc-${createHash('sha256').update(parts).digest('hex').slice(0, 16)}`;
}

function isOver({ expires }: Principal): boolean {
  return expires !== undefined && expires <= Date.now();
}

function monotonic(): number {
  return performance.now();
}
